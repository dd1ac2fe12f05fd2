"""An answer as lines of text, with its sources, nearest pages and notes."""

from __future__ import annotations

from collections.abc import Iterator

from tether.app.display import one_line, shown
from tether.app.document_files import CHANGES, DocumentFiles
from tether.app.settings.values import EXTRACTIVE
from tether.app.terminal.screen import Screen, link_target
from tether.ask.answer import Answer, Citation, Near
from tether.ask.citations.projections import MarkPiece, TextPiece, pieces, readings
from tether.ask.refusal import refusal_text

QUOTATION = "Answered by quotation: the sentences are from the documents, no model wrote them."
FAILED = (
    "Neither the question nor an answer was stored. `tether doctor` checks index, store and model."
)
INDENT = "    "


def answer_lines(answer: Answer, screen: Screen, files: DocumentFiles) -> Iterator[str]:
    """Yield the lines of an answer: its text with marks, then sources, nearest pages and notes.

    Text of documents and models cannot control the terminal, and links lead only to the cited
    sources and the nearest pages. At a terminal, lines break between words; code and addresses are
    left whole.
    """
    if answer.verdict == "failed":
        yield from _failure_lines(answer, screen)
        return
    reason = answer.reason
    if reason is not None and answer.text == refusal_text(reason, answer.nearest):
        yield screen.wrapped(shown(refusal_text(reason, ())))
        yield from _near_lines(answer, screen, files)
    else:
        yield _text(answer, screen, files)
    if answer.sources:
        yield ""
        yield from source_lines(answer, screen, files, said=_spoken(answer))
    yield from _closing_lines(answer, screen)


def source_lines(
    answer: Answer, screen: Screen, files: DocumentFiles, *, said: str = ""
) -> Iterator[str]:
    """Yield the cited sources by number, each with its link and its quotes in readable form.

    Quotes in `said`, which was printed above, are not repeated. A file that is no longer the one
    that was indexed is said to be.
    """
    for source in answer.sources:
        number = screen.toned(f"[{source.number}]", "strong")
        yield screen.wrapped(f"{number} {one_line(source.title)}", INDENT)
        yield f"{INDENT}{screen.linked(one_line(source.link), _target(source, files))}"
        change = CHANGES.get(files.state(source.document, source.version))
        if change:
            yield screen.wrapped(f"{INDENT}({change})")
        for reading in readings(answer, source.number):
            if _flat(reading) not in said:
                yield from (screen.toned(line, "faint") for line in _quote_lines(reading, screen))


def consulted_lines(answer: Answer) -> Iterator[str]:
    """Yield the passages that were read but not cited."""
    for passage in answer.consulted:
        if not passage.cited:
            yield f"{INDENT}{one_line(passage.title)}  {one_line(passage.link)}"


def _text(answer: Answer, screen: Screen, files: DocumentFiles) -> str:
    """Return the text with its marks; prose is wrapped, code is not."""
    parts: list[str] = []
    prose = ""
    for piece in pieces(answer):
        if isinstance(piece, MarkPiece):
            mark = screen.toned(shown(piece.text), "strong")
            prose += screen.linked(mark, _target(piece.citation, files))
        elif piece.is_code:
            parts += [screen.wrapped(prose), shown(piece.plain)]
            prose = ""
        else:
            prose += shown(piece.plain)
    return "".join((*parts, screen.wrapped(prose)))


def _spoken(answer: Answer) -> str:
    """Return the words of an answer without its marks, to look for quotes in."""
    return _flat("".join(it.plain for it in pieces(answer) if isinstance(it, TextPiece)))


def _flat(text: str) -> str:
    """Return a text on one line, without the fences of its code."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("```"))
    return " ".join(" ".join(lines).split())


def _near_lines(answer: Answer, screen: Screen, files: DocumentFiles) -> Iterator[str]:
    """Yield the nearest pages of a refusal, with links."""
    if answer.nearest:
        yield ""
        yield screen.toned("The pages that come nearest:", "strong")
        yield from (_near_line(page, screen, files) for page in answer.nearest)


def _failure_lines(answer: Answer, screen: Screen) -> Iterator[str]:
    code, message = answer.error or ("", "the turn failed")
    yield screen.wrapped(one_line(f"{message} [{code}]" if code else message))
    yield screen.wrapped(FAILED)


def _closing_lines(answer: Answer, screen: Screen) -> Iterator[str]:
    notes = [f"Note: {one_line(note)}" for note in answer.notes]
    if answer.verdict == "answered" and answer.model == EXTRACTIVE:
        notes.append(QUOTATION)
    if notes:
        yield ""
        yield from (screen.toned(screen.wrapped(note), "faint") for note in notes)


def _near_line(page: Near, screen: Screen, files: DocumentFiles) -> str:
    link = screen.linked(one_line(page.url), link_target(files, page.url, page.url, ""))
    return screen.wrapped(f"- {one_line(page.title)} ({link})", "  ")


def _quote_lines(reading: str, screen: Screen) -> Iterator[str]:
    """Yield a quote: items, rows and code line by line, behind bars that no link has."""
    lines = [line.expandtabs(4).rstrip() for line in reading.splitlines() if line.strip()]
    if len(lines) > 1:
        yield from (f"{INDENT}| {shown(line)}" for line in lines)
    else:
        yield screen.wrapped(f'{INDENT}"{one_line(reading)}"', " ")


def _target(source: Citation, files: DocumentFiles) -> str:
    return link_target(files, source.document, source.url, source.anchor)
