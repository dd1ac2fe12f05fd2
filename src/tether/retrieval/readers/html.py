"""Web pages: their content as text that reads like Markdown, without hidden parts."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from tether.retrieval.document import Document, Link
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.decoding import decode_html
from tether.retrieval.readers.html_content import Hidden, Seen, attribute, content_of
from tether.retrieval.readers.html_depth import Nesting, nesting
from tether.retrieval.readers.html_page import HtmlPage
from tether.retrieval.readers.html_walk import HtmlWalk
from tether.retrieval.readers.names import title_from
from tether.text.numbers import counted

_LONGEST = 500
MOST_BYTES = 10_000_000
DEEPEST = 512
_SEPARATORS = ":|/>-–—·•»"  # noqa: RUF001


def read_html(
    *, key: str, name: str, data: bytes, url: str = "", content_type: str = "", title: str = ""
) -> Document:
    """Return a web page. Raises `DocumentUnreadable` for one that is too large or nests too deep.

    It also refuses a page with markup but no text: scripts draw it, or all of it is hidden. Hidden
    text and comments are left out and counted in the notes.
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
    page, hidden = _content(parsed, head)
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


class Head(NamedTuple):
    """The metadata of a page; "" for a missing value."""

    title: str
    description: str
    canonical: str
    language: str
    base: str
    is_draft: bool


def head_of(page: LexborHTMLParser, url: str) -> Head:
    """Return the metadata of a page. Its canonical address counts only on the host it came from."""
    root = page.root
    return Head(
        title=_meta(page, "meta[property='og:title']") or _title(page),
        description=_meta(page, "meta[name=description]"),
        canonical=_canonical(page, url),
        language=_language(attribute(root, "lang") if root is not None else ""),
        base=_attribute(page, "base[href]", "href"),
        is_draft="noindex" in _meta(page, "meta[name=robots]").lower(),
    )


def shown_title(head: Head, first_heading: str) -> str:
    """Return the title of a page: without the name of the site, where the heading tells."""
    return first_heading if not head.title or _is_title(head, first_heading) else head.title


def _is_title(head: Head, heading: str) -> bool:
    """Return whether a heading is the title of its page, before or after the name of the site."""
    if not heading or not head.title.endswith(heading):
        return heading != "" and head.title.startswith(heading)
    site = head.title.removesuffix(heading).rstrip()
    return not site or site[-1] in _SEPARATORS


def _title(page: LexborHTMLParser) -> str:
    node = page.css_first("head > title, title")
    return " ".join(node.text(deep=True).split())[:_LONGEST] if node is not None else ""


def _meta(page: LexborHTMLParser, selector: str) -> str:
    return " ".join(_attribute(page, selector, "content").split())[:_LONGEST]


def _attribute(page: LexborHTMLParser, selector: str, name: str) -> str:
    node = page.css_first(selector)
    return attribute(node, name) if node is not None else ""


def _language(declared: str) -> str:
    code = declared.split("-", maxsplit=1)[0].split("_", maxsplit=1)[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""


def _canonical(page: LexborHTMLParser, url: str) -> str:
    """Return the address that a page wants to be known by, unless it points to another host.

    A page that could choose any address would be cited as somebody else's.
    """
    try:
        address = urljoin(url, _attribute(page, "link[rel=canonical]", "href"))
        named, own = urlsplit(address), urlsplit(url)
    except ValueError:
        return ""
    if named.scheme not in ("http", "https") or not named.netloc:
        return ""
    return address if not own.netloc or own.netloc == named.netloc else ""


def _content(parsed: LexborHTMLParser, head: Head) -> tuple[HtmlPage, Hidden]:
    """Write the content of a page, or its whole body where there is nothing in the content."""
    root, is_body = content_of(parsed)
    page, seen = HtmlPage(), Seen(around=is_body)
    highest = _highest_level(parsed, head)
    if root is not None:
        HtmlWalk(page, seen, highest=highest).walk(root)
    body = parsed.body
    if page.is_empty and not is_body and body is not None:
        seen = Seen(around=True)
        HtmlWalk(page, seen, highest=highest).walk(body)
    return page, seen.hidden


def _highest_level(page: LexborHTMLParser, head: Head) -> int:
    """Return the level of the heading that is the title of the page; 1 where there is none.

    In a book that was cut into pages, a page begins with the heading of its section: as a section
    below a title of the same words it would have them twice in its path.
    """
    first = page.css_first("h1, h2, h3, h4")
    if first is None or not head.title or page.css_first("h1") is not None:
        return 1
    words = " ".join(first.text(deep=True).split())
    return int((first.tag or "h1")[1]) if _is_title(head, words) else 1


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
            f"hidden text left out: {hidden.characters} characters"
            f" in {counted(hidden.places, 'place')}"
        )
    if nested.comments:
        notes.append(f"comments left out: {nested.comments}")
    return notes


def _without_text(hidden: Hidden) -> str:
    if hidden.places:
        return f"all of its text is hidden: {hidden.characters} characters"
    return "it has markup but no text: scripts may draw it when it is opened"
