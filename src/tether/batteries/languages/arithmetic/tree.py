"""The tree of a parsed expression: its nodes, its size and its text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from tether.batteries.languages.arithmetic.numbers import LARGEST_EXPONENT
from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_NODES = 500
DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Digits:
    """A number as it was written: digits, perhaps with a point and an exponent."""

    text: str
    value: Fraction


@dataclass(frozen=True, slots=True)
class Name:
    """A constant, or the index of a series."""

    name: str


@dataclass(frozen=True, slots=True)
class Negative:
    """A minus sign before something."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Power:
    """A base and its exponent."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Chain:
    """Additions and subtractions, or multiplications and divisions, from left to right.

    One node and not many, so that a long sum is not a deep tree.
    """

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the calculator and its arguments."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """A sum or a product over the whole numbers from `start` to `end`."""

    kind: Literal["sum", "product"]
    index: str
    start: Node
    end: Node
    body: Node


Node = Digits | Name | Negative | Power | Chain | Call | Series

SUM, PRODUCT, NEGATIVE, POWER, ATOM = range(1, 6)
LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT, "^": POWER}
"""How closely an operator binds."""


def digits_node(text: str) -> Digits:
    """Return the node for ASCII digits, which may have a point and an exponent.

    Raises `LimitExceeded` before it computes a number that is too large.
    """
    mantissa, _, exponent = text.lower().partition("e")
    sign, size = exponent[:1], exponent.lstrip("+-").lstrip("0")
    if len(size) > 4 or len(mantissa) + int(size or "0") > LARGEST_EXPONENT:
        direction = "close to zero" if sign == "-" else "large"
        raise LimitExceeded(f"the number {text[:40]} is too {direction}: 1e3000 is near the limit")
    return Digits(text, Fraction(Decimal(text)))


def check_size(tree: Node) -> None:
    """Raise `LimitExceeded` for a tree that is too large or too deep to evaluate."""
    level, count = [tree], 0
    for _ in range(DEEPEST):
        count += len(level)
        if count > MOST_NODES:
            raise LimitExceeded(
                f"the expression has more than {MOST_NODES} parts: evaluate it in several steps"
            )
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise LimitExceeded(f"the expression is nested more than {DEEPEST} deep")


def children(node: Node) -> Iterator[Node]:
    """Yield the parts of a node, from left to right."""
    match node:
        case Digits() | Name():
            pass
        case Negative():
            yield node.operand
        case Power():
            yield from (node.base, node.exponent)
        case Chain():
            yield node.first
            yield from (operand for _, operand in node.rest)
        case Call():
            yield from node.arguments
        case _:
            yield from (node.start, node.end, node.body)


def plain_text(node: Node, level: int = SUM) -> str:
    """Return the expression in the calculator's own notation.

    Parsing it gives the same tree, unless it contains a series, which that notation lacks.
    """
    text = _text(node)
    return text if _level(node) >= level else f"({text})"


def _level(node: Node) -> int:
    match node:
        case Negative():
            return NEGATIVE
        case Power():
            return POWER
        case Chain():
            return LEVELS[node.rest[0][0]]
        case _:
            return ATOM


def _text(node: Node) -> str:
    match node:
        case Digits():
            text = node.text
        case Name():
            text = node.name
        case Negative():
            text = f"-{plain_text(node.operand, NEGATIVE)}"
        case Power():
            text = f"{plain_text(node.base, ATOM)}^{plain_text(node.exponent, NEGATIVE)}"
        case Chain():
            above = _level(node) + 1
            rest = (_joined_text(operator, part, above) for operator, part in node.rest)
            text = plain_text(node.first, above) + "".join(rest)
        case Call():
            text = f"{node.function}({', '.join(plain_text(part) for part in node.arguments)})"
        case _:
            span = f"{node.index} = {plain_text(node.start)} to {plain_text(node.end)}"
            text = f"{node.kind}({plain_text(node.body)}, {span})"
    return text


def _joined_text(operator: str, part: Node, level: int) -> str:
    if operator != "%":
        return f" {operator} {plain_text(part, level)}"
    text = plain_text(part, POWER)
    return f" %{text}" if text.startswith("(") else f" % {text}"  # else it could be per cent
