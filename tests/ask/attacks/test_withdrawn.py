"""What a page strikes out, hides, or takes back in a heading or in the next sentence."""

from __future__ import annotations

import pytest

from ask.attacks.halyard import credulous, drafts, passages, printed, put, quoted, said_by_model
from tether.ask.citations.review import Review

FREE = "Uploads to the archive are free of charge."
OTHER_WORDS = "To upload files to the archive is free of any charge."
ABOUT = "Prices change every spring."


def about(page: str, said: str) -> Review:
    """Put a statement to a page, before a verifier that believes what stands beside uploads."""
    found = passages(("archive.md", f"# Archive\n\n{ABOUT}\n\n{page}\n"))
    evidence = [one for one in found if one.chunk.document == "archive.md"]
    question = "What does an upload to the archive cost?"
    return put(f"{said} [1]", credulous("free of charge"), question=question, evidence=evidence)


GONE = {
    "tildes": f"~~{FREE}~~",
    "tildes in a sentence": "Uploads to the archive are ~~free of charge~~ cheap.",
    "tildes around two": f"~~{FREE} They are fast.~~",
    "del": f"<del>{FREE}</del>",
    "s": f"<s>{FREE}</s>",
    "strike": f"<strike>{FREE}</strike>",
    "hidden span": f"<span hidden>{FREE}</span>",
    "styled span": f'<span style="display:none">{FREE}</span>',
    "hidden block": f"<div hidden>\n\n{FREE}\n\n</div>",
    "struck item": f"- ~~{FREE}~~\n- Downloads are slow.",
    "struck cell": f"| what | cost |\n|---|---|\n| ~~{FREE}~~ | none |\n| downloads | 1 EUR |",
    "struck heading": f"## ~~Prices~~\n\n{FREE}",
}


@pytest.mark.parametrize("said", [FREE, OTHER_WORDS])
@pytest.mark.parametrize("form", GONE)
def test_what_is_struck_out_or_hidden_is_not_shown(form: str, said: str) -> None:
    found = about(GONE[form], said)

    assert said_by_model(found) == []
    assert "free of charge" not in printed(found)


HEADINGS = [
    "Common myths",
    "Myths about uploads",
    "Known false claims",
    "Not supported",
    "What is not yet supported",
    "Unsupported features",
    "Removed in version 3",
    "Deprecated",
    "The old importer (deprecated)",
    "Before version 2",
    "Legacy behaviour",
    "In older versions",
    "4.2 Removed",
]


@pytest.mark.parametrize("said", [FREE, FREE.rstrip("."), OTHER_WORDS])
@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("form", ["{}", "- {}", "### Prices\n\n{}"])
def test_what_a_heading_withdraws_is_shown_after_it(form: str, heading: str, said: str) -> None:
    found = about(f"## {heading}\n\n{form.format(FREE)}", said)

    assert said_by_model(found) == []
    assert {one for one in quoted(found) if FREE in one} == {f"{heading}: {FREE}"}
    (cited,) = (one for one in drafts(found)[-1].citations if FREE in one.quote)
    assert (cited.quote, cited.reading) == (FREE, f"{heading}: {FREE}")


def test_code_below_such_a_heading_is_not_shown() -> None:
    evidence = passages(("a.md", "# A\n\n## Removed in version 3\n\n```\nhalyard upload\n```\n"))
    found = put("```\nhalyard upload\n```\n[1]", None, evidence=evidence, code=True)

    assert "upload" not in printed(found)


def test_a_cell_below_such_a_heading_is_read_after_it() -> None:
    table = "| uploads | price |\n|---|---|\n| to the archive | free of charge |"
    found = about(f"## Removed\n\n{table}", OTHER_WORDS)

    assert said_by_model(found) == []
    assert quoted(found) == ["Removed: uploads: to the archive; price: free of charge"]


@pytest.mark.parametrize(
    ("heading", "sentence"),
    [
        ("Before you begin", FREE),
        ("How uploads are removed", FREE),
        ("Why are uploads not supported?", FREE),
        ("False positives", FREE),
        ("Deprecation policy", FREE),
        ("Removed", "Uploads that are free of charge were removed in version 3."),
        ("Not supported", "Uploads free of charge are not supported."),
        ("Common myths", "It is a myth that uploads are free of charge."),
    ],
)
def test_a_sentence_stands_alone_below_others_and_where_it_says_so(
    heading: str, sentence: str
) -> None:
    found = about(f"## {heading}\n\n{sentence}", sentence)

    assert found.passed
    assert quoted(found) == [sentence] * 2


def test_a_statement_that_tells_of_the_withdrawal_may_stand() -> None:
    said = "Free uploads to the archive were removed."
    found = about(f"## Removed in version 3\n\n{FREE}", said)

    assert said_by_model(found) == [said] * 2


AFTER = [
    "This is no longer the case.",
    "That was true before 2.0.",
    "This is a myth.",
    "Not any more.",
    "However, this is not true.",
    "It was removed in version 3.",
    "Since version 2, this has changed.",
    "That claim is wrong.",
]


@pytest.mark.parametrize("said", [FREE, OTHER_WORDS, f"**{FREE}**"])
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("form", ["{} {}", "{}\n{}", "{}\n\n{}", "- {} {}", "Note\n: {} {}"])
def test_a_sentence_is_shown_with_the_one_that_takes_it_back(
    form: str, after: str, said: str
) -> None:
    found = about(form.format(FREE, after), said)

    assert said_by_model(found) == []
    shown = [one for one in quoted(found) if FREE in one]
    assert shown
    assert all(one.endswith(f"{FREE} {after}") for one in shown)
    for draft in drafts(found):
        assert all(after in one.quote for one in draft.citations if FREE in one.quote)


def test_the_sentence_that_takes_back_is_not_shown_alone() -> None:
    found = about(f"{FREE} Not any more.", "Not any more.")

    assert all("Not any more." not in one or FREE in one for one in quoted(found))


def test_the_other_sentences_of_the_paragraph_stand_alone() -> None:
    found = about(f"{FREE} This is no longer the case. Downloads are slow.", "Downloads are slow.")

    assert quoted(found) == ["Downloads are slow."] * 2


def test_a_statement_in_other_words_about_another_sentence_of_the_item_stands() -> None:
    item = f"- {FREE} This is no longer the case. Downloads from the archive are slow."
    found = about(item, "It is slow to download files from the archive.")

    assert said_by_model(found) == ["It is slow to download files from the archive."] * 2


def test_items_in_items_are_shown_after_all_that_leads_to_them() -> None:
    page = (
        "The following are not supported:\n\n- Downloads:\n  - by night\n"
        "- Uploads:\n  - free of charge to the archive\n"
    )
    lead = "The following are not supported: Uploads"
    found = about(page, "free of charge to the archive")

    assert set(quoted(found)) == {f"{lead}: free of charge to the archive"}
    (cited,) = drafts(found)[-1].citations
    assert cited.lead == page[: page.index("\n  - free")]
    (judged,) = about(page, "Uploads are free of charge to the archive.").judged
    assert judged.window is not None
    assert lead in judged.window.premise  # which the verifier has read
