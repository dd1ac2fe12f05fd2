"""The exact checks of a statement against its quote: what needs no judgement of meaning.

Numbers with their units, names of code and of rows, comparators, words in quotation marks, a part
of a sentence without the rest that limits it, and what a heading or the next sentence withdraws. A
check that fails says what is wrong, for the model and for the trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tether.ask.citations.comparison import Said, Written, written
from tether.ask.citations.passage import Window
from tether.ask.citations.quantities import bounds_oppositely, has_quantity, is_measured_as
from tether.ask.citations.rows import names_another_row
from tether.ask.citations.withdrawal import says_withdrawal, withdrawn_in
from tether.text.markdown.marks import CODE_SPAN
from tether.text.options import in_other_case, options_in
from tether.text.sentences import sentences, sentences_of

QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]{2,2000})[\"\u201d\u201c\u00bb]"
)
_FEWEST_QUOTED = 2
_FEWEST_CUT = 3
_LIMITS = re.compile(
    r"\b(?:not|never|no longer|cannot|unless|until|except|only|if|when|before|after|without"
    r"|provided|but|although|though|rather|instead|unlike|while|whereas|as long as|in case|myth"
    r"|false|wrong|untrue|incorrect|formerly|previously|no|none|neither|forbidden|prohibited|banned"
    r"|removed|excluded|disallowed|deprecated|discontinued|avoid|un\w{4,}ed)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_OMITS = re.compile(r"\u2026|\.\s?\.\s?\.|(?:\s|\A)\.(?=\s|\Z)")
_JOINING = re.compile(
    r"\A\W*(?:(?:also|and|then|so|thus|therefore|hence|moreover|furthermore|additionally|finally"
    r"|first|second|third|next|please|note|remember|that|for example|for instance|in addition)\b"
    r"\W*)+",
    re.IGNORECASE,
)
"""What may stand before a statement in its sentence and does not change it."""
_NAMED_CELL = re.compile(r"\A\S{1,40}(?:\s\S{1,40}){0,2}(?<=:)\s")
_WORD = re.compile(r"\w")
_APART = re.compile(r";\s")
_COUNTS = frozenset(map(str, range(2, 13)))
"""Numbers that a statement may count for itself, in words: "the two options"."""


def limits(text: str) -> bool:
    """Say whether a text denies, limits or conditions what it is joined to."""
    return _LIMITS.search(text) is not None


def fault_of(statement: str, said: Said, window: Window, quoted: Said) -> str:
    """Return what a statement has that its quote has not, "" where nothing is missing.

    `said` and `quoted` are the contents of the statement and of the quote with its headings.
    """
    return next(_faults(statement, said, window, quoted), "")


def _faults(statement: str, said: Said, window: Window, quoted: Said) -> Iterator[str]:
    context = f"{window.premise}\n{window.passage.evidence.chunk.heading}"
    if missing := said.numbers - quoted.held - _counted(statement, quoted):
        yield f"the quote does not have the number {min(missing)}"
    if not is_measured_as(statement, _measuring(statement, window) or context):
        yield "a number of the quote has another unit"
    if bounds_oppositely(statement, context):
        yield "the quote bounds a number from the other side"
    source = _source_text(window)
    exactly = f"{context}\n{source}".replace("\\", "")
    spelled = exactly.lower()
    if unknown := [name for name in said.codes | said.names if name not in spelled]:
        yield f"the quote does not have the name {min(unknown)}"
    if other := in_other_case(options_in(statement), options_in(exactly)):
        yield f"the quote has the option {min(other)} in another case"
    if not _are_quoted(statement, window):
        yield "words in quotation marks are not in the quote as they are"
    if _OMITS.search(CODE_SPAN.sub(" ", statement)) and not _OMITS.search(source):
        yield "something is left out between two words"
    if names_another_row(statement, window):
        yield "it names another row of the table"
    if withdrawal := _withdrawal(statement, window):
        yield f'the document withdraws this ("{withdrawal}")'
    yield from filter(None, (_cut_out(one, window) for one in _said_apart(statement)))


def _withdrawal(statement: str, window: Window) -> str:
    """Return the heading or the next sentence that withdraws what a statement rests on.

    A statement that tells of it may stand: whether it tells the truth is the verifier's to say.
    """
    if window.heading and (heading := window.heading_over(statement)):
        return heading
    texts = [unit.text for unit in window.units]
    withdrawn = {one: other for text in texts for one, other in withdrawn_in(text).items()}
    if not withdrawn or says_withdrawal(statement):
        return ""
    said = (one for text in texts for one in sentences_of(text))
    return withdrawn.get(_nearest(statement, said), "")


def _measuring(statement: str, window: Window) -> str:
    """Return the unit nearest to a statement, if it has a quantity: that is the one to compare."""
    nearest = _nearest(statement, (unit.text for unit in window.units))
    return nearest if has_quantity(nearest) else ""


def _nearest(statement: str, texts: Iterable[str]) -> str:
    """Return the text that has the most words of a statement."""
    words = set(written(statement).tokens)
    return max(texts, key=lambda text: len(words & set(written(text).tokens)))


def _said_apart(statement: str) -> list[str]:
    """Return a statement, the cells of a row without their names, and its quotations."""
    parts = statement.split("; ")
    named = [_NAMED_CELL.sub("", one) for one in parts if _NAMED_CELL.match(one)]
    cells = named if len(named) == len(parts) else []
    quoted = [one for one in QUOTED.findall(statement) if len(one.split()) >= _FEWEST_CUT]
    return list(dict.fromkeys((statement, *cells, *quoted)))


def _are_quoted(statement: str, window: Window) -> bool:
    """Say whether each text in quotation marks is one unbroken run of the quote."""
    texts = [one for one in QUOTED.findall(statement) if len(one.split()) >= _FEWEST_QUOTED]
    return all(
        _has(written(window.reading), written(one))
        or _has(written(_source_text(window)), written(one))
        for one in texts
    )


def _cut_out(statement: str, window: Window) -> str:
    """Return a fault where a statement is a part of a sentence, but for words that only join."""
    wanted = written(statement)
    if len(wanted.key) < _FEWEST_CUT:
        return ""
    for unit in window.units:
        place = written(unit.text).find(wanted)
        if place is None:
            continue
        before, after = _same_sentence(unit.text, *place)
        if _WORD.search(_JOINING.sub("", before)) or _WORD.search(after):
            return "it is a part of a sentence, and the rest may change it"
        if limit := _LIMITS.search(unit.lead_text):
            return f'what leads to it limits this ("{limit[0]}")'
        return ""
    return ""


def _same_sentence(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the rest of the sentences that a place is in, before and after it."""
    around = [(a, b) for a, b in sentences(text) if a < end and start < b]
    before, after = text[around[0][0] : start], text[end : around[-1][1]]
    return _APART.split(before)[-1], _APART.split(after)[0]


def _counted(statement: str, quoted: Said) -> frozenset[str]:
    """Return the small numbers in words, where the quote has no number that they could change."""
    digits = frozenset(re.findall(r"\d+", statement))
    return frozenset() if quoted.numbers else _COUNTS - digits


def _source_text(window: Window) -> str:
    passage = window.passage
    return f"{passage.source(*(window.lead or (0, 0)))}\n{passage.source(window.start, window.end)}"


def _has(text: Written, wanted: Written) -> bool:
    return not wanted.tokens or text.find(wanted) is not None
