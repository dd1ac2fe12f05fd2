"""The pairs that the verifier learns from: hand-written statements beside quotes, and public sets.

A hand-written line is `{id, corpus, heading, quote, question, true: [...], false: [{text, kind}]}`.
A public line is `{premise, hypothesis, label, source}`, with the page's `title` if it counts.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

SUPPORTS, CONTRADICTS, NEUTRAL, UNSUPPORTED = range(4)
"""`UNSUPPORTED` is one of the two in the middle: which one, the source does not say."""

LABELS = {
    "supports": SUPPORTS,
    "contradicts": CONTRADICTS,
    "neutral": NEUTRAL,
    "not_supports": UNSUPPORTED,
}
KINDS = {
    "negation": CONTRADICTS,
    "antonym": CONTRADICTS,
    "yesno": CONTRADICTS,
    "near": NEUTRAL,
    "extra": NEUTRAL,
}
"""Other kinds of false statements may contradict their quote or only go beyond it."""

RULES = "doc_perturb"
"""The source of pairs that rules made from documentation."""

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_MARKS = re.compile(
    r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^\s*(?:[-*+>]|\d+\.)\s+", re.MULTILINE
)
_RULE = re.compile(r"^[\s|:+=-]+$")


class Pair(NamedTuple):
    """A statement beside a text that may support it; `kind` is how it is false, or its source."""

    statement: str
    premise: str
    label: int
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A quote of a document with its statements."""

    id: str
    corpus: str
    heading: str
    quote: str
    question: str
    before: str
    after: str
    statements: tuple[tuple[str, int, str], ...]


def read_quotes(path: Path) -> list[Quote]:
    """Read hand-written lines, packed or not."""
    return [_quote(line) for line in _lines(path)]


def read_public(path: Path) -> list[Pair]:
    """Read public pairs; FEVER's pronouns need the title of the page."""
    found = []
    for line in _lines(path):
        title = line.get("title")
        premise = f"{title}: {line['premise']}" if title else line["premise"]
        found.append(Pair(line["hypothesis"], premise, LABELS[line["label"]], line["source"]))
    return found


def formed(quote: Quote, draw: Random) -> list[Pair]:
    """Return the pairs of a quote in one of the forms in which the product shows them."""
    cleaned = draw.random() < 0.75
    premise = plain(quote.quote) if cleaned else quote.quote
    if quote.heading and draw.random() < 0.8:
        premise = f"{plain(quote.heading)}: {premise}"
    pairs = []
    for text, label, kind in quote.statements:
        statement = plain(text) if cleaned and draw.random() < 0.5 else text
        terse = len(text.split()) < 6
        if quote.question and draw.random() < (0.8 if terse else 0.3):
            statement = f"{quote.question} {statement}"
        pairs.append(Pair(statement, premise, label, kind))
    return pairs


def evaluated(quote: Quote) -> list[Pair]:
    """Return the pairs of a quote in the form in which the product shows them."""
    premise = plain(quote.quote)
    premise = f"{plain(quote.heading)}: {premise}" if quote.heading else premise
    return [
        Pair(as_asked(text, quote.question), premise, label, kind)
        for text, label, kind in quote.statements
    ]


def as_asked(statement: str, question: str) -> str:
    """Return a terse statement, or a Yes or No, after the question that it answers."""
    terse = len(statement.split()) < 6 or re.match(r"(?:yes|no)\b", statement, re.IGNORECASE)
    return f"{question} {statement}" if question and terse else statement


def itself(quote: Quote, draw: Random) -> Pair:
    """Return a quote beside itself."""
    text = plain(quote.quote)
    return Pair(text, f"{plain(quote.heading)}: {text}" if draw.random() < 0.5 else text, SUPPORTS)


def foreign(quote: Quote, other: Quote, draw: Random) -> Pair:
    """Return a true statement beside the quote of another place."""
    true = [text for text, label, _ in quote.statements if label == SUPPORTS]
    return Pair(draw.choice(true), f"{plain(other.heading)}: {plain(other.quote)}", NEUTRAL)


def neighbour(quote: Quote, draw: Random) -> Pair | None:
    """Return a true statement beside the text around its quote."""
    around = plain(draw.choice([quote.before, quote.after]))
    true = [text for text, label, _ in quote.statements if label == SUPPORTS]
    if len(around.split()) < 6:
        return None
    return Pair(draw.choice(true), f"{plain(quote.heading)}: {around}", NEUTRAL)


def plain(text: str) -> str:
    """Return a text without its links, emphasis and list marks; a table row as header: cell."""
    lines = [line for line in text.split("\n") if not (_RULE.match(line) and "-" in line)]
    if len(lines) == 2 and all(line.count("|") > 1 for line in lines):
        text = _row(*(_cells(line) for line in lines))
    text = _MARKS.sub("", _LINK.sub(r"\1", text))
    return " ".join(text.split())


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _row(header: Sequence[str], cells: Sequence[str]) -> str:
    pairs = zip(header, cells, strict=False)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _quote(line: dict[str, Any]) -> Quote:
    true = [(text, SUPPORTS, "") for text in line["true"]]
    false = [
        (one["text"], KINDS.get(one["kind"], UNSUPPORTED), one["kind"]) for one in line["false"]
    ]
    return Quote(
        id=line["id"],
        corpus=line["corpus"],
        heading=line["heading"] or "",
        quote=line["quote"],
        question=line.get("question") or "",
        before=line.get("before") or "",
        after=line.get("after") or "",
        statements=(*true, *false),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    yield from (json.loads(line) for line in text.split("\n") if line.strip())
