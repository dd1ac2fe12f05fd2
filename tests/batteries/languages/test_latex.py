"""Formulas in LaTeX against the values that mathematics gives them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.arithmetic.expression import LONGEST_EXPRESSION
from tether.batteries.languages.arithmetic.latex import MOST_NESTED, evaluate_formula, parse_formula
from tether.core.errors import InputRefused, LimitExceeded

# Each formula, how it has to be read in the calculator's notation, and its value, by hand.
EXACT = [
    (r"2+3\cdot4", "2 + 3 * 4", "14"),
    (r"2 \times 3 \div 4", "2 * 3 / 4", "1.5"),
    (r"2 \ast 3 * 4", "2 * 3 * 4", "24"),
    ("2 \u00d7 3 \u00f7 4 \u2212 1 \u00b7 1", "2 * 3 / 4 - 1 * 1", "0.5"),
    (r"-2^2", "-2^2", "-4"),
    (r"--2", "2", "2"),
    (r"+-2", "-2", "-2"),
    (r"2\cdot-3", "2 * -3", "-6"),
    (r"1-2-3", "1 - 2 - 3", "-4"),
    (r"\frac{1}{2}", "1 / 2", "0.5"),
    (r"\frac12", "1 / 2", "0.5"),
    (r"\frac1{20}", "1 / 20", "0.05"),
    (r"\frac{-3}{4}", "-3 / 4", "-0.75"),
    (r"\frac{1+2}{3\cdot4}", "(1 + 2) / (3 * 4)", "0.25"),
    (r"\frac{\frac{1}{2}}{4}", "(1 / 2) / 4", "0.125"),
    (r"\dfrac{1}{2}+\tfrac{1}{4}-\cfrac{1}{4}", "1 / 2 + 1 / 4 - 1 / 4", "0.5"),
    (r"\sqrt{16}", "sqrt(16)", "4"),
    (r"\sqrt4", "sqrt(4)", "2"),
    (r"\sqrt[3]{27}", "root(27, 3)", "3"),
    (r"\sqrt{16}\sqrt{9}", "sqrt(16) * sqrt(9)", "12"),
    (r"2^{10}", "2^10", "1024"),
    (r"2^3", "2^3", "8"),
    (r"2^{3^2}", "2^3^2", "512"),
    (r"{2^3}^2", "(2^3)^2", "64"),
    (r"2^{-1}", "2^-1", "0.5"),
    (r"{4}^{2}", "4^2", "16"),
    (r"\left(\frac{1}{2}\right)^{2}", "(1 / 2)^2", "0.25"),
    (r"(1+2)(3+4)", "(1 + 2) * (3 + 4)", "21"),
    (r"3(4)", "3 * 4", "12"),
    (r"2[3+\{4\}]", "2 * (3 + 4)", "14"),
    (r"2\lbrack 3\rbrack + \lbrace 4\rbrace", "2 * 3 + 4", "10"),
    (r"2\sqrt{4}(3)", "2 * sqrt(4) * 3", "12"),
    (r"\frac{1}{2}\sqrt{4}", "(1 / 2) * sqrt(4)", "1"),
    (r"2.5\frac{1}{2}", "2.5 * (1 / 2)", "1.25"),
    (r"2\frac{(1)(2)}{3}\cdot3", "2 * ((1 * 2) / 3) * 3", "4"),
    (r"2(3)/4", "2 * 3 / 4", "1.5"),
    (r"|-3|", "abs(-3)", "3"),
    (r"2|3|", "2 * abs(3)", "6"),
    (r"|2||{-3}|", "abs(2) * abs(-3)", "6"),
    (r"|1-|2-3||", "abs(1 - abs(2 - 3))", "0"),
    (r"|(1-|-3|)|", "abs(1 - abs(-3))", "2"),
    (r"|1-\sqrt{|{-4}|}|", "abs(1 - sqrt(abs(-4)))", "1"),
    (r"\left|-3\right|", "abs(-3)", "3"),
    (r"\left|1-\left|-3\right|\right|", "abs(1 - abs(-3))", "2"),
    (r"\left\vert-3\right\vert + \lvert -1\rvert", "abs(-3) + abs(-1)", "4"),
    (r"\lfloor 2.7\rfloor\lceil 2.1\rceil", "floor(2.7) * ceil(2.1)", "6"),
    (r"\left\lfloor -2.7\right\rfloor", "floor(-2.7)", "-3"),
    (r"5!", "factorial(5)", "120"),
    (r"3!^2", "factorial(3)^2", "36"),
    (r"2\cdot3!", "2 * factorial(3)", "12"),
    (r"(2+1)!", "factorial(2 + 1)", "6"),
    (r"50\%\cdot200", "(50 / 100) * 200", "100"),
    (r"\binom{5}{2}", "comb(5, 2)", "10"),
    (r"\dbinom52 + \tbinom{4}{2}", "comb(5, 2) + comb(4, 2)", "16"),
    (r"7\bmod3", "7 % 3", "1"),
    (r"\max(1,2,3)", "max(1, 2, 3)", "3"),
    (r"\min\{4, 2\}", "min(4, 2)", "2"),
    (r"\gcd(12, 18)", "gcd(12, 18)", "6"),
    (r"\operatorname{lcm}(4,6)", "lcm(4, 6)", "12"),
    (r"\mathrm{lcm}(4,6)", "lcm(4, 6)", "12"),
    (r"\operatorname{sgn}(-3)", "sign(-3)", "-1"),
    (r"\log_{2}8", "log(8, 2)", "3"),
    (r"\log_2 8", "log(8, 2)", "3"),
    (r"\log_{10}(1000)", "log(1000, 10)", "3"),
    (r"\log_{2}^{2}(8)", "log(8, 2)^2", "9"),
    (r"\lg 100", "log10(100)", "2"),
    (r"\ln{1}", "ln(1)", "0"),
    (r"\exp(0)", "exp(0)", "1"),
    (r"\cos{-0}", "cos(-0)", "1"),
    (r"\cos 0 \cos 0", "cos(0) * cos(0)", "1"),
    (r"\cos{0}\cos{0}", "cos(0) * cos(0)", "1"),
    (r"\cos(0)(3)", "cos(0) * 3", "3"),
    (r"\sin\cos^{-1} 1", "sin(acos(1))", "0"),
    (r"\ln e^0", "ln(e^0)", "0"),
    (r"\log_{2} 2^3", "log(2^3, 2)", "3"),
    (r"\sum_{i=1}^{100} i", "sum(i, i = 1 to 100)", "5050"),
    (r"\sum_{i=1}^3 2i", "sum(2 * i, i = 1 to 3)", "12"),
    (r"\sum_{i=1}^{3} i + 1", "sum(i, i = 1 to 3) + 1", "7"),
    (r"\sum^{3}_{k=1} k^2", "sum(k^2, k = 1 to 3)", "14"),
    (r"\sum\limits_{k=-1}^{1+1} (k+1)", "sum(k + 1, k = -1 to 1 + 1)", "6"),
    (r"\sum_{k=1}^{0} k", "sum(k, k = 1 to 0)", "0"),
    (r"\prod_{k=1}^{5} k", "product(k, k = 1 to 5)", "120"),
    (r"\prod_{k=1}^{0} k", "product(k, k = 1 to 0)", "1"),
    (r"2\sum_{e=1}^{2} e", "2 * sum(e, e = 1 to 2)", "6"),
    (r"\sum_{i=1}^{3}\sum_{j=1}^{i} ij", "sum(sum(i * j, j = 1 to i), i = 1 to 3)", "25"),
    (r"\sum_{i=1}^{2}\sum_{i=1}^{2} i", "sum(sum(i, i = 1 to 2), i = 1 to 2)", "6"),
    (r"\sum_{k=0}^{4}\binom{4}{k}", "sum(comb(4, k), k = 0 to 4)", "16"),
    (r"1.5\times10^{3}", "1.5 * 10^3", "1500"),
    (r".5 + 1", ".5 + 1", "1.5"),
    (r"$2+2$", "2 + 2", "4"),
    (r"$$2+2$$", "2 + 2", "4"),
    (r" \(2+2\) ", "2 + 2", "4"),
    (r"\[2+2\]", "2 + 2", "4"),
    ("2\\,+\\;2\\:+\\!2\\>+\\ 2\\quad+~2\\qquad", "2 + 2 + 2 + 2 + 2", "10"),
    (r"\displaystyle \bigl(2+\Big(3\Big)\bigr)", "2 + 3", "5"),
]


@pytest.mark.parametrize(("formula", "expression", "result"), EXACT)
def test_a_formula_is_read_as_mathematics_reads_it(
    formula: str, expression: str, result: str
) -> None:
    assert evaluate_formula(formula) == {
        "result": result,
        "exact": True,
        "expression": expression,
    }


# Decimal expansions from the OEIS, to 15 significant digits.
PUBLISHED = [
    (r"\pi", "3.14159265358979"),  # A000796
    ("π", "3.14159265358979"),
    (r"2\pi", "6.28318530717959"),  # A019692
    (r"e^1", "2.71828182845905"),  # A001113
    (r"e^{\pi}", "23.1406926327793"),  # A039661
    (r"e^\pi", "23.1406926327793"),
    (r"\mathrm{e}^{\pi}", "23.1406926327793"),
    (r"\frac{1+\sqrt{5}}{2}", "1.61803398874989"),  # A001622
    (r"\frac\pi2", "1.5707963267949"),  # A019669
    (r"\ln 2", "0.693147180559945"),  # A002162
    (r"\ln(2)", "0.693147180559945"),
    (r"\ln[2]", "0.693147180559945"),
    (r"\sin 1", "0.841470984807897"),  # A049469
    (r"\sin^{2} 1 + \cos^2(1)", "1"),
    (r"\sin 2\pi", "0"),
    (r"\sin\frac{\pi}{6}", "0.5"),
    (r"\sin{\frac{\pi}{6}}", "0.5"),
    (r"\sin 30^\circ", "0.5"),
    (r"\sin(30^{\circ})", "0.5"),
    (r"\sin(30°)", "0.5"),
    (r"\tan 45^\circ", "1"),
    (r"\cot(1)", "0.642092615934331"),  # A073449
    (r"\sec(1)", "1.85081571768093"),  # A073448
    (r"\csc(1)", "1.18839510577812"),  # A073447
    (r"\sin^{-1}(1)", "1.5707963267949"),
    (r"\arcsin 1", "1.5707963267949"),
    (r"\arccos(0)", "1.5707963267949"),
    (r"4\arctan(1)", "3.14159265358979"),
    (r"\tan^{-1}(1)\cdot4", "3.14159265358979"),
    (r"\sinh(1)", "1.1752011936438"),  # A073742
    (r"\cosh(1)", "1.54308063481524"),  # A073743
    (r"\tanh(1)", "0.761594155955765"),  # A073744
    (r"\sinh^{-1}(1)", "0.881373587019543"),  # A091648
    (r"\operatorname{arsinh}(1)", "0.881373587019543"),
    (r"\operatorname{arcosh}(2)", "1.31695789692482"),  # A065918
    (r"\cosh^{-1}(2)", "1.31695789692482"),
    (r"\operatorname{artanh}(0.5)", "0.549306144334055"),  # half of log 3, A002391
    (r"\tanh^{-1}(0.5)", "0.549306144334055"),
    (r"\cos^{-1}(0)", "1.5707963267949"),
    (r"\exp(1)", "2.71828182845905"),
    (r"\sum_{k=0}^{30}\frac{1}{k!}", "2.71828182845905"),
]


@pytest.mark.parametrize(("formula", "result"), PUBLISHED)
def test_irrational_values_are_right_to_fifteen_digits(formula: str, result: str) -> None:
    assert evaluate_formula(formula)["result"] == result


def test_a_fraction_is_shown_beside_its_decimals() -> None:
    assert evaluate_formula(r"\frac{2}{3}") == {
        "result": "0.666666666666667",
        "exact": False,
        "fraction": "2/3",
        "expression": "2 / 3",
    }


# Two readers could take these for two different numbers; the message says how to write it.
AMBIGUOUS = [
    (r"3\frac{1}{2}", r"write + or \cdot"),
    (r"2\cdot3\frac{1}{2}", r"write + or \cdot"),
    (r"1/2\pi", r"\frac{…}{…} or parentheses"),
    (r"6/2(1+2)", r"\frac{…}{…} or parentheses"),
    (r"7\bmod2\pi", r"\frac{…}{…} or parentheses"),
    (r"2^10", "write {10}"),
    (r"2^3.5", "write {3.5}"),
    (r"\log_10 100", "write {10}"),
    (r"2^(3)", "in braces"),
    (r"2^-3", "in braces"),
    (r"2^{3}^{4}", "put the power in parentheses"),
    (r"2^{3}!", "put the power in parentheses"),
    (r"2^3\%", "put the power in parentheses"),
    (r"2^\circ^\circ", "put the power in parentheses"),
    (r"3!!", "put the operand of this sign in parentheses"),
    (r"3\%!", "put the operand of this sign in parentheses"),
    (r"\sin(1)^2", r"\sin^{2}(x)"),
    (r"\sin{1}^2", r"\sin^{2}(x)"),
    (r"\sin \pi/2", "argument of the function in parentheses"),
    (r"\sin 2\cdot3", "argument of the function in parentheses"),
    (r"\ln 7\bmod3", "argument of the function in parentheses"),
    (r"\sin{2}\pi", "argument of the function in parentheses"),
    (r"\sin{2+3}", "argument of the function in parentheses"),
    (r"\sin{\pi/2}", "argument of the function in parentheses"),
    (r"\sin 2(3)", "argument of the function in parentheses"),
    (r"\sin -1", "argument of the function in parentheses"),
    (r"\ln", "argument of the function in parentheses"),
    (r"\sin^{-2}(1)", "around the function"),
    (r"\ln^{-1}(2)", "around the function"),
    (r"\log 100", r"\log_{10}"),
    (r"\log^2 100", r"\log_{10}"),
    (r"{2+3}\cdot4", "braces do not show"),
    (r"{2\cdot3}^2", "braces do not show"),
    (r"{-2}^2", "braces do not show"),
    (r"{-2}!", "braces do not show"),
    (r"2{3}", r"write \cdot"),
    (r"1{,}000", "without separators"),
    (r"2\,000", "without separators"),
    (r"2 3", "without separators"),
    (r"\pi 2", r"write \cdot"),
    (r"(3)4", r"write \cdot"),
    (r"\frac123", r"write \cdot"),
    (r"1,5", "1.5 and 1500"),
    (r"(1,5)", "1.5 and 1500"),
    (r"50%", r"write \% for per cent"),
]


@pytest.mark.parametrize(("formula", "message"), AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_refused(formula: str, message: str) -> None:
    with pytest.raises(InputRefused) as caught:
        parse_formula(formula)
    assert message in caught.value.message


UNREADABLE = [
    ("", "ends too early"),
    ("$", "'$' is not part"),
    ("$$", "ends too early"),
    ("$2", "'$' is not part"),
    (r"1+", "ends too early"),
    (r"(1+2", "ends too early: it lacks )"),
    (r"(1+2]", "] cannot be evaluated here"),
    (r"1+2)", ") cannot be evaluated here"),
    (r"\left|1", "ends too early: it lacks \\rvert"),
    (r"|1", "ends too early: it lacks |"),
    (r"\frac{1}", "in braces"),
    (r"\frac{1}.5", "in braces"),
    (r"\frac{}{2}", "} cannot be evaluated here"),
    (r"\frac{\circ}{2}", r"\circ cannot be evaluated here"),
    (r"2^{\circ", "ends too early: it lacks }"),
    (r"\sqrt[3", "ends too early: it lacks ]"),
    (r"x+1", "the variable x has no value"),
    (r"2x", "the variable x has no value"),
    (r"\frac{d}{dx}", "the variable d has no value"),
    (r"ei", "the variable i has no value"),
    (r"\sum_{k=1}^{3} k + k", "the variable k has no value"),
    (r"\sum_{k=k}^{3} k", "the variable k has no value"),
    (r"\sum_{k=1}^{n} k", "the variable n has no value"),
    (r"e_1", "subscript"),
    (r"2_3", "subscript"),
    (r"sin(1)", r"write \sin for"),
    (r"arcsin(1)", r"write \arcsin for"),
    (r"pi", r"write \pi for"),
    (r"\int_0^1 2", r"\int cannot be evaluated here"),
    (r"\infty", r"\infty cannot"),
    (r"\theta", r"\theta cannot"),
    (r"1\pm2", r"\pm cannot"),
    (r"\begin{matrix}1\end{matrix}", r"\begin cannot"),
    (r"\write18{rm}", r"\write cannot"),
    (r"\input{/etc/passwd}", r"\input cannot"),
    (r"\deg(1)", r"\deg cannot"),
    (r"2+2=4", "without an equals sign"),
    (r"1&2", "'&' is not part"),
    (r"1#", "'#' is not part"),
    (r"\\", r"'\\' is not part"),
    ("\uff11", "is not part"),
    (r"1'", "is not part"),
    (r"\operatorname{foo}(1)", "'foo' is not a function"),
    (r"\operatorname foo", "f cannot be evaluated here"),
    (r"\operatorname{a1}", "1 cannot be evaluated here"),
    (r"\operatorname{root}(1)", "root takes 2 argument(s), not 1"),
    (r"\ln(1,2)", "ln takes 1 argument(s), not 2"),
    (r"\sum k", "an index and two limits"),
    (r"\sum_k^3 k", "an index and two limits"),
    (r"\sum_{k}^{3} k", "an index and two limits"),
    (r"\sum_{1}^{3} 1", "an index and two limits"),
    (r"\sum_{k=1} k", "an index and two limits"),
    (r"\sum^{3} k", "an index and two limits"),
]


@pytest.mark.parametrize(("formula", "message"), UNREADABLE)
def test_what_has_no_value_is_refused_by_name(formula: str, message: str) -> None:
    with pytest.raises(InputRefused) as caught:
        parse_formula(formula)
    assert message in caught.value.message


UNDEFINED = [
    (r"\frac{1}{0}", "division by zero in '1 / 0'"),
    (r"\sqrt{-1}", "even root"),
    (r"\sum_{k=1}^{10}\frac{1}{k-3}", "division by zero in '1 / (k - 3)' where k = 3"),
    (r"\sum_{k=1}^{2}\sum_{j=k}^{2}\frac{1}{j-2}", "where k = 1, j = 2"),
    (r"\sum_{k=1}^{2.5} k", "a limit of a sum or product must be a whole number: '2.5'"),
    (r"\sum_{k=\pi}^{5} k", "must be a whole number: 'pi'"),
]


@pytest.mark.parametrize(("formula", "message"), UNDEFINED)
def test_a_part_without_a_value_is_named(formula: str, message: str) -> None:
    with pytest.raises(InputRefused) as caught:
        evaluate_formula(formula)
    assert message in caught.value.message


def test_a_refusal_shows_where_it_happened_and_little_of_it() -> None:
    with pytest.raises(InputRefused) as caught:
        parse_formula(r"1 + \sin(1)^2 + \pi")
    assert caught.value.message.endswith(r": after '1 + \sin(1)', before '^2 + \pi'")
    with pytest.raises(InputRefused) as far:
        evaluate_formula(r"\sum_{k=10^{2000}}^{10^{2000}} \frac{1}{k-k}")
    assert len(far.value.message) < 500


BOMBS = [
    r"\sum_{k=1}^{10001} k",
    r"\sum_{k=1}^{10^{3000}} k",
    r"\sum_{k=1}^{1000}\sum_{j=1}^{1000} kj",
    r"\sum_{i=1}^{99}\sum_{j=1}^{99}\sum_{k=1}^{99}\sum_{l=1}^{99} 1",
    r"\prod_{k=1}^{2000} k",
    r"\sum_{k=1}^{10000} \binom{9990}{4000+k-k}\bmod7",
    r"\sum_{k=1}^{10000} 2^{9000}\bmod k",
    r"\sum_{k=1}^{900} \gcd(3^{6k}, 5)",
    r"\sum_{k=1}^{10000} (3^{6000}/2^{9000}+\pi)",
    r"\sum_{k=1}^{5000} \sqrt[7]{2^{9000}+k}",
    r"9^{9^{9^{9}}}",
    r"\binom{20000}{10000}",
    r"{" * 100 + "1" + "}" * 100,
    r"\sqrt{" * 100 + "1" + "}" * 100,
    r"\sin" * 400 + " 1",
    r"\frac{1}{" * 100 + "1" + "}" * 100,
    r"|" * 500,
    "(" * 1000,
    r"e^{" * 100 + "0" + "}" * 100,
    "+".join(["1"] * 500),
    "1" * (LONGEST_EXPRESSION + 1),
]


@pytest.mark.parametrize("formula", BOMBS, ids=lambda text: text[:30])
def test_what_would_take_too_long_is_refused(formula: str) -> None:
    with pytest.raises(LimitExceeded):
        evaluate_formula(formula)


# What the tool promises, against the mathematical functions of Python.
PROMISED: list[tuple[int, str, Callable[[int], float]]] = [
    (10_000, r"\sqrt{k}", math.sqrt),
    (3_000, r"\ln k", math.log),
    (1_500, r"\log_{10} k", math.log10),
    (3_000, r"\tan k", math.tan),
    (1_500, r"\sqrt[3]{k}", math.cbrt),
    (1_500, r"(k+0.1)^{\pi}", lambda k: (k + 0.1) ** math.pi),
]


@pytest.mark.parametrize(
    "formula",
    [
        r"\sum_{k=1}^{10000}\ln k",
        r"\sum_{k=1}^{6500} k^{0.3}",
        r"\sum_{k=1}^{5200}(k+0.1)^{\pi}",
        r"\sum_{k=1}^{9000}\sinh^{-1}(k)",
        r"\prod_{k=1}^{9000}\tan(k)",
    ],
)
def test_a_series_that_would_take_too_long_is_refused_at_its_second_term(formula: str) -> None:
    with pytest.raises(LimitExceeded, match=r"about [1-4],\d{3} such terms can be computed"):
        evaluate_formula(formula)


@pytest.mark.unmeasured
def test_the_limits_are_where_they_are_said_to_be() -> None:
    assert evaluate_formula(r"\sum_{k=1}^{10000} k")["result"] == "50005000"
    # 10000 * 10001 * 20001 / 6 + 3 * 50005000 + 10000
    assert evaluate_formula(r"\sum_{k=1}^{10000} (k^2+3k+1)")["result"] == "333533360000"
    for terms, body, function in PROMISED:
        result = evaluate_formula(rf"\sum_{{k=1}}^{{{terms}}} {body}")["result"]
        expected = math.fsum(map(function, range(1, terms + 1)))
        assert float(result) == pytest.approx(expected, rel=1e-13)
    smooth = evaluate_formula(r"\sum_{k=1}^{3000}\frac{\sin(k)}{k^{2}}")["result"]
    expected = math.fsum(math.sin(k) / k**2 for k in range(1, 3_001))
    assert float(smooth) == pytest.approx(expected, rel=1e-13)
    depth = MOST_NESTED - 1
    assert evaluate_formula("(" * depth + "1" + ")" * depth)["result"] == "1"
    assert evaluate_formula(r"\sqrt{" * depth + "1" + "}" * depth)["result"] == "1"
    assert evaluate_formula("-" * (LONGEST_EXPRESSION - 1) + "1")["result"] == "-1"


@given(st.integers(-50, 50), st.integers(-5, 60), st.integers(0, 4))
def test_sums_and_products_agree_with_python(start: int, count: int, power: int) -> None:
    limits = rf"_{{k={start}}}^{{{start + count}}}"
    terms = [k**power + 1 for k in range(start, start + count + 1)]
    total = evaluate_formula(rf"\sum{limits} (k^{power}+1)")["result"]
    assert Fraction(total) == sum(terms)
    expected = math.prod(terms[:20])
    limits = rf"_{{k={start}}}^{{{min(start + count, start + 19)}}}"
    product = evaluate_formula(rf"\prod{limits} (k^{power}+1)")["result"]
    assert Fraction(product) == expected


@given(st.text(max_size=60))
def test_any_text_is_worked_out_or_refused(text: str) -> None:
    with contextlib.suppress(InputRefused):
        evaluate_formula(text)


PIECES = r"\frac{ \sqrt[ \sin \log_ \sum_{k=1}^{3} { } ( ) [ ] | ^ _ 1 2 \pi k e + - \cdot / ! \%"


@given(st.lists(st.sampled_from(PIECES.split()), max_size=25).map(" ".join))
def test_any_latex_looking_text_is_worked_out_or_refused(text: str) -> None:
    with contextlib.suppress(InputRefused):
        evaluate_formula(text)


def test_the_sums_have_the_values_of_their_asymptotic_expansions() -> None:
    gamma = Decimal("0.57721566490153286060651209008240243104215933593992")  # OEIS A001620
    n = Decimal(10_000)
    harmonic = n.ln() + gamma + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4)
    assert f"{harmonic:.15g}" == evaluate_formula(r"\sum_{k=1}^{10000}\frac{1}{k}")["result"]
    basel = Decimal("1.6449340668482264364724151666460251892189499012068")  # OEIS A013661
    partial = basel - 1 / n + 1 / (2 * n**2) - 1 / (6 * n**3)
    assert f"{partial:.15g}" == evaluate_formula(r"\sum_{k=1}^{10000}\frac{1}{k^2}")["result"]
