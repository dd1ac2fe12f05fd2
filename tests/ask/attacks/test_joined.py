"""Halves of sentences joined by an ellipsis, from one document or from two."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pytest

from ask.attacks.halyard import credulous, put, quoted, said_by_model

pytestmark = pytest.mark.unmeasured


class Joint(NamedTuple):
    """The first half of a sentence of a document, and the second half of another one."""

    first: str
    second: str


ONE_DOCUMENT = [
    Joint("Secrets are stored", "written to disk"),
    Joint("A sealed store", "is never written to disk"),
    Joint("The seal key", "cannot be opened"),
    Joint("A bucket holds at most", "500 GB"),
    Joint("Deleted files stay in the bin", "once a day"),
    Joint("A single upload is limited to", "5 TB"),
    Joint("Owners can", "read files only"),
    Joint("Editors", "can delete a project"),
    Joint("Guests need a link", "but cannot invite members"),
    Joint("The vault rotates the seal key", "after a rotation"),
    Joint("Backups are kept for", "six are incremental"),
    Joint("Plugins written for version 2", "is possible only within 24 hours"),
    Joint("A full backup is made", "at 02:00"),
    Joint("Connections that are idle", "are refused"),
]
TWO_DOCUMENTS = [
    Joint("Secrets are stored", "for 35 days"),
    Joint("Backups are kept", "unencrypted by default"),
    Joint("A bucket holds at most", "12 characters"),
    Joint("Accounts are locked for", "35 days"),
    Joint("Owners can", "rotate the seal key every 90 days"),
    Joint("The primary copies every file", "once, when the gateway starts"),
    Joint("A session lasts", "90 days"),
    Joint("Passwords must have", "at most 5 TB"),
    Joint("Deleted files", "are not retried"),
    Joint("Clients must use", "MySQL"),
    Joint("The gateway listens", "nightly at 02:00"),
    Joint("Viewers can", "delete a project"),
    Joint("Thumbnails", "are stored unencrypted by default"),
]
MARKS = {
    "sign": "\u2026",
    "spaced": " \u2026 ",
    "dots": "...",
    "spaced dots": " ... ",
    "brackets": " [...] ",
    "bracketed sign": " [\u2026] ",
    "parentheses": " (...) ",
    "stops apart": " . . . ",
    "dash": " \u2014 ",
    "slash": " / ",
    "bar": " | ",
    "nothing": " ",
}
FORMS = {
    "quoted": 'The page says: "{}" [11]',
    "curly": "\u201c{}\u201d [11]",
    "guillemets": "\u00ab{}\u00bb [11]",
    "plain": "{}. [11]",
    "item": '- "{}" [11]',
}
QUOTING = ("quoted", "curly", "guillemets", "item")
OMITTING = ("sign", "spaced", "dots", "spaced dots", "brackets", "bracketed sign", "stops apart")


def shown(joint: Joint, form: str, marks: Iterable[str]) -> list[str]:
    """Return the model's words that are shown if the verifier believes everything."""
    said = (FORMS[form].format(f"{joint.first}{MARKS[mark]}{joint.second}") for mark in marks)
    found = put("\n\n".join(said), credulous(), question="What about files?")
    assert not any(joint.first in one and joint.second in one for one in quoted(found))
    return said_by_model(found)


@pytest.mark.parametrize("form", QUOTING)
@pytest.mark.parametrize("joint", [*ONE_DOCUMENT, *TWO_DOCUMENTS], ids=" \u2026 ".join)
def test_halves_in_quotation_marks_are_not_shown(joint: Joint, form: str) -> None:
    assert shown(joint, form, MARKS) == []


@pytest.mark.parametrize("joint", [*ONE_DOCUMENT, *TWO_DOCUMENTS], ids=" \u2026 ".join)
def test_halves_around_an_omission_are_not_shown(joint: Joint) -> None:
    wrong = [one for one in shown(joint, "plain", OMITTING) if joint.first in one or one[0] == "."]
    assert wrong == []
