from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.sources.robots import Robots


def allows(text: str, path: str) -> bool:
    return Robots.of(text.encode()).allow(f"https://a.example{path}")


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /private", "/private/x", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("user-AGENT : * # all\n disallow : /a # there", "/a", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: Tether\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/b", True),
        ("User-agent: Tether\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: tether\n", "/a", True),
        ("User-agent: x\nUser-agent: tether\nDisallow: /a", "/a", False),
        ("User-agent: tether\nDisallow: /a\nUser-agent: x\nDisallow: /b", "/b", True),
        ("User-agent: tether\nDisallow: /a\nUser-agent: tether\nDisallow: /b", "/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?a", True),
        ("User-agent: *\nDisallow: /x$", "/x", False),
        ("User-agent: *\nDisallow: /x$", "/xy", True),
        ("User-agent: *\nDisallow: /*?print", "/a?print=1", False),
        ("User-agent: *\nDisallow: /a*a$", "/a", True),
        ("User-agent: *\nDisallow: /é", "/%C3%A9", False),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe", False),
        ("Disallow: /", "/a", True),
        ("\ufeffUser-agent: *\r\nDisallow: /a\r\n", "/a", False),
        ("Sitemap: https://a.example/s.xml\nnonsense\n:::\n", "/a", True),
    ],
)
def test_the_longest_rule_of_our_group_decides(text: str, path: str, expected: bool) -> None:
    assert allows(text, path) is expected


PARTS = st.lists(st.sampled_from(["a", "b", "/", "*"]), max_size=8).map(lambda p: "/" + "".join(p))


@given(PARTS, st.booleans(), st.text(st.sampled_from("ab/"), max_size=12).map(lambda p: f"/{p}"))
def test_stars_match_as_a_regular_expression_would(rule: str, end: bool, path: str) -> None:
    pattern = ".*".join(map(re.escape, rule.split("*"))) + ("$" if end else "")
    text = f"User-agent: *\nDisallow: {rule}{'$' if end else ''}"
    assert allows(text, path) is (re.match(pattern, path) is None)


def test_a_hostile_file_ends() -> None:
    many = "User-agent: *\n" + "Disallow: /" + "*a" * 100_000 + "\n"
    many += "Disallow: /*a*a*a*a*a*b$\n" * 30_000
    assert allows(many, "/" + "a" * 2_000)


@given(st.binary())
def test_any_bytes_are_a_file(data: bytes) -> None:
    Robots.of(data).allow("https://a.example/a?b=c")
