"""The signs of a text that does not stand by itself."""

from __future__ import annotations

import pytest

from tether.ask.quoting.signs import is_logged, leans, points, speaks_of_others


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It expires after 12 hours.", True),
        ("*This* is a rule.", True),
        ("However, boats wait.", True),
        ("Run it as root.", True),
        ("Dies gilt nur hier.", True),
        ("Items are kept.", False),
        ("Run `it` as root.", False),
        ("The tide turns.", False),
        ("Thishouse is a name.", False),
    ],
)
def test_a_sentence_leans_on_the_one_before_it(text: str, expected: bool) -> None:
    assert leans(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See the token guide for details.", True),
        ("For more about it, see the guide.", True),
        ("In this chapter, boats are built.", True),
        ("We'll build a boat.", True),
        ("Let's build a boat.", True),
        ("Let's Encrypt issues certificates.", False),
        ("TODO: write it.", True),
        ("The tide turns.", False),
        ("Oversee the guide of tides.", False),
    ],
)
def test_a_text_points_elsewhere(text: str, expected: bool) -> None:
    assert points(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Here is a boat.", True),
        ("The boat is shown below.", True),
        ("Do it as shown below.", False),
        ("The following command lists boats.", True),
        ("Figure 3 is a boat.", True),
        ("The boat is here.", False),
    ],
)
def test_a_text_speaks_of_what_is_next_to_it(text: str, expected: bool) -> None:
    assert speaks_of_others(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Return 404 for files. PR #15863 by @someone.", True),
        ("Fix the tide (#12)", True),
        ("Thanks to the work by [@mira](x).", True),
        ("The port (12) is open by night.", False),
    ],
)
def test_a_line_is_of_a_change_log(text: str, expected: bool) -> None:
    assert is_logged(text) is expected
