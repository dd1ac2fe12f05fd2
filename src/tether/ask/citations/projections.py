"""An answer as Markdown, as plain text, and as pieces for a terminal or a page.

Marks are taken from their positions, never from a pattern: whatever else in the text looks like
one is text. The link of a mark is the one that was issued with the citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tether.ask.answer import Answer, Citation
from tether.ask.citations.escaping import escaped, unlinkable
from tether.batteries.models.extractive.links import may_be_linked

_FENCED = re.compile(
    r"(?:(?<=\n\n)|\A)(?P<fence>`{3,})(?P<language>[^`\n]*)\n(?P<code>(?s:.*?)\n|)(?P=fence)(?=\n\n|\Z)"
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_UNSAFE = re.compile(r"[^A-Za-z0-9\-._~:/?#@!$'*+,;=%&()\u0080-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Text of an answer, in Markdown; `is_code` says that it is a fenced block with its fences."""

    text: str
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class MarkPiece:
    """The mark of a citation."""

    citation: Citation

    @property
    def text(self) -> str:
        """The mark as it stands in the text."""
        return f"[{self.citation.number}]"


def pieces(answer: Answer) -> Iterator[TextPiece | MarkPiece]:
    """Return the text and the marks of an answer in order.

    A mark that does not stand where its citation says, or stands inside another, is text.
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


def markdown(answer: Answer) -> str:
    """Return Markdown in which the marks are links to their sources and nothing else links."""
    written: list[str] = []
    for piece in pieces(answer):
        if isinstance(piece, MarkPiece):
            written.append(_link(piece))
        elif piece.is_code:
            written.append(piece.text)
        else:
            written.append(_closed(unlinkable(escaped(piece.text))))
    return "".join(written)


def plain(answer: Answer) -> str:
    """Return the text without escapes, for where Markdown is not read; marks stay `[n]`."""
    return "".join(
        piece.text
        if isinstance(piece, MarkPiece) or piece.is_code
        else _ESCAPE.sub(r"\1", piece.text)
        for piece in pieces(answer)
    )


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
    """Keep the end of a text from changing the mark behind it: no escape, and no image."""
    if text.endswith("!"):
        bare = _closed(text[:-1])
        return f"{bare}\\!" if bare == text[:-1] else text
    slashes = len(text) - len(text.rstrip("\\"))
    return f"{text}\\" if slashes % 2 else text


def _link(mark: MarkPiece) -> str:
    link = mark.citation.link
    if not may_be_linked(link):
        return escaped(mark.text)
    return f"{mark.text}({_destination(link)})"


def _destination(link: str) -> str:
    """Return an address as the target of an inline link, in percent escapes where it must be."""
    bare = _UNSAFE.sub(_percent, link).replace("&", "&amp;")
    return re.sub(r"([()*_!])", r"\\\1", bare)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
