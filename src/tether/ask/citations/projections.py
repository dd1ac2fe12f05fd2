"""An answer as Markdown, as plain text, and as pieces for a terminal or a page.

Marks are found by their positions, never by a pattern: anything else that looks like a mark is
text. The link of a mark is the one that was issued with the citation. Sources are shown with their
quotes as a person reads them: the cells of a row after their names, an item after its lead-in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tether.ask.answer import AbstainReason, Answer, Citation, Near
from tether.ask.citations.markdown import as_markdown, as_plain, escaped, unlinkable
from tether.ask.quoting.links import may_be_linked
from tether.ask.refusal import refusal_text

_FENCED = re.compile(
    r"(?:(?<=\n\n)|\A)(?P<fence>`{3,})(?P<language>[^`\n]*)\n(?P<code>(?s:.*?)\n|)(?P=fence)(?=\n\n|\Z)"
)
_UNSAFE = re.compile(r"[^A-Za-z0-9\-._~:/?#@!$'*+,;=%&()\u0080-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Text of an answer, in Markdown; `is_code` marks a fenced block with its fences."""

    text: str
    is_code: bool = False

    @property
    def plain(self) -> str:
        """The text without its escapes, for programs that do not read Markdown."""
        return self.text if self.is_code else as_plain(self.text)


@dataclass(frozen=True, slots=True)
class MarkPiece:
    """The mark of a citation."""

    citation: Citation

    @property
    def text(self) -> str:
        """The mark as it is in the text."""
        return f"[{self.citation.number}]"

    @property
    def plain(self) -> str:
        """The same: a mark has no escapes."""
        return self.text


def pieces(answer: Answer) -> Iterator[TextPiece | MarkPiece]:
    """Return the text and the marks of an answer in order.

    A mark that is not where its citation says, or is inside another, is text.
    """
    at = 0
    for citation in sorted(answer.citations, key=lambda one: one.mark_start):
        start, end = citation.mark_start, citation.mark_end
        if start < at or answer.text[start:end] != f"[{citation.number}]":
            continue
        yield from _texts(answer.text[at:start])
        yield MarkPiece(citation)
        at = end
    yield from _texts(answer.text[at:])


def markdown(answer: Answer, *, sources: bool = False) -> str:
    """Return Markdown in which the marks are links to their sources, and the only links.

    In a refusal the nearest pages are links too. With `sources`, the sources with their quotes and
    the notes follow.
    """
    reason = answer.reason
    if reason is not None and _is_plain_refusal(answer):
        return _refusal(reason, answer.nearest)
    written: list[str] = []
    for piece in pieces(answer):
        if isinstance(piece, MarkPiece):
            written.append(_marked(piece.citation))
        elif piece.is_code:
            written.append(piece.text)
        else:
            written.append(_unlinked(piece.text))
    blocks = ["".join(written), *(_markdown_footer(answer) if sources else ())]
    return "\n\n".join(filter(None, blocks))


def plain(answer: Answer, *, sources: bool = False) -> str:
    """Return the text without escapes, for programs that do not read Markdown; marks stay `[n]`.

    With `sources`, the sources with their quotes and the notes follow.
    """
    is_written = not _is_plain_refusal(answer)
    text = "".join(piece.plain for piece in pieces(answer)) if is_written else answer.text
    return "\n\n".join(filter(None, [text, *(_plain_footer(answer) if sources else ())]))


def readings(answer: Answer, number: int) -> tuple[str, ...]:
    """Return the quotes of a source as a person reads them, each once."""
    cited = (one for one in answer.citations if one.number == number)
    return tuple(dict.fromkeys(one.reading or one.quote for one in cited))


def statement_forms(answer: Answer) -> list[dict[str, Any]]:
    """Return the statements as JSON: plain text, whose words, probability, source, and quote."""
    cited = len(answer.citations)
    return [
        {
            "text": "".join(piece.plain for piece in _texts(answer.text[one.start : one.end])),
            "words": one.words,
            "probability": one.probability,
            "source": answer.citations[one.citation].number,
            "quote": answer.citations[one.citation].reading,
        }
        for one in answer.statements
        if 0 <= one.citation < cited
    ]


def _is_plain_refusal(answer: Answer) -> bool:
    """Say whether the text is the refusal that code assembles, which has no escapes."""
    return answer.reason is not None and answer.text == refusal_text(answer.reason, answer.nearest)


def _markdown_footer(answer: Answer) -> Iterator[str]:
    sources = [
        f"- {_marked(one)} {_inert(one.title)}: {_inert(_quoted(answer, one.number))}"
        for one in answer.sources
    ]
    yield "\n".join(sources)
    yield from (_inert(f"Note: {note}") for note in answer.notes)


def _plain_footer(answer: Answer) -> Iterator[str]:
    sources = [
        f"[{one.number}] {one.title}, {one.link}: {_quoted(answer, one.number)}"
        for one in answer.sources
    ]
    yield "\n".join(" ".join(line.split()) for line in sources)
    yield from (f"Note: {' '.join(note.split())}" for note in answer.notes)


def _quoted(answer: Answer, number: int) -> str:
    return " ".join(f"\u201c{one}\u201d" for one in readings(answer, number))


def _marked(citation: Citation) -> str:
    """Return the mark of a citation as a link, or as text where it may not be linked."""
    return _link(str(citation.number), citation.link) or escaped(f"[{citation.number}]")


def _inert(text: str) -> str:
    """Return plain text as one line of Markdown without links."""
    return _unlinked(as_markdown(" ".join(text.split())))


def _refusal(reason: AbstainReason, nearest: Sequence[Near]) -> str:
    """Return the refusal with a link in place of each title."""
    lines = [_unlinked(refusal_text(reason, nearest).partition("\n- ")[0])]
    for page in nearest:
        title = _unlinked(refusal_text(reason, (page,)).partition("\n- ")[2])
        if title:
            lines.append(f"- {_link(title, page.url) or title}")
    return "\n".join(lines)


def _unlinked(text: str) -> str:
    return _closed(unlinkable(escaped(text)))


def _texts(text: str) -> Iterator[TextPiece]:
    at = 0
    for match in _FENCED.finditer(text):
        if at < match.start():
            yield TextPiece(text[at : match.start()])
        yield TextPiece(match[0], is_code=True)
        at = match.end()
    if at < len(text):
        yield TextPiece(text[at:])


def _closed(text: str) -> str:
    """Keep the end of a text from changing the mark after it: no escape, and no image."""
    if text.endswith("!"):
        bare = _closed(text[:-1])
        return f"{bare}\\!" if bare == text[:-1] else text
    slashes = len(text) - len(text.rstrip("\\"))
    return f"{text}\\" if slashes % 2 else text


def _link(text: str, link: str) -> str:
    """Return escaped text as a link; "" for an address that may not be linked."""
    return f"[{text}]({_destination(link)})" if may_be_linked(link) else ""


def _destination(link: str) -> str:
    """Return an address as the target of an inline link, with percent escapes where needed."""
    bare = _UNSAFE.sub(_percent, link).replace("&", "&amp;")
    return re.sub(r"([()*_!])", r"\\\1", bare)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
