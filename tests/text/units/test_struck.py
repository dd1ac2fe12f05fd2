"""Text that a page strikes out or hides is not a unit, nor is what it leads to."""

from __future__ import annotations

import pytest

from tether.text.units import units_of

SEEN = "This one is seen."


def said(text: str) -> list[str]:
    return [unit.text for unit in units_of(text)]


@pytest.mark.parametrize(
    "gone",
    [
        "~~Uploads are free.~~",
        "~~Uploads are free. They are fast.~~",
        "Uploads are ~~free~~ cheap.",
        "Uploads are ~free~ cheap.",
        "Uploads [are ~~free~~](x.md) cheap.",
        "<del>Uploads are free.</del>",
        "<DEL>Uploads are free.</DEL>",
        "<s>Uploads are free.</s>",
        "<del>Uploads ~~are~~ free.</del>",
        "<del></del>~~Uploads~~ are free.",
        "<strike>Uploads are free. They are fast.</strike>",
        "Uploads are <del datetime='2020'>free</del> cheap.",
        '<span style="display:none">Uploads are free.</span>',
        "<span style='visibility: hidden'>Uploads are free.</span>",
        "<span hidden>Uploads are <span>really</span> free.</span>",
        '<span class="sr-only">Uploads are free.</span>',
    ],
)
def test_a_sentence_with_a_part_that_is_struck_or_hidden_is_not_a_unit(gone: str) -> None:
    assert said(f"{SEEN} {gone}\n\nThe next one is seen.\n") == [SEEN, "The next one is seen."]
    assert said(f"- {gone}\n- {SEEN}\n") == [SEEN]
    assert said(f"| a | b |\n|---|---|\n| {gone} | x |\n| {SEEN} | y |\n") == [f"a: {SEEN}; b: y"]
    assert said(f"> {gone}\n\n{SEEN}\n") == [SEEN]


def test_what_follows_a_struck_part_is_a_unit() -> None:
    assert said(f"<del>Uploads are free.</del> {SEEN}") == [SEEN]
    assert said(f"~~Uploads are free.~~\n{SEEN}\n\n{SEEN}") == [SEEN]  # one sentence ends in marks
    assert said(f"<ul><li hidden>One is.<li hidden>Two is.<li>{SEEN}</ul>") == [SEEN]
    assert said(f"<div hidden>\n<span hidden>One is.\n</div>\n{SEEN}") == [SEEN]


@pytest.mark.parametrize(
    "gone",
    [
        "<div hidden>\n\nUploads are free.\n\n- They are.\n\n```\nupload --free\n```\n\n</div>",
        "<del>\n\nUploads are free.\n\n| a | b |\n|---|---|\n| c | d |\n\n</del>",
        '<p style="display:none">Uploads are free.',
        "<ul><li hidden>Uploads are free.</li></ul>",
        '<section aria-hidden="true">\n<p>Uploads are free.</p>\n</section>',
    ],
)
def test_blocks_in_a_hidden_element_are_not_units(gone: str) -> None:
    assert said(f"{SEEN}\n\n{gone}\n\nThe next one is seen.\n") == [SEEN, "The next one is seen."]


def test_an_element_that_never_ends_hides_the_rest_of_its_block_or_of_the_page() -> None:
    for text in (
        f"- <span hidden>Uploads are free.\n- {SEEN}\n",
        f"<span hidden>No. So.\n\n{SEEN}",
    ):
        assert said(text) == [SEEN]
    assert said(f"{SEEN}\n\n<div hidden>\n\nUploads are free.\n\nThey are fast.\n") == [SEEN]


@pytest.mark.parametrize(
    "text",
    [
        "Use `<del>old</del>` and `~~old~~` for it.",
        "The element <s> is rarely used here.",
        "It takes ~5 seconds and ~10 files.",
        "Keep it in ~/files or in ~/more files.",
        "Set the <span>word</span> on this <b>page</b>.",
        'A <span role="tabpanel" hidden>tab</span> is shown in time.',
        "A <span hidden/> is nothing, and <Tab hidden /> neither.",
        "A `tick and a <del>.\n\nA ` tick.",
        "Write <!-- <del> --> comments like </del> this.",
        "```\n<div hidden>\n```\n\nThe code is shown here.",
    ],
)
def test_text_about_it_is_a_unit(text: str) -> None:
    assert len(units_of(text)) == 1 + text.count("\n\n")


def test_items_below_a_struck_lead_in_are_not_units() -> None:
    assert said(f"~~These are free:~~\n\n- Uploads.\n- Downloads.\n\n{SEEN}\n") == [SEEN]
    assert said(f"| ~~price~~ | b |\n|---|---|\n| c | d |\n\n{SEEN}\n") == [SEEN]


def test_nothing_below_a_struck_heading_is_a_unit() -> None:
    text = f"# Prices\n\n{SEEN}\n\n## ~~Uploads~~\n\nUploads are free.\n\n- They are fast.\n"
    assert said(text) == [SEEN]
    assert said(f"{text}\n## New\n\nIt is new.\n") == [SEEN, "It is new."]
