"""The steps of a turn with everything they say about themselves, as indented text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from tether.app.printing import shown
from tether.ask.events import Step

INDENT = "    "
MOST_DEPTH = 6
LONGEST = 400
"""Values are cut here: the store and `--json` have them whole."""


def explained(steps: Sequence[Step], ledger: Mapping[str, int] | None) -> Iterator[str]:
    """Yield the lines of all steps, in order, and where the tokens of the window went."""
    for step in steps:
        state = "" if step.state == "done" else f", {step.state}"
        yield f"{step.kind}: {_line(step.label)} ({step.elapsed_ms:.0f} ms{state})"
        yield from _lines(step.detail, 1)
    if ledger:
        yield f"budget in tokens: {_scalar(ledger)}"


def step_form(step: Step) -> dict[str, Any]:
    """Return the JSON form of a step."""
    return {**step._asdict(), "detail": dict(step.detail), "elapsed_ms": round(step.elapsed_ms, 3)}


def _lines(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    for name, inner in value.items():
        yield from _entry(f"{_line(name)}: ", inner, depth)


def _entry(head: str, value: object, depth: int) -> Iterator[str]:
    before = INDENT * depth
    if depth < MOST_DEPTH and isinstance(value, Mapping) and value:
        yield f"{before}{head}".rstrip()
        yield from _lines(cast("Mapping[str, Any]", value), depth + 1)
    elif depth < MOST_DEPTH and _is_list(value):
        yield f"{before}{head}".rstrip()
        for inner in cast("Sequence[object]", value):
            yield from _item(inner, depth + 1)
    else:
        yield f"{before}{head}{_scalar(value)}"


def _item(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        said = ", ".join(f"{_line(name)} {_scalar(inner)}" for name, inner in pairs)
        yield f"{INDENT * depth}- {said}"
    else:
        yield from _entry("- ", value, depth)


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(cast("Sequence[object]", value))


def _scalar(value: object) -> str:
    if value is None or value in ("", [], (), {}):
        return "none"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, object]", value).items()
        return " ".join(f"{_line(name)} {_scalar(inner)}" for name, inner in pairs)
    return _line(str(value))


def _line(text: str) -> str:
    flat = shown(" ".join(text.split()))
    return flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}..."
