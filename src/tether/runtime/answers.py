"""What a model is shown of the value that a reader of artifacts returned."""

from __future__ import annotations

from typing import Any, cast

from tether.runtime.schema import to_json_text

LONGEST_ANSWER = 100_000
"""How many characters of an answer are shown: a whole artifact does not fit into a prompt."""


def answer_text(value: Any) -> str:
    """Write a value down: text as it is, lists of text as lines, anything else as JSON.

    What is too long is cut, and says so. Raises `ValueError` for what has no JSON form.
    """
    text = _written(value)
    if len(text) <= LONGEST_ANSWER:
        return text
    cut = f"\n(cut: {LONGEST_ANSWER:,} of {len(text):,} characters are shown; ask for less at once)"
    return text[:LONGEST_ANSWER] + cut


def _written(value: Any) -> str:
    if value is None:
        return "(undefined)"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        items = cast("list[object] | tuple[object, ...]", value)
        if not items:
            return "(empty list)"
        if all(isinstance(item, str) for item in items):
            return "\n".join(cast("list[str]", items))
    return to_json_text(value, indent=2)
