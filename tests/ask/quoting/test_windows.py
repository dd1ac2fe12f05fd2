"""Chosen units as quotes: what belongs together is shown together, and nothing twice."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ask.quoting.choices import passages_of, shown
from tether.ask.citations.passage import Passage
from tether.ask.quoting.windows import quoted, step_of, windows_of

MANUAL = """\
# Harbour

Harbour keeps artifacts. It never runs them. This is on purpose.

Run this to list them:

```sh
harbour list
```

The backends are:

- `disk` is the default.
- `s3` has classes:
  - `hot` costs more.
  - `cold` costs less.

| setting | default |
|---------|---------|
| `keep`  | 30      |
| `port`  | 8080    |

To leave the harbour:

1. Start the engine.
2. Lift the anchor.
3. Go.

lease
: A promise of time.

The engine needs fuel. Start it.

```sh
engine start
```
"""


def places(passage: Passage, *beginnings: str) -> list[int]:
    """Return the places of the units that begin so."""
    return [
        next(at for at, unit in enumerate(passage.units) if unit.text.startswith(text))
        for text in beginnings
    ]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (["Harbour keeps"], ["Harbour keeps artifacts."]),
        (["It never"], ["Harbour keeps artifacts. It never runs them."]),
        (["This is"], ["Harbour keeps artifacts. It never runs them. This is on purpose."]),
        (["harbour list"], ["Run this to list them:\n\n```sh\nharbour list\n```"]),
        (["`disk`"], ["The backends are: `disk` is the default."]),
        (
            ["`hot`", "`cold`"],
            ["The backends are: `s3` has classes:\n\n- `hot` costs more.\n- `cold` costs less."],
        ),
        (
            ["`disk`", "`hot`"],
            [
                "The backends are: `disk` is the default.",
                "The backends are: `s3` has classes: `hot` costs more.",
            ],
        ),
        (["setting: `keep`"], ["setting: `keep`; default: 30"]),
        (
            ["setting: `keep`", "setting: `port`"],
            ["- setting: `keep`; default: 30\n- setting: `port`; default: 8080"],
        ),
        (
            ["Start the", "Lift", "Go."],
            ["To leave the harbour:\n\n1. Start the engine.\n2. Lift the anchor.\n3. Go."],
        ),
        (["Lift", "Go."], ["To leave the harbour:\n\n- Lift the anchor.\n- Go."]),
        (
            ["Start the", "Go."],
            ["To leave the harbour:\n\n1. Start the engine.\n2. Lift the anchor.\n3. Go."],
        ),
        (["A promise"], ["lease: A promise of time."]),
        (["engine start"], ["Start it.\n\n```sh\nengine start\n```"]),
        (
            ["The engine", "Start it", "engine start"],
            ["The engine needs fuel.", "Start it.\n\n```sh\nengine start\n```"],
        ),
        ([], []),
    ],
)
def test_units_are_shown_with_what_they_belong_to(chosen: list[str], expected: list[str]) -> None:
    (passage,) = passages_of(MANUAL)

    assert shown(windows_of(passage, places(passage, *chosen))) == expected


def test_items_take_along_those_between_them_but_not_the_code() -> None:
    (passage,) = passages_of("".join(f"- Item {n}.\n" for n in range(6)))
    assert [len(window.units) for window in windows_of(passage, [0, 2])] == [3]
    assert [len(window.units) for window in windows_of(passage, [0, 5])] == [1, 1]
    (passage,) = passages_of("- One is.\n\n  ```\n  code\n  ```\n\n- Two is.\n")
    assert [window.text for window in windows_of(passage, [0, 2])] == ["One is.", "Two is."]


def test_a_sentence_does_not_lean_over_what_is_not_a_unit() -> None:
    (passage,) = passages_of("Is it open? It opens at nine.\n\nThis is all.\n")

    assert [window.text for window in windows_of(passage, [0])] == ["It opens at nine."]
    assert [window.text for window in windows_of(passage, [1])] == ["This is all."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. One.\n2. Two.\n", [1, 2]),
        ("> 3) Three.\n", [3]),
        ("- An item.\n", [None]),
        ("A sentence is here.\n", [None]),
        ("007. Seven.\n", [7]),
    ],
)
def test_an_item_has_the_number_that_the_document_gives_it(
    text: str, expected: list[int | None]
) -> None:
    (passage,) = passages_of(text)

    assert [step_of(passage, unit) for unit in passage.units] == expected


def test_a_quote_is_a_statement_in_the_words_of_the_document() -> None:
    (passage,) = passages_of(MANUAL)

    for at in range(len(passage.units)):
        (window,) = windows_of(passage, [at])
        judged, stated = quoted(window, 4)
        assert (judged.standing, stated.words) == ("verbatim", "document")
        assert judged.text == judged.statement.text == window.reading
        assert judged.window == stated.window == window
        assert stated.section == judged.statement.section == 4


@settings(deadline=None)
@given(st.sets(st.integers(min_value=0, max_value=14)))
def test_each_chosen_unit_is_shown_once_whatever_the_order(at: set[int]) -> None:
    (passage,) = passages_of(MANUAL)
    windows = windows_of(passage, at)
    assert windows == windows_of(passage, sorted(at, reverse=True))
    units = [unit for window in windows for unit in window.units]
    assert [unit.start for unit in units] == sorted({unit.start for unit in units})
    leads = " ".join(window.units[0].lead_text for window in windows)
    for place in at:
        unit = passage.units[place]
        assert (unit in units) != (unit.text in leads and unit.kind == "sentence")
    for window in windows:
        assert all(passage.follows(one, other) for one, other in pairwise(window.units))
