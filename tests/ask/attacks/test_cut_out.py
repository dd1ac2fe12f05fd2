"""A quote that is cut out of the sentence which denies or conditions it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from ask.attacks.halyard import credulous, passages, put, quoted, said_by_model

pytestmark = pytest.mark.unmeasured


class Cut(NamedTuple):
    """A sentence of a document, and the part of it that a model takes for the whole."""

    sentence: str
    part: str


DENIED = [
    Cut("It is not true that drafts are shared with guests.", "Drafts are shared with guests."),
    Cut(
        "Contrary to what the old manual says, it is false that drafts expire after a week.",
        "Drafts expire after a week.",
    ),
    Cut(
        "It is a myth that archives are searched with every question.",
        "Archives are searched with every question.",
    ),
    Cut(
        "Many people believe that the archive is free of charge, which is wrong.",
        "The archive is free of charge.",
    ),
    Cut("The agent never deletes remote copies.", "deletes remote copies"),
    Cut("You cannot merge two archives.", "merge two archives"),
    Cut("The agent can't resume an import after a crash.", "resume an import after a crash"),
    Cut(
        "Labels are copied to the archive, but not labels that a guest has set.",
        "Labels are copied to the archive.",
    ),
    Cut("Nobody should conclude that an archive is encrypted.", "An archive is encrypted."),
    Cut("The archive doesn't keep drafts of guests.", "keep drafts of guests"),
    Cut(
        "The claim that an import locks the archive is incorrect.",
        "An import locks the archive.",
    ),
    Cut(
        "An import no longer needs the approval of an owner.",
        "needs the approval of an owner",
    ),
    Cut(
        "Rather than that an import replaces labels, it adds to them.",
        "An import replaces labels.",
    ),
]
CONDITIONED = [
    Cut(
        "Archives are deleted after a year unless an owner has locked them.",
        "Archives are deleted after a year.",
    ),
    Cut("If the quota is exceeded, imports are rejected.", "Imports are rejected."),
    Cut("Imports are rejected if the quota is exceeded.", "Imports are rejected."),
    Cut("When an archive is locked, labels are read-only.", "Labels are read-only."),
    Cut("Imports are free, provided that they run at night.", "Imports are free."),
    Cut("Drafts are visible to guests only after a review.", "Drafts are visible to guests."),
    Cut(
        "Without a licence, imports are limited to one archive.",
        "Imports are limited to one archive.",
    ),
    Cut("Labels can be changed until the archive is sealed.", "Labels can be changed."),
    Cut("Imports keep labels, except those of guests.", "Imports keep labels."),
    Cut("As long as a review is open, drafts are frozen.", "Drafts are frozen."),
    Cut("In case of a conflict, the older draft wins.", "The older draft wins."),
    Cut("Exports include drafts, although most owners turn that off.", "Exports include drafts."),
    Cut("Locked archives are skipped while an import runs.", "Locked archives are skipped."),
]
DATED = [
    Cut("Before version 2, drafts were public.", "Drafts were public."),
    Cut("After version 5, drafts are public.", "Drafts are public."),
    Cut("Previously, an import overwrote labels.", "An import overwrote labels."),
    Cut("Formerly, the archive was part of the store.", "The archive was part of the store."),
    Cut("Exports used to include labels of guests.", "include labels of guests"),
    Cut("The deprecated importer reads XML archives.", "importer reads XML archives"),
    Cut("Until version 4, an archive had one owner.", "An archive had one owner."),
]
HEDGED = [
    Cut("An import might duplicate labels of guests.", "duplicate labels of guests"),
    Cut("The next release may drop XML archives.", "drop XML archives"),
    Cut("A plan that was given up would have sealed every archive.", "have sealed every archive"),
    Cut("Vendors claim that archives are tamper-proof.", "Archives are tamper-proof."),
    Cut("It was once believed that labels slow down imports.", "Labels slow down imports."),
    Cut("One could think that guests see drafts.", "Guests see drafts."),
]
FRAMED = [
    Cut("In theory, an import takes a minute.", "An import takes a minute."),
    Cut("Rumour has it that drafts are sold.", "Drafts are sold."),
    Cut("The proposal that archives be public was rejected.", "archives be public"),
    Cut("By 2030, archives will be free.", "Archives will be free."),
    Cut("Suppose an import deletes labels.", "An import deletes labels."),
    Cut("Hardly any archive is encrypted.", "archive is encrypted"),
    Cut("Few imports keep their labels.", "imports keep their labels"),
    Cut("In version 1, guests saw drafts.", "Guests saw drafts."),
    Cut("On Windows, imports ignore labels.", "Imports ignore labels."),
    Cut("For archives above the quota, exports are blocked.", "Exports are blocked."),
    Cut("The importer fails to keep labels of guests.", "keep labels of guests"),
    Cut("Guests are prevented from reading drafts of owners.", "reading drafts of owners"),
    Cut("Seldom does an import need approval.", "an import need approval"),
]
TRAILED = [
    Cut("Drafts are private, says the old manual, which nobody keeps up.", "Drafts are private."),
    Cut("Drafts are sent to guests in dry runs.", "Drafts are sent to guests."),
    Cut(
        "Archives are copied to every region on the largest plan.",
        "Archives are copied to every region.",
    ),
    Cut("Imports keep labels for a day.", "Imports keep labels."),
    Cut("An owner approves exports of more than one archive.", "An owner approves exports."),
    Cut("Labels are checked by the importer for XML.", "Labels are checked."),
]
CUTS = [*DENIED, *CONDITIONED, *DATED, *HEDGED, *FRAMED, *TRAILED]

MISSES = [
    Cut("An import might duplicate labels.", "duplicate labels"),
    Cut("The importer fails to keep labels.", "keep labels"),
    Cut("Guests are prevented from reading drafts.", "reading drafts"),
]
"""Parts of two words: the rule about parts of a sentence is for three and more. Only the verifier
stands before these, and here it believes everything."""

FORMS = {
    "plain": "{} [1]",
    "quoted": 'The page says "{}" [1].',
    "curly": "\u201c{}\u201d [1]",
    "reported": "According to the documentation, {} [1]",
    "bold": "**{}** [1]",
    "item": "- {} [1]",
    "row": "| what |\n|---|\n| {} [1] |",
    "blockquote": "> {} [1]",
}


def shown(cut: Cut) -> list[str]:
    """Return the model's words that are shown if the verifier believes its page, in any form."""
    page = f"# Archives\n\nThis page is about archives, drafts and imports. {cut.sentence}\n"
    found = put(
        "\n\n".join(form.format(cut.part) for form in FORMS.values()),
        credulous(cut.sentence),
        question="What about archives?",
        evidence=passages(("archives.md", page)),
    )
    part = cut.part.rstrip(".")
    assert all(cut.sentence in one for one in quoted(found) if part[1:] in one)
    return said_by_model(found)


@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: cut.sentence)
def test_a_part_is_not_shown_without_the_rest_of_its_sentence(cut: Cut) -> None:
    assert shown(cut) == []


@pytest.mark.parametrize("cut", MISSES, ids=lambda cut: cut.sentence)
def test_a_part_of_two_words_is_shown_where_the_verifier_believes_it(cut: Cut) -> None:
    """A known miss: where this fails, it is mended, and belongs to the others."""
    assert shown(cut) != []
