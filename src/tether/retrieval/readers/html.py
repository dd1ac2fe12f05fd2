"""Web pages: the content of a page as text that reads like Markdown, without what nobody sees."""

from __future__ import annotations

from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from tether.core.errors import DocumentUnreadable
from tether.retrieval.document import Document, Link
from tether.retrieval.readers.html_content import content_of
from tether.retrieval.readers.html_decoding import decode_html
from tether.retrieval.readers.html_depth import Nesting, nesting
from tether.retrieval.readers.html_head import Head, head_of, shown_title
from tether.retrieval.readers.html_page import HtmlPage
from tether.retrieval.readers.html_seen import Hidden, Seen
from tether.retrieval.readers.html_walk import HtmlWalk
from tether.retrieval.readers.naming import title_from

MOST_BYTES = 10_000_000
DEEPEST = 512


def read_html(
    *, key: str, name: str, data: bytes, url: str = "", content_type: str = "", title: str = ""
) -> Document:
    """Return a web page. Raises `DocumentUnreadable` for one that is too large or nests too deep.

    So does a page that has markup but no text: scripts draw it, or all of it is hidden. What is
    hidden and what is a comment is left out and counted in the notes.
    """
    if len(data) > MOST_BYTES:
        size = len(data) / 1e6
        raise DocumentUnreadable(
            f"a web page of {size:.1f} MB; at most {MOST_BYTES / 1e6:g} are read"
        )
    decoded = decode_html(data, content_type)
    nested = nesting(decoded.text, DEEPEST)
    if nested.depth > DEEPEST:
        raise DocumentUnreadable(f"its elements nest deeper than {DEEPEST}, so it is not parsed")
    parsed = LexborHTMLParser(decoded.text)
    parsed.strip_tags(["script", "style"])
    head = head_of(parsed, url)
    page, hidden = _content(parsed)
    if page.is_empty and decoded.text.strip():
        raise DocumentUnreadable(_without_text(hidden))
    return Document(
        key=key,
        title=shown_title(head, _first_heading(page)) or title or title_from(name or key),
        text=page.text,
        blocks=tuple(page.blocks),
        kind="html",
        url=head.canonical or url,
        language=head.language,
        draft=head.is_draft,
        links=_links(page, head),
        notes=(*decoded.notes, *_notes(nested, hidden)),
        metadata=(("description", head.description),) if head.description else (),
    )


def _content(parsed: LexborHTMLParser) -> tuple[HtmlPage, Hidden]:
    """Write the content of a page, or its whole body where there is nothing in the content."""
    root, is_body = content_of(parsed)
    page, seen = HtmlPage(), Seen(around=is_body)
    if root is not None:
        HtmlWalk(page, seen).walk(root)
    body = parsed.body
    if page.is_empty and not is_body and body is not None:
        seen = Seen(around=True)
        HtmlWalk(page, seen).walk(body)
    return page, seen.hidden


def _first_heading(page: HtmlPage) -> str:
    found = (block.plain for block in page.blocks if block.kind == "heading" and block.level == 1)
    return next(found, "")


def _links(page: HtmlPage, head: Head) -> tuple[Link, ...]:
    if not head.base:
        return tuple(page.links)
    return tuple(
        Link(target=_joined(head.base, link.target), text=link.text, start=link.start)
        for link in page.links
    )


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:
        return target


def _notes(nested: Nesting, hidden: Hidden) -> list[str]:
    notes: list[str] = []
    if hidden.places:
        notes.append(
            f"hidden text left out: {hidden.characters} characters in {hidden.places} places"
        )
    if nested.comments:
        notes.append(f"comments left out: {nested.comments}")
    return notes


def _without_text(hidden: Hidden) -> str:
    if hidden.places:
        return f"all of its text is hidden: {hidden.characters} characters"
    return "it has markup but no text: scripts may draw it when it is opened"
