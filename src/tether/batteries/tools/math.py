"""Mathematics: arithmetic expressions and formulas in LaTeX."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tether.batteries.languages.arithmetic.expression import LONGEST_EXPRESSION, evaluate
from tether.batteries.languages.arithmetic.latex import FormulaAnswer, evaluate_formula
from tether.batteries.languages.arithmetic.numbers import Answer
from tether.batteries.tools.ready_made import ready_made

Expression = Annotated[str, Field(min_length=1, max_length=LONGEST_EXPRESSION)]


@ready_made(example={"expression": "2 * (3 + 4) / 5"})
def calculate(expression: Expression) -> Answer:
    """Evaluate an arithmetic expression exactly: use it for every calculation, however simple.

    Operators: + - * / // (division rounded down) % (remainder, not per cent: write / 100 for that)
    ^ or ** (power) ! (factorial), with parentheses. Functions: abs sign sqrt cbrt root(x, n) pow
    exp ln log2 log10 log(x, base) sin cos tan cot sec csc asin acos atan atan2(y, x) sinh cosh tanh
    asinh acosh atanh deg rad floor ceil trunc round(x, places) min max sum mean median gcd lcm
    factorial perm(n, k) comb(n, k) hypot mod(x, y) clamp(x, lowest, highest). Constants: pi e tau
    phi. Angles are in radians, so write sin(rad(30)) or sin(30°) for degrees. Write * in every
    product, a point in decimals, and no thousands separators.

    Fractions are kept exact, so 0.1 + 0.2 is 0.3. Returns the result as text, whether it is exact
    or rounded to 15 significant digits, and the fraction, where its decimals do not end.

    Args:
        expression: The expression, for instance 2 * (3 + 4) / 5 or sqrt(2) * sin(30°).
    """
    return evaluate(expression)


@ready_made(example={"expression": r"\frac{1}{2} + \sum_{k=1}^{3} k^2"})
def evaluate_latex(expression: Expression) -> FormulaAnswer:
    r"""Evaluate a formula in LaTeX or KaTeX that has no variables.

    Supports fractions, roots, powers, \cdot \times \div \bmod, factorials, \%, ^\circ, |x|, \lfloor
    and \lceil, \binom, \max \min \gcd, \ln \log_{b} \exp, circular functions and their inverses,
    \sum_{k=1}^{n} and \prod, \pi, e, and products without a sign, as in 2\pi. A series may have
    10,000 terms of a few exact operations or a square root each, 3,000 with \ln or a circular
    function, 1,500 with another logarithm or root, or a power that is not whole. Replace
    variables by their values first. An ambiguous formula is refused, with the unambiguous ways to
    write it.

    Returns the result as text, whether it is exact or rounded to 15 significant digits, the
    fraction, where its decimals do not end, and the expression as it was understood.

    Args:
        expression: The formula, with or without dollar signs, for instance \frac{1}{2}\sqrt{2}.
    """
    return evaluate_formula(expression)
