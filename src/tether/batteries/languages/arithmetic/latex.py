r"""Formulas in LaTeX that have a numeric value.

They are parsed into the calculator's own tree and evaluated there. A product may be written without
a sign, as in 2\pi, 3(4) and \frac{1}{2}\sqrt{2}. A formula that two readers could take for two
different numbers is refused, with the unambiguous ways to write it: 3\frac{1}{2} (a sum or a
product), 1/2\pi, \sin(x)^2, 2^10 (which LaTeX sets as 2^{1}0), \log without a base, and braces,
which do not show, around a sum. Letters have no value, except e and the index of a sum.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Literal

from tether.batteries.languages.arithmetic.evaluator import evaluate_tree
from tether.batteries.languages.arithmetic.expression import LONGEST_EXPRESSION, checked_call
from tether.batteries.languages.arithmetic.functions import FUNCTIONS
from tether.batteries.languages.arithmetic.latex_words import (
    BRACKETS,
    FACTOR_STARTS,
    FENCES,
    FUNCTION_COMMANDS,
    FUNCTION_STARTS,
    INVERSES,
    POSTFIX,
    SERIES,
    Word,
    WordReader,
    plain_name,
    without_delimiters,
)
from tether.batteries.languages.arithmetic.numbers import Answer, answer_of
from tether.batteries.languages.arithmetic.tree import (
    Call,
    Chain,
    Digits,
    Name,
    Negative,
    Node,
    Power,
    Series,
    digits_node,
    plain_text,
)
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

MOST_NESTED = 48
MINUS_ONE = Negative(digits_node("1"))
NO_LIMITS = r"a sum or product has an index and two limits, as in \sum_{k=1}^{10}"
NO_ARGUMENT = "put the whole argument of the function in parentheses"


class FormulaAnswer(Answer):
    """A value, and the formula as it was read."""

    expression: str
    """The formula in the calculator's notation, so that a misreading can be noticed."""


def evaluate_formula(text: str) -> FormulaAnswer:
    """Evaluate a formula.

    Raises `InputRefused`, naming the part that cannot be read or has no value, and `LimitExceeded`.
    """
    tree = parse_formula(text)
    return FormulaAnswer(**answer_of(evaluate_tree(tree)), expression=plain_text(tree))


def parse_formula(text: str) -> Node:
    """Read a formula; raise `InputRefused` or `LimitExceeded`."""
    if len(text) > LONGEST_EXPRESSION:
        raise LimitExceeded(
            f"the formula has {len(text):,} characters; at most {LONGEST_EXPRESSION:,} are allowed"
        )
    return _Formula(without_delimiters(text)).whole()


class _Formula(WordReader):
    """Parses one formula; `MOST_NESTED` bounds its recursion, which always goes by `_factor`."""

    __slots__ = ("_bar_is_open", "_depth", "_indices")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._bar_is_open = False
        self._indices: tuple[str, ...] = ()

    def whole(self) -> Node:
        """Read all of it."""
        tree = self._sum()
        if self.next.kind != "end":
            raise self.unexpected(self.next)
        return tree

    # Sums and products

    def _sum(self) -> Node:
        first, rest = self._product(), list[tuple[str, Node]]()
        while self.sees("+", "-"):
            rest.append((self.take().text, self._product()))
        return Chain(first, tuple(rest)) if rest else first

    def _product(self) -> Node:
        first, rest = self._signed(), list[tuple[str, Node]]()
        while True:
            if self.sees("*", "/", "%"):
                rest.append((self.take().text, self._signed()))
            elif self._starts_factor():
                rest.append(("*", self._beside(first, rest)))
            else:
                return Chain(first, tuple(rest)) if rest else first

    def _signed(self) -> Node:
        negative = self._sign()
        factor = self._factor()
        return Negative(factor) if negative else factor

    def _sign(self) -> bool:
        negative = False
        while self.sees("+", "-"):
            negative ^= self.take().text == "-"
        return negative

    def _beside(self, first: Node, rest: list[tuple[str, Node]]) -> Node:
        """Read a factor without a sign before it, where that can only mean a product."""
        operator, left = rest[-1] if rest else ("*", first)
        if operator != "*":
            raise self.refusal(r"show what is divided by what, with \frac{…}{…} or parentheses")
        if self.next.kind == "number" or self.sees("{"):
            raise self.refusal(r"write \cdot or parentheses here, and numbers without separators")
        start = self.next
        right = self._factor()
        if start.text == r"\frac" and _is_mixed_number(left, right):
            raise self.refusal(r"write + or \cdot between the number and the fraction", start)
        return right

    def _starts_factor(self) -> bool:
        kind, text, _ = self.next
        if text == "|":
            return not self._bar_is_open
        return kind in ("number", "letter") or text in BRACKETS or text in FACTOR_STARTS

    # Factors

    def _factor(self) -> Node:
        """Read an operand with its postfix sign and exponent."""
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise LimitExceeded(f"the formula is nested more than {MOST_NESTED} deep")
        node = self._with_postfix(self._operand())
        if self.skips("^"):
            node = self._raised(node)
            if self.sees("^", *POSTFIX):
                raise self.refusal(
                    "put the power in parentheses, to show what this sign belongs to"
                )
        if self.sees("_"):
            raise self.refusal(r"only \log, \sum and \prod have a subscript here")
        self._depth -= 1
        return node

    def _with_postfix(self, node: Node) -> Node:
        if not self.sees(*POSTFIX):
            return node
        sign = self.take().text
        if self.sees(*POSTFIX):
            raise self.refusal("put the operand of this sign in parentheses")
        if sign == r"\%":
            return Chain(node, (("/", digits_node("100")),))
        return Call("factorial" if sign == "!" else "rad", (node,))

    def _raised(self, base: Node) -> Node:
        """Read a superscript: an exponent, or the sign for degrees."""
        in_braces = self.skips("{")
        if self.skips(r"\circ"):
            if in_braces:
                self.expect("}")
            return Call("rad", (base,))
        return Power(base, self._inside("}") if in_braces else self._script())

    def _script(self) -> Node:
        """Read the argument of ^ or _: in braces, or one digit or letter."""
        if self.next.kind == "number" and len(self.next.text) > 1:
            raise self.refusal(f"LaTeX takes one digit here: write {{{self.next.text}}}")
        return self._argument()

    def _argument(self) -> Node:
        """Read the argument of a command: in braces, or one digit or letter."""
        if self.skips("{"):
            return self._inside("}")
        if self.next.kind == "number" and self.next.text[0] != ".":
            return digits_node(self.take_digit())
        if self.next.kind == "letter" or self.sees(r"\pi"):
            return self._operand()
        raise self.refusal("put the argument in braces: {…}")

    # Operands

    def _operand(self) -> Node:
        word = self.take()
        if word.kind == "number":
            return digits_node(word.text)
        if word.kind == "letter":
            return self._letter(word)
        if word.text in BRACKETS:
            return self._inside(BRACKETS[word.text])
        if word.text in FENCES:
            closing, function = FENCES[word.text]
            return Call(function, (self._inside(closing),))
        return self._commanded(word)

    def _commanded(self, word: Word) -> Node:
        match word.text:
            case r"\pi":
                node: Node = Name("pi")
            case r"\frac":
                node = Chain(self._argument(), (("/", self._argument()),))
            case r"\binom":
                node = Call("comb", (self._argument(), self._argument()))
            case r"\sqrt":
                node = self._root()
            case r"\sum" | r"\prod":
                node = self._series(SERIES[word.text])
            case "{":
                node = self._braced()
            case r"\operatorname":
                node = self._operator()
            case text if text in FUNCTION_COMMANDS:
                node = self._function(plain_name(text[1:]))
            case _:
                raise self.unexpected(word)
        return node

    def _letter(self, word: Word) -> Node:
        if word.text in self._indices or word.text == "e":
            return Name(word.text)
        letters = "".join(takewhile(str.isalpha, self.text[word.position :]))
        if plain_name(letters) in FUNCTIONS or letters == "pi":
            raise self.refusal(rf"write \{letters} for the function or the constant", word)
        raise InputRefused(f"the variable {word.text} has no value: put its value in its place")

    def _braced(self) -> Node:
        """Read a single factor in braces; around a sum they would change the value, unseen."""
        node = self._signed()
        if not self.skips("}"):
            raise self.refusal("braces do not show: use parentheses")
        if isinstance(node, Negative) and self.sees("^", *POSTFIX):
            raise self.refusal("braces do not show: put the sign in parentheses")
        return node

    def _inside(self, closing: str) -> Node:
        return self._listed(closing, several=False)[0]

    def _listed(self, closing: str, *, several: bool) -> tuple[Node, ...]:
        """Read up to a closing bracket or bar, with commas between `several`."""
        outer, self._bar_is_open = self._bar_is_open, closing == "|"
        nodes = [self._sum()]
        while several and self.skips(","):
            nodes.append(self._sum())
        self.expect(closing)
        self._bar_is_open = outer
        return tuple(nodes)

    def _root(self) -> Node:
        if not self.skips("["):
            return Call("sqrt", (self._argument(),))
        degree = self._inside("]")
        return Call("root", (self._argument(), degree))

    # Sums over an index

    def _series(self, kind: Literal["sum", "product"]) -> Node:
        end = self._script() if self.skips("^") else None
        index, start = self._index()
        if end is None:
            if not self.skips("^"):
                raise self.refusal(NO_LIMITS)
            end = self._script()
        outer = self._indices
        self._indices = (*outer, index)
        body = self._product()
        self._indices = outer
        return Series(kind, index, start, end, body)

    def _index(self) -> tuple[str, Node]:
        if self.skips("_") and self.skips("{") and self.next.kind == "letter":
            letter = self.take().text
            if self.skips("="):
                return letter, self._inside("}")
        raise self.refusal(NO_LIMITS)

    # Functions

    def _operator(self) -> Node:
        r"""Read a function or e, whose name \operatorname or \mathrm sets upright."""
        self.expect("{")
        letters = list[str]()
        while self.next.kind == "letter":
            letters.append(self.take().text)
        self.expect("}")
        name = plain_name("".join(letters))
        if name == "e":
            return Name("e")
        if name not in FUNCTIONS:
            raise InputRefused(f"{in_short(name)} is not a function of the calculator")
        return self._function(name)

    def _function(self, name: str) -> Node:
        base = (self._base(),) if name == "log" else ()
        above = self.next
        exponent = self._script() if self.skips("^") else None
        if exponent == MINUS_ONE and name in INVERSES:
            name, exponent = INVERSES[name], None
        elif isinstance(exponent, Negative):
            raise self.refusal("write this power around the function, in parentheses", above)
        call = checked_call(name, (*self._function_arguments(), *base))
        return call if exponent is None else Power(call, exponent)

    def _base(self) -> Node:
        if not self.skips("_"):
            raise self.refusal(r"\log needs its base: write \ln, \log_{10} or \log_{2}")
        return self._script()

    def _function_arguments(self) -> tuple[Node, ...]:
        if self.next.text in BRACKETS:
            arguments = self._listed(BRACKETS[self.take().text], several=True)
        elif self.skips("{"):
            arguments = (self._argument_in_braces(),)
        else:
            arguments = (self._bare_argument(),)
        if self.sees("^"):
            raise self.refusal(r"write a power of a function as \sin^{2}(x) or (\sin(x))^{2}")
        return arguments

    def _argument_in_braces(self) -> Node:
        """Read as much as would be the argument without the braces, which do not show."""
        negative = self._sign()
        argument = self._bare_argument()
        closed = self.skips("}")
        if not closed or (self._starts_factor() and not self._starts_function()):
            raise self.refusal(NO_ARGUMENT)
        return Negative(argument) if negative else argument

    def _bare_argument(self) -> Node:
        r"""Read an argument that has no parentheses, as in \sin 2\pi."""
        if not self._starts_factor():
            raise self.refusal(NO_ARGUMENT)
        first, rest = self._factor(), list[tuple[str, Node]]()
        while self._starts_factor() and not self._starts_function():
            if self.next.text in BRACKETS:
                raise self.refusal(NO_ARGUMENT)
            rest.append(("*", self._beside(first, rest)))
        if self.sees("*", "/", "%"):
            raise self.refusal(NO_ARGUMENT)
        return Chain(first, tuple(rest)) if rest else first

    def _starts_function(self) -> bool:
        return self.next.text in FUNCTION_STARTS


def _is_mixed_number(left: Node, right: Node) -> bool:
    """Say whether 3 and 1/2 stand side by side, which can mean 3.5 or 1.5."""
    match left, right:
        case Digits(), Chain(first=Digits(), rest=(("/", Digits()),)):
            return "." not in left.text
        case _:
            return False
