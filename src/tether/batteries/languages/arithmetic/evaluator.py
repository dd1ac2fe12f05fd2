"""The evaluator of expression trees, within a budget; errors name the part that has no value."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from typing import TYPE_CHECKING

from tether.batteries.languages.arithmetic.functions import CONSTANTS, FUNCTIONS
from tether.batteries.languages.arithmetic.numbers import (
    Number,
    add,
    bits_of,
    divide,
    floor_divide,
    multiply,
    power,
    remainder,
    subtract,
    whole,
    working_precision,
)
from tether.batteries.languages.arithmetic.tree import (
    Call,
    Chain,
    Digits,
    Name,
    Negative,
    Node,
    Power,
    Series,
    check_size,
    plain_text,
)
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TERMS = 10_000
MOST_WORK = 500_000
"""In microseconds, as measured once on one machine: a bound on work that needs no clock.

That is ten thousand terms of exact arithmetic with several operations each.
"""

NODE_WORK = 2
OPERATION_WORK = {"//": 6, "%": 12}
USUAL_WORK = 3
WHOLE_POWER_WORK = 5
POWER_WORK = 250
OPERATIONS = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "//": floor_divide,
    "%": remainder,
}


def evaluate_tree(tree: Node) -> Number:
    """Return the value of an expression.

    Raises `InputRefused`, naming the part that has no value, and `LimitExceeded`.
    """
    check_size(tree)
    with working_precision():
        return _Evaluator().value(tree)


class _Evaluator:
    """Evaluates one tree; keeps the indices of the series it is in, and counts its work."""

    __slots__ = ("_indices", "_work")

    def __init__(self) -> None:
        self._indices: dict[str, int] = {}
        self._work = 0

    def value(self, node: Node) -> Number:
        self._count(NODE_WORK)
        match node:
            case Digits():
                result: Number = node.value
            case Name():
                index = self._indices.get(node.name)
                result = CONSTANTS[node.name] if index is None else Fraction(index)
            case Negative():
                result = -self.value(node.operand)
            case Power():
                result = self._raised(node)
            case Chain():
                result = self._chained(node)
            case Call():
                arguments = [self.value(argument) for argument in node.arguments]
                function = FUNCTIONS[node.function]
                self._count(function.work)
                result = self._applied(node, function.apply, *arguments, bits_in_a_step=10)
            case _:
                result = self._summed(node)
        return result

    def _raised(self, node: Power) -> Number:
        base, exponent = self.value(node.base), self.value(node.exponent)
        is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1
        self._count(WHOLE_POWER_WORK if is_whole else POWER_WORK)
        return self._applied(node, power, base, exponent, bits_in_a_step=50)

    def _chained(self, node: Chain) -> Number:
        total = self.value(node.first)
        for operator, operand in node.rest:
            self._count(OPERATION_WORK.get(operator, USUAL_WORK))
            total = self._joined(node, OPERATIONS[operator], total, self.value(operand))
        return total

    def _summed(self, node: Series) -> Number:
        start, end = self._bound(node.start), self._bound(node.end)
        if end - start >= MOST_TERMS:
            raise LimitExceeded(f"{self._part(node)} has more than {MOST_TERMS:,} terms")
        is_sum = node.kind == "sum"
        total: Number = Fraction(0 if is_sum else 1)
        outer = self._indices
        for index in range(start, end + 1):
            before = self._work
            self._count(USUAL_WORK)
            self._indices = {**outer, node.index: index}
            total = self._joined(node, add if is_sum else multiply, total, self.value(node.body))
            if index == start + 1:
                self._foresee(node, self._work - before, end - index)
        self._indices = outer
        return total

    def _foresee(self, node: Series, work: int, terms: int) -> None:
        """Refuse a series whose terms, at so much work each, would exceed the budget.

        Checked after the second term: the first is often an exact 0 or 1, which takes no work.
        """
        affordable = (MOST_WORK - self._work) // work
        if terms > affordable:
            raise LimitExceeded(
                f"{in_short(plain_text(node))} takes too long: about {affordable + 2:,} such terms "
                "can be computed"
            )

    def _bound(self, limit: Node) -> int:
        return int(self._tried(limit, _limit_of_series, self.value(limit)))

    def _joined(
        self, node: Node, operation: Callable[[Number, Number], Number], one: Number, other: Number
    ) -> Number:
        """Add, multiply and so on: fast, unless both numbers are long or one has to be rounded."""
        lengths = bits_of(one), bits_of(other)
        self._count(max(lengths) // 50 if 0 in lengths else math.prod(lengths) // 400_000)
        return self._tried(node, operation, one, other)

    def _applied(
        self, node: Node, function: Callable[..., Number], *numbers: Number, bits_in_a_step: int
    ) -> Number:
        """Apply a function, which is slower with long numbers."""
        self._count(sum(USUAL_WORK + bits_of(number) // 5 for number in numbers))
        result = self._tried(node, function, *numbers)
        self._count(bits_of(result) // bits_in_a_step)
        return result

    def _tried(self, node: Node, operation: Callable[..., Number], *numbers: Number) -> Number:
        """Run an operation; the one place where errors of arithmetic become refusals."""
        try:
            return operation(*numbers)
        except ZeroDivisionError:
            raise InputRefused(f"division by zero in {self._part(node)}") from None
        except ValueError as error:
            raise InputRefused(f"{error}: {self._part(node)}") from None
        except OverflowError as error:
            raise LimitExceeded(f"{error}: {self._part(node)}") from None
        except decimal.Overflow:
            raise LimitExceeded(f"the result is beyond 1e3010: {self._part(node)}") from None
        except (decimal.Underflow, decimal.Subnormal):
            raise LimitExceeded(f"the result is within 1e-3010 of 0: {self._part(node)}") from None

    def _count(self, work: int) -> None:
        self._work += work
        if self._work > MOST_WORK:
            raise LimitExceeded(
                "the expression takes too long: give it fewer terms, or numbers of fewer digits"
            )

    def _part(self, node: Node) -> str:
        where = ", ".join(f"{name} = {in_short(at)}" for name, at in self._indices.items())
        return in_short(plain_text(node)) + (f" where {where}" if where else "")


def _limit_of_series(number: Number) -> Number:
    return Fraction(whole(number, "a limit of a sum or product"))
