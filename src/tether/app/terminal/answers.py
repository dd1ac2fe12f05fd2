"""An answer as lines of text, with its sources, nearest pages and notes."""

from __future__ import annotations

from collections.abc import Iterator

from tether.app.display import one_line, shown
from tether.app.settings.values import EXTRACTIVE
from tether.app.terminal.screen import Places, Screen
from tether.ask.answer import Answer, Citation, Near
from tether.ask.citations.projections import MarkPiece, pieces, readings
from tether.ask.refusal import refusal_text

QUOTATION = "Answered by quotation: the sentences are from the documents, no model wrote them."
FAILED = "Nothing of this turn was stored. `tether doctor` checks index, store and model."


def answer_lines(answer: Answer, screen: Screen, places: Places) -> Iterator[str]:
    """Yield the lines of an answer: its text with marks, then sources, nearest pages and notes.

    Text of documents and models cannot control the terminal, and links lead only to the cited
    sources and the nearest pages.
    """
    if answer.verdict == "failed":
        yield from _failure_lines(answer)
        return
    reason = answer.reason
    if reason is not None and answer.text == refusal_text(reason, answer.nearest):
        yield shown(refusal_text(reason, ()))
        yield from _near_lines(answer, screen, places)
    else:
        yield _text(answer, screen, places)
    if answer.sources:
        yield ""
        yield from source_lines(answer, screen, places)
    yield from _closing_lines(answer, screen)


def source_lines(answer: Answer, screen: Screen, places: Places) -> Iterator[str]:
    """Yield the cited sources by number, each with its link and its quotes in readable form."""
    for source in answer.sources:
        link = screen.linked(one_line(source.link), _target(source, places))
        yield f"{screen.toned(f'[{source.number}]', 'strong')} {one_line(source.title)}"
        yield f"    {link}"
        for reading in readings(answer, source.number):
            yield from (screen.toned(line, "faint") for line in _quote_lines(reading))


def consulted_lines(answer: Answer) -> Iterator[str]:
    """Yield the passages that were read but not cited."""
    for passage in answer.consulted:
        if not passage.cited:
            yield f"    {one_line(passage.title)}  {one_line(passage.link)}"


def _text(answer: Answer, screen: Screen, places: Places) -> str:
    parts: list[str] = []
    for piece in pieces(answer):
        if isinstance(piece, MarkPiece):
            mark = screen.toned(shown(piece.text), "strong")
            parts.append(screen.linked(mark, _target(piece.citation, places)))
        else:
            parts.append(shown(piece.plain))
    return "".join(parts)


def _near_lines(answer: Answer, screen: Screen, places: Places) -> Iterator[str]:
    """Yield the nearest pages of a refusal, with links."""
    if answer.nearest:
        yield ""
        yield screen.toned("The pages that come nearest:", "strong")
        yield from (_near_line(page, screen, places) for page in answer.nearest)


def _failure_lines(answer: Answer) -> Iterator[str]:
    code, message = answer.error or ("", "the turn failed")
    yield one_line(f"{message} [{code}]" if code else message)
    yield FAILED


def _closing_lines(answer: Answer, screen: Screen) -> Iterator[str]:
    notes = [f"Note: {one_line(note)}" for note in answer.notes]
    if answer.verdict == "answered" and answer.model == EXTRACTIVE:
        notes.append(QUOTATION)
    if notes:
        yield ""
        yield from (screen.toned(note, "faint") for note in notes)


def _near_line(page: Near, screen: Screen, places: Places) -> str:
    link = screen.linked(one_line(page.url), places.target(page.url, page.url, ""))
    return f"- {one_line(page.title)} ({link})"


def _quote_lines(reading: str) -> Iterator[str]:
    """Yield a quote: items, rows and code line by line, behind bars that no link has."""
    lines = [line.expandtabs(4).rstrip() for line in reading.splitlines() if line.strip()]
    if len(lines) > 1:
        yield from (f"    | {shown(line)}" for line in lines)
    else:
        yield f'    "{one_line(reading)}"'


def _target(source: Citation, places: Places) -> str:
    return places.target(source.document, source.url, source.anchor)
