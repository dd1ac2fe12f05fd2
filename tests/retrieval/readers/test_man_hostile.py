"""Manual pages that are broken on purpose: they end, and their places hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.readers.pages import read

NAMES = """
TH SH SS TP TQ IP PP RS RE nf fi EX EE B BR I TS TE T& UR UE OP SY YS sp br de ds as nr if ie
el ig so als am EQ EN Sh Ss Bl It El Bd Ed Nm Nd Fl Ar Op Xo Xc Fn Dl D1 Rs Re Ex Ta Oo Oc Pf
Ns Ap Xr St In Lk Dq Do Dc %T . XX
"""
WORDS = [
    *("n", "t", "!t", "\\{", "\\}", "\\{\\", "\\n(.g", "'a'b'", "XX", "-tag", "-bullet", "-column"),
    *("-literal", "\\fB", "\\(bu", "\\*[x]", "\\*(XX", "\\$1", '"', "tab(:);", "l l.", "T{", "T}"),
    *("\\", "\\h'", "word", ".", ",", "1.", "Xo", "Fl", "Ta", "a\tb", "\\c", "..", "\\\\$*", "="),
]
LINE = st.builds(
    lambda mark, name, words: f"{mark}{name if mark else ''} {' '.join(words)}",
    st.sampled_from([".", ".", ".", "'", ""]),
    st.sampled_from(NAMES.split()),
    st.lists(st.sampled_from(WORDS), max_size=4),
)


@given(st.sampled_from([".TH A 1", ".Dt A 1"]), st.lists(LINE, max_size=40))
def test_any_macros_in_any_order_are_read(head: str, lines: list[str]) -> None:
    read("\n".join([head, *lines]), "a.1")


@given(st.text(alphabet="\\f*n([]')\"BIs+-u0 {}.\n$", max_size=200))
def test_any_escapes_are_read(text: str) -> None:
    read(f".TH A 1\n.SH B\n{text}", "a.1")


MANY = 20_000
HOSTILE = {
    "a macro that calls itself": ".de XX\n.XX\n.XX\n..\n.XX\n",
    "macros that double": "".join(f".de X{n}\n.X{n + 1}\n.X{n + 1}\n..\n" for n in range(40))
    + ".X0\n",
    "strings that double": "".join(
        f".ds s{n} \\*[s{n + 1}]\\*[s{n + 1}]\\*[s{n + 1}]\n" for n in range(40)
    )
    + ".ds s40 word\n\\*[s0]\n",
    "a string that names itself": ".ds s \\*[s]\\*[s]\n\\*[s]\n",
    "indentation without an end": ".RS\n.TP\nterm\ntext\n" * 2_000,
    "lists without an end": ".Bl -tag\n.It a\ntext\n" * 2_000,
    "open quotes": "\\h'" * MANY,
    "open brackets": "\\[" * MANY,
    "continued lines": "a\\\n" * MANY,
    "conditions": ".if n " * 400 + "word",
    "negations": ".if " + "!" * MANY + "n word",
    "blocks": ".if t \\{\n" * MANY,
    "definitions": ".de XX\n" * MANY,
    "a wide table": ".TS\nl.\n" + "a\t" * 2_000 + "\n" + "b\n" * 200 + ".TE\n",
    "closers": ".Dq " + "Op Dq Fn a " * 2_000,
    "parameters": ".de XX\n" + "\\\\$*" * 500 + "\n..\n.XX " + "word " * 500,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("head", [".TH A 1", ".Dt A 1"])
def test_hostile_pages_end(head: str, text: str) -> None:
    page = read(f"{head}\n.SH B\n{text}\n", "a.1")
    assert len(page.text) < 3_000_000
