"""The units of a part of a text are those that the whole text has there."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tether.text.sentences import Span
from tether.text.units import Unit, units_of

PIECES = (
    "# Gates\n\n",
    "## Locks\n\n",
    "A gate has a lock. It is of iron. Nobody has its key.\n\n",
    "Two things are needed:\n\n",
    ":\n\n",
    "- A key, which is of iron.\n",
    "- Oil for:\n",
    "  - the lock.\n",
    "  - the hinges, as follows:\n\n",
    "    1. Open the gate.\n    2. Wait.\n\n",
    "\n  It is an item's second paragraph.\n\n",
    "| Part | Metal |\n|---|---|\n| lock | iron |\n| hinge | brass |\n\n",
    "```sh\nopen gate\n```\n\n",
    "    close gate\n\n",
    "Lock\n: A part of a gate.\n\n",
    "This is ~~not~~ so. It stays.\n\n",
    "<div hidden>\n\nNobody sees this.\n\n</div>\n\nEverybody sees this.\n\n",
    "> A guard said it. Nobody heard.\n\n",
)

texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join)


@given(texts, st.data())
@settings(max_examples=400)
def test_the_units_of_a_part_are_those_of_the_whole_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    there = [unit for unit in units_of(text) if start <= unit.start and unit.end <= end]
    assert _numbered(units_of(text, within=(start, end))) == _numbered(there)


def test_the_lead_in_of_an_item_may_be_far_above_the_part() -> None:
    items = "".join(f"- Item {number}.\n" for number in range(50))
    text = f"A gate has:\n\n{items}"
    start = text.index("Item 40")
    (unit,) = units_of(text, within=(start, start + len("Item 40.")))
    assert (unit.text, unit.lead_text) == ("Item 40.", "A gate has:")


def test_a_part_after_a_header_is_counted_without_the_header() -> None:
    rows = "| lock | iron |\n| hinge | brass |\n"
    place: Span = (rows.index("| hinge"), len(rows))
    (unit,) = units_of(rows, header="| Part | Metal |\n|---|---|\n", within=place)
    assert unit.text == "Part: hinge; Metal: brass"
    assert rows[unit.start : unit.end].startswith("| hinge")


def _numbered(units: tuple[Unit, ...] | list[Unit]) -> list[Unit]:
    """Number the blocks of units from 1: only which of them are the same matters."""
    numbers = {block: at for at, block in enumerate(dict.fromkeys(one.block for one in units), 1)}
    return [one._replace(block=numbers[one.block]) for one in units]
