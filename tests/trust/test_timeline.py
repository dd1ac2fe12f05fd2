"""What happened, in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.prompts import call, rendered, said, thought
from tether.trust.prompt import CallItem, Item, MessageItem, TextPart, ThoughtItem
from tether.trust.records import PromptRecords


def at(second: int) -> str:
    return f"2026-01-01T12:00:{second:02}Z"


def label(item: Item) -> str:
    """Return the text of an item, without its envelope."""
    if isinstance(item, ThoughtItem):
        return item.text.split("\n")[1]
    (part,) = item.parts
    assert isinstance(part, TextPart)
    return part.text.split("\n")[1] if "\n" in part.text else part.text


def test_items_are_interleaved_by_time_across_kinds() -> None:
    # CONTRACT 133
    records = PromptRecords(
        messages=(said("m1", "question", created_at=at(1)), said("m2", "more", created_at=at(4))),
        thoughts=(thought("t1", "hm", created_at=at(2)),),
        calls=(call("c1", "found", created_at=at(3)),),
    )
    items = rendered(records).timeline
    assert [label(item) for item in items] == ["question", "hm", "found", "more"]
    kinds = [MessageItem, ThoughtItem, CallItem, MessageItem]
    assert [type(item) for item in items] == kinds


def test_a_call_and_its_result_are_one_item_under_the_calls_id() -> None:
    # CONTRACT 133: wires correlate by this id
    (item,) = rendered(PromptRecords(calls=(call("call-7", "found"),))).timeline
    assert isinstance(item, CallItem)
    assert item.id == "call-7"
    assert dict(item.args) == {"q": "x"}


@given(
    st.lists(st.integers(0, 3), max_size=5),
    st.lists(st.integers(0, 3), max_size=5),
    st.lists(st.integers(0, 3), max_size=5),
)
def test_at_one_moment_messages_come_before_thoughts_and_thoughts_before_calls(
    messages: list[int], thoughts: list[int], calls: list[int]
) -> None:
    # CONTRACT 1.7: one stable sort
    records = PromptRecords(
        messages=tuple(said(f"m{n}", f"m{n}", created_at=at(s)) for n, s in enumerate(messages)),
        thoughts=tuple(thought(f"t{n}", f"t{n}", created_at=at(s)) for n, s in enumerate(thoughts)),
        calls=tuple(call(f"c{n}", f"c{n}", created_at=at(s)) for n, s in enumerate(calls)),
    )
    expected: list[str] = []
    for second in range(4):
        for letter, times in (("m", messages), ("t", thoughts), ("c", calls)):
            expected += [f"{letter}{n}" for n, when in enumerate(times) if when == second]
    assert [label(item) for item in rendered(records).timeline] == expected
