"""Arithmetic as it is typed: numbers, + - * / // % ^ !, parentheses, functions and constants.

    expression  operand, then operators and operands: + and - bind least, then * / // and %, then
                the sign, then ^ (or **), which is evaluated from right to left: -2^2 is -4
    operand     number, constant, function(expression, …) or (expression); after it, at most one of
                ! (factorial), ° (degrees), ² and ³; before it, √

A number is digits with a decimal point and an exponent, as in 1.5e-3, and nothing else: 1,5 and
1_000 and 1 000 and 0x10 are refused, because some readers would take each for another number. For
the same reason * is never left out, log needs its base, and % is the remainder and not per cent,
so it is refused before a sign or a parenthesis that stands apart.
Besides ASCII these are read, and no other character: the signs for times (also the raised dot),
division and minus, π √ ° ² ³, and no-break spaces.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.languages.arithmetic.evaluator import evaluate_tree
from tether.batteries.languages.arithmetic.functions import CONSTANTS, FUNCTIONS
from tether.batteries.languages.arithmetic.numbers import Answer, answer_of
from tether.batteries.languages.arithmetic.tree import (
    DEEPEST,
    LEVELS,
    NEGATIVE,
    POWER,
    Call,
    Chain,
    Name,
    Negative,
    Node,
    Power,
    digits_node,
)
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST_EXPRESSION = 2_000
LONGEST_NAME = 20

_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*|π)"
    r"|(?P<symbol>\*\*|//|[-+*/%^!(),\u00d7\u00b7\u00f7\u2212√°²³])"
    r"|(?P<space>[ \t\r\n\u00a0\u202f]+)"
)
_SAME = {"\u00d7": "*", "\u00b7": "*", "\u00f7": "/", "\u2212": "-", "π": "pi", "**": "^"}
_SUPERSCRIPTS = {"²": "2", "³": "3"}
_POSTFIX_CALLS = {"!": "factorial", "°": "rad"}
_COMMA = "a comma only separates the arguments of a function: write 1.5 and 1500, not 1,5 or 1,500"
_MISSING = "an operator is missing here: write * for a product, and digits without separators"
_NOTHING = "a number, a name or a parenthesis is missing here"
_PER_CENT = "% is the remainder of a division: for per cent, divide by 100"
_OR_PER_CENT = "this % can be a remainder or per cent: write mod(a, b), or a / 100"
_UNOPENED = "this parenthesis closes nothing"


def evaluate(text: str) -> Answer:
    """Evaluate an expression.

    Raises `InputRefused`, naming the part that cannot be read or has no value, and `LimitExceeded`.
    """
    return answer_of(evaluate_tree(parse(text)))


def parse(text: str) -> Node:
    """Read an expression; raise `InputRefused` or `LimitExceeded`."""
    if len(text) > LONGEST_EXPRESSION:
        raise LimitExceeded(
            f"the expression has {len(text):,} characters; "
            f"at most {LONGEST_EXPRESSION:,} are allowed"
        )
    return _Parser(text).whole()


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise InputRefused(f"{in_short(text[position])} is not part of an expression")
        if match.lastgroup and match.lastgroup != "space":
            found = match.group()
            yield _Token(match.lastgroup, _SAME.get(found, found), position)
        position = match.end()
    yield _Token("end", "", position)


class _Parser:
    """Parses one expression by operator precedence; `DEEPEST` bounds its recursion."""

    __slots__ = ("_depth", "_next", "_text", "_tokens")

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._depth = 0

    def whole(self) -> Node:
        """Read all of it."""
        tree = self._expression(0)
        if self._next.kind != "end":
            message = {",": _COMMA, ")": _UNOPENED}.get(self._next.text, _MISSING)
            raise self._refusal(message, self._next)
        return tree

    def _expression(self, floor: int) -> Node:
        """Read operators that bind more closely than `floor`, and their operands."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise LimitExceeded(f"the expression is nested more than {DEEPEST} deep")
        left = self._operand()
        while (level := self._level()) > floor:
            left = self._power(left) if level == POWER else self._chain(left, level)
        self._depth -= 1
        return left

    def _level(self) -> int:
        return LEVELS.get(self._next.text, 0)

    def _power(self, base: Node) -> Node:
        self._take()
        return Power(base, self._expression(POWER - 1))

    def _chain(self, first: Node, level: int) -> Node:
        rest: list[tuple[str, Node]] = []
        while self._level() == level:
            operator = self._take()
            if operator.text == "%":
                self._refuse_per_cent(operator)
            rest.append((operator.text, self._expression(level)))
        return Chain(first, tuple(rest))

    def _refuse_per_cent(self, sign: _Token) -> None:
        """Refuse 50% + 1 and 50% (20), which may mean per cent."""
        is_apart = self._next.position > sign.position + 1
        if self._next.text in ("+", "-") or (self._next.text == "(" and is_apart):
            raise self._refusal(_OR_PER_CENT, sign)

    def _operand(self) -> Node:
        if self._next.text in ("-", "+"):
            sign = self._take().text
            operand = self._expression(NEGATIVE)
            return Negative(operand) if sign == "-" else operand
        return self._with_postfix(self._atom())

    def _with_postfix(self, node: Node) -> Node:
        symbol = self._next.text
        if symbol in _POSTFIX_CALLS:
            node = Call(_POSTFIX_CALLS[symbol], (node,))
        elif symbol in _SUPERSCRIPTS:
            node = Power(node, digits_node(_SUPERSCRIPTS[symbol]))
        else:
            return node
        self._take()
        if self._next.text in _POSTFIX_CALLS or self._next.text in _SUPERSCRIPTS:
            message = "put the operand of this sign in parentheses"
            raise self._refusal(message, self._next)
        return node

    def _atom(self) -> Node:
        token = self._take()
        if token.kind == "number":
            return digits_node(token.text)
        if token.kind == "name":
            return self._named(token)
        if token.text == "(":
            inner = self._expression(0)
            self._close()
            return inner
        if token.text == "√":
            return Call("sqrt", (self._expression(POWER),))
        after_per_cent = self._text[: token.position].rstrip().endswith("%")
        raise self._refusal(_PER_CENT if after_per_cent else _NOTHING, token)

    def _named(self, token: _Token) -> Node:
        name = token.text
        if self._next.text == "(":
            return self._call(token)
        if name in CONSTANTS:
            return Name(name)
        if name in FUNCTIONS:
            raise InputRefused(f"the function {name} needs its argument in parentheses: {name}(…)")
        raise InputRefused(f"{in_short(name)} is not a constant: {_suggestion(name, CONSTANTS)}")

    def _call(self, token: _Token) -> Node:
        name = token.text
        if name in CONSTANTS:
            raise self._refusal(_MISSING, self._next)
        if name not in FUNCTIONS:
            hint = _suggestion(name, FUNCTIONS)
            raise InputRefused(f"{in_short(name)} is not a function of the calculator: {hint}")
        return checked_call(name, self._arguments())

    def _arguments(self) -> tuple[Node, ...]:
        self._take()
        if self._next.text == ")":
            self._take()
            return ()
        arguments = [self._expression(0)]
        while self._next.text == ",":
            self._take()
            arguments.append(self._expression(0))
        self._close()
        return tuple(arguments)

    def _close(self) -> None:
        if self._next.text == ",":
            raise self._refusal(_COMMA, self._next)
        if self._next.text != ")":
            message = "a closing parenthesis is missing" if self._next.kind == "end" else _MISSING
            raise self._refusal(message, self._next)
        self._take()

    def _take(self) -> _Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _refusal(self, message: str, token: _Token) -> InputRefused:
        before, after = self._text[: token.position], self._text[token.position :]
        return InputRefused(
            f"{message}: after {in_short(before[-30:])}, before {in_short(after[:30])}"
        )


def checked_call(name: str, arguments: tuple[Node, ...]) -> Call:
    """Return a call of a known function; raise `InputRefused` for a wrong number of arguments."""
    least, most = FUNCTIONS[name].least, FUNCTIONS[name].most
    if not least <= len(arguments) <= (most or len(arguments)):
        number = (
            f"{least} or more" if most is None else " or ".join(map(str, sorted({least, most})))
        )
        raise InputRefused(f"{name} takes {number} argument(s), not {len(arguments)}")
    return Call(name, arguments)


def _suggestion(name: str, known: Iterable[str]) -> str:
    """Suggest similar names, or list all names where none is similar."""
    alike = difflib.get_close_matches(name[:LONGEST_NAME].lower(), known, n=3)
    return (
        f"did you mean {' or '.join(alike)}?" if alike else f"there are {', '.join(sorted(known))}"
    )
