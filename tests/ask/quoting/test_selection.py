"""The units that are chosen: few, from few pages, with what belongs to them, or none at all."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ask.quoting.choices import BY_WORDS, chosen, passages_of, readings, shown, units_in
from tether.ask.citations.passage import MOST_LISTED
from tether.ask.quoting.selection import (
    FEW,
    FIRST_PAGE,
    FURTHER_PAGE,
    LEAST_COVERAGE,
    LEAST_COVERAGE_OF_FEW,
    LONGEST_COUNTED,
    MOST_PAGES,
    MOST_PASSAGES,
    MOST_UNITS,
    WEIGHTS,
    Selection,
)

HARBOUR = """\
# Harbour

Harbour is a small server that keeps build artifacts. It was first released in 2019.

## Installing

To install Harbour, run this:

```sh
pip install harbour
```

The package needs Python 3.11 or newer.

## Storage

By default, 30 versions of each artifact are kept. Older versions are deleted every night.

| setting   | meaning              | default |
|-----------|----------------------|---------|
| `keep`    | versions to keep     | 30      |
| `folder`  | folder of artifacts  | `/var`  |

The storage backends are:

- `disk`, the default
- `s3`, for object stores

## Tokens

Every client needs a token. It expires after 12 hours.

To renew a token:

1. Open the console.
2. Press renew.
3. Copy the new token.

lease
: A promise of time.
"""
GARDEN = "# Garden\n\nGarden draws graphs of dependencies. It reads lock files.\n"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "How do I install Harbour?",
            "To install Harbour, run this:\n\n```sh\npip install harbour\n```",
        ),
        (
            "What is the default of the keep setting?",
            "setting: `keep`; meaning: versions to keep; default: 30",
        ),
        (
            "Which storage backends are there?",
            "The storage backends are:\n\n- `disk`, the default\n- `s3`, for object stores",
        ),
        (
            "When does it expire after hours?",
            "Every client needs a token. It expires after 12 hours.",
        ),
        (
            "How do I renew a token?",
            "To renew a token:\n\n1. Open the console.\n2. Press renew.\n3. Copy the new token.",
        ),
        ("lease of time", "lease: A promise of time."),
        ("What reads lock files?", "Garden draws graphs of dependencies. It reads lock files."),
    ],
)
def test_the_unit_that_answers_is_shown_whole(question: str, expected: str) -> None:
    found = chosen(question, HARBOUR, GARDEN)

    assert expected in "\n\n".join(shown([one.window for one in found]))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How do I install Harbour?", "pip install harbour"),
        ("What is the default of keep?", "default: 30"),
        ("How do I renew a token?", "Press renew."),
        ("Which storage backends are there?", "`s3`, for object stores"),
        ("How long until a token expires?", "It expires after 12 hours."),
    ],
)
def test_the_fitted_weights_find_the_answer(question: str, expected: str) -> None:
    texts = [one.window.text for one in chosen(question, HARBOUR, GARDEN, weights=WEIGHTS)]

    assert any(expected in text for text in texts)


@pytest.mark.parametrize(
    "question",
    [
        "Who won the football championship in Brazil?",
        "What is the boiling point of mercury?",
        "Garden championship mercury football penguins",
        "the of and",
        "?!",
        "",
        "   ",
    ],
)
def test_what_the_passages_do_not_name_is_not_answered(question: str) -> None:
    assert chosen(question, GARDEN, HARBOUR) == []
    assert chosen(question, GARDEN, HARBOUR, weights=WEIGHTS) == []


def test_without_units_there_is_no_answer() -> None:
    assert chosen("What is Harbour?") == []
    assert chosen("What is Harbour?", "", "# Harbour\n") == []


PARTS = ["valve", "pump", "pipe", "tank", "latch", "gauge", "rotor", "piston"]


@pytest.mark.parametrize("asked", range(1, len(PARTS) + 1))
def test_more_must_be_named_where_the_question_has_few_words(asked: int) -> None:
    least = LEAST_COVERAGE_OF_FEW if asked <= FEW else LEAST_COVERAGE
    for named in range(asked + 1):
        text = f"Here stand {' and '.join([*PARTS[:named], 'nothing'])}."
        found = readings(" ".join(PARTS[:asked]), text)
        assert found == ([text] if named / asked >= least else [])


def test_the_headings_and_the_lead_in_count_for_what_is_named() -> None:
    assert readings("restore minutes", "# Restore\n\nIt takes 30 minutes.\n") == [
        "It takes 30 minutes."
    ]
    assert readings("boats bay", "The boats of the bay:\n\n- Anna\n") == [
        "The boats of the bay: Anna"
    ]


def test_further_units_need_a_share_of_the_best() -> None:
    text = "The tide turns every six hours.\n\nThe sea has a tide.\n\nBoats wait."
    found = readings("When does the tide turn, every six hours?", text)
    assert found == ["The tide turns every six hours."]


def test_at_most_three_pages_are_quoted_the_best_first() -> None:
    weak = [f"The tide turns near port {n}." for n in range(5)]
    best = "The tide turns every six hours near the bay."
    found = chosen("Does the tide turn every six hours near the bay?", *weak, best)
    assert found[0].window.text == best
    pages = [one.window.passage.evidence.chunk.document for one in found]
    assert len(set(pages)) == len(pages) == MOST_PAGES
    assert pages == ["page-6.md", "page-1.md", "page-2.md"]


def test_passages_of_one_page_share_its_room() -> None:
    texts = [f"The tide turns near port {n}." for n in range(12)]
    found = chosen("Where does the tide turn near a port?", *texts, document="sea.md")
    assert len(found) == FIRST_PAGE.units
    assert [one.window.number for one in found] == list(range(1, FIRST_PAGE.units + 1))


def test_what_two_pages_say_alike_is_quoted_once() -> None:
    texts = ["# Sea\n\nThe tide turns near a port.", "# Sea\n\nThe tide turns near a port."]
    assert readings("Where does the tide turn?", *texts) == ["The tide turns near a port."]
    texts[1] = texts[1].replace("Sea", "Bay")
    assert len(readings("Where does the tide turn?", *texts)) == 2


HALVES = range(12), range(12, 24)


def words_of(text: str) -> int:
    return min(len(text.split()), LONGEST_COUNTED)


def test_a_page_has_room_for_so_many_units_and_words() -> None:
    page, other = ("\n\n".join(f"The tide turns near port {n}." for n in some) for some in HALVES)
    long, longer = (
        "\n\n".join(f"The tide turns near port {n}{' and on' * 15}." for n in some)
        for some in HALVES
    )
    question = "Where does the tide turn near a port?"
    found = chosen(question, page, other)
    assert [len(one.window.units) for one in found] == [1] * (FIRST_PAGE.units + FURTHER_PAGE.units)
    by_page = [one.window.number for one in chosen(question, long, longer)]
    each = words_of("The tide turns near port 1" + " and on" * 15)
    assert by_page.count(1) == FIRST_PAGE.words // each
    assert by_page.count(2) == FURTHER_PAGE.words // each


def test_one_unit_is_shown_however_long_it_is() -> None:
    long = f"The tide turns{' and on' * 200}."
    assert readings("Does the tide turn?", long) == [long]
    code = "Let the tide turn:\n\n```\n" + "turn tide\n" * 300 + "```\n"
    after = "The tide turns.\n"
    assert len(units_in(chosen("Does the tide turn?", code + "\n" + after))) == 2


def test_code_is_left_out_where_none_is_allowed() -> None:
    found = chosen("How do I install Harbour?", HARBOUR, code=False)
    assert found
    assert all(unit.kind != "code" for one in found for unit in one.window.units)
    only = "To install Harbour:\n\n```sh\npip install harbour\n```\n"
    assert chosen("How do I install Harbour?", only, code=False) == []


def test_a_sentence_brings_the_code_below_it() -> None:
    code = "```sh\nlatch --off\n```\n"
    question = "How is the valve opened?"
    assert readings(question, f"Ask first. The valve is opened so.\n\n{code}") == [
        "The valve is opened so. latch --off"
    ]
    assert readings(question, f"It opens the valve.\n\n{code}") == ["It opens the valve."]
    assert readings(question, f"The valve is opened so.\n\n# Other\n\n{code}") == [
        "The valve is opened so."
    ]
    row = f"| how |\n|---|\n| The valve is opened. |\n\nAlso do this:\n\n{code}"
    assert readings(question, row) == ["how: The valve is opened."]
    assert readings(question, "The valve is opened so.", code) == ["The valve is opened so."]
    assert readings(question, f"The valve is opened so.\n\n{code}", code=False) == [
        "The valve is opened so."
    ]


def test_the_last_unit_may_be_code() -> None:
    assert readings("open valve", "A note.\n\n```\nopen valve\n```\n") == ["A note. open valve"]


def test_a_list_of_steps_is_shown_whole_from_its_first() -> None:
    steps = "To bake:\n\n1. Mix the flour.\n2. Knead the dough.\n3. Bake the bread hot.\n"
    (found,) = chosen("Is the bread baked hot?", steps)
    assert units_in([found]) == ["Mix the flour.", "Knead the dough.", "Bake the bread hot."]
    assert shown([found.window])[0].endswith("\n3. Bake the bread hot.")


def test_steps_that_are_many_or_begin_later_are_shown_one_by_one() -> None:
    many = "To bake:\n\n" + "".join(f"{n}. Do number {n}.\n" for n in range(1, MOST_LISTED + 2))
    many = many.replace("number 9", "bread hot")
    assert readings("Is the bread baked hot?", many) == ["To bake: Do bread hot."]
    later = "To bake:\n\n4. Knead the dough.\n5. Bake the bread hot.\n"
    assert readings("Is the bread baked hot?", later) == ["To bake: Bake the bread hot."]


def test_only_the_best_ranked_passages_are_read_and_each_up_to_its_share() -> None:
    answer = "The tide turns every six hours."
    others = ["A boat is here."] * MOST_PASSAGES
    assert chosen("When does the tide turn?", *others, answer) == []
    assert readings("When does the tide turn?", *others[1:], answer) == [answer]
    share = MOST_UNITS // 4
    filler = "\n\n".join(["A boat is here."] * share)
    assert chosen("When does the tide turn?", f"{filler}\n\n{answer}", *others[:3]) == []


def test_a_quote_has_the_probability_of_its_best_unit() -> None:
    (one,) = passages_of("Every client needs a token. It expires after 12 hours.")
    selection = Selection("When does it expire after hours?", [one], BY_WORDS)
    (found,) = selection.chosen()
    assert len(found.window.units) == 2
    assert found.probability == pytest.approx(1 / (1 + math.exp(-max(selection.logits))))


@pytest.mark.parametrize(("constant", "sure"), [(1e9, 1.0), (-1e9, 0.0)])
def test_probabilities_are_bounded(constant: float, sure: float) -> None:
    selection = Selection("tide", passages_of("The tide."), {"constant": constant})
    assert selection.logits == [constant]
    (found,) = selection.chosen()
    assert found.probability == pytest.approx(sure, abs=1e-9)
    assert 0 < found.probability < 1


def test_units_of_the_passage_that_are_likelier_are_known() -> None:
    page = "Boats wait. The tide turns. Go.\n\nThe tide.\n\n```\ntide turn\n```"
    (one, other) = passages_of(page, "The tide turns.")
    selection = Selection("When does the tide turn?", [one, other], BY_WORDS)
    assert selection.likelier(one, [0], code=False) == [1, 3]
    assert selection.likelier(one, [3], code=False) == [1]
    assert selection.likelier(one, [1], code=False) == []
    assert selection.likelier(one, [0, 2, 99], code=True) == [1, 4]
    assert selection.likelier(other, [0], code=True) == []
    (unread,) = passages_of("The tide turns.")
    assert selection.likelier(unread, [0], code=True) == []


WORDS = ("tide", "boat", "bay", "turns", "six", "hours", "port", "It", "Run `tide`", "the")
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=2, max_size=8).map(
    lambda words: f"{' '.join(words)}."
)
LINES = SENTENCES | SENTENCES.map("- {}".format) | st.just("```\ntide --six\n```")
PAGES = st.lists(st.lists(LINES, min_size=1, max_size=6).map("\n\n".join), max_size=5, unique=True)
QUESTIONS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(QUESTIONS, PAGES)
def test_the_same_input_gives_the_same_choice_within_the_bounds(
    question: str, pages: list[str]
) -> None:
    found = chosen(question, *pages, weights=WEIGHTS)
    assert found == chosen(question, *pages, weights=WEIGHTS)
    by_page = [one.window.number for one in found]
    assert len(set(by_page)) <= MOST_PAGES
    spans = [(one.window.number, unit.start) for one in found for unit in one.window.units]
    assert len(set(spans)) == len(spans)
    assert all(0 < one.probability < 1 for one in found)


@settings(max_examples=60, deadline=None)
@given(QUESTIONS, PAGES)
def test_but_for_their_rank_the_order_of_passages_does_not_matter(
    question: str, pages: list[str]
) -> None:
    weights = {name: weight for name, weight in WEIGHTS.items() if name != "rank"}
    one = Selection(question, passages_of(*pages), weights)
    other = Selection(question, passages_of(*reversed(pages)), weights)
    assert sorted(one.logits) == pytest.approx(sorted(other.logits))


OPTIONS = "- `-bp` shows the mail queue.\n- `-bP` prints the mail settings.\n"


@pytest.mark.parametrize(
    ("question", "first", "other"),
    [
        ("What does -bP do with mail?", "`-bP` prints", "`-bp`"),
        ("What does -bp do with mail?", "`-bp` shows", "`-bP`"),
    ],
)
def test_options_that_differ_in_case_are_told_apart(question: str, first: str, other: str) -> None:
    found = units_in(chosen(question, OPTIONS))
    assert found[0].startswith(first)
    assert not any(text.startswith(other) for text in found)


def test_the_case_of_an_option_that_no_unit_has_does_not_count() -> None:
    logits = [Selection(text, passages_of(OPTIONS), BY_WORDS).logits for text in ("-BP", "-bp")]
    assert logits[0][0] == logits[0][1]
    assert logits[1][0] > logits[1][1]


def test_a_unit_that_names_both_options_is_about_the_one_that_was_asked_for() -> None:
    text = "- `-bP` and `-bp` are about mail.\n- `-bp` is about mail.\n"
    both, one = Selection("What is -bP?", passages_of(text), BY_WORDS).logits
    assert both > one
