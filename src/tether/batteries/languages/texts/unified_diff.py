"""Differences written so that the program `patch` can apply them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.languages.texts.line_diff import Change, changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Names(NamedTuple):
    """What the two texts are called in the heading."""

    before: str
    after: str


def unified_diff(before: str, after: str, names: Names, context: int) -> str:
    """Return the unified diff of two texts, empty where they are equal.

    Lines end at LF, as they do for `patch`; a CR before it belongs to the line. A last line without
    a line end is marked as the format asks. Raises `LimitExceeded`.
    """
    old, new = _lines(before), _lines(after)
    hunks = _hunks(changes(old, new), context)
    if not hunks:
        return ""
    body = (part for hunk in hunks for part in _written(hunk, old, new, context))
    return "".join([f"--- {names.before}\n", f"+++ {names.after}\n", *body])


def _lines(text: str) -> list[str]:
    """Split behind each LF; only the last line can be without one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _hunks(found: Iterable[Change], context: int) -> list[list[Change]]:
    """Group changes whose surrounding lines touch or overlap."""
    hunks: list[list[Change]] = []
    for change in found:
        if hunks and change.before.start - hunks[-1][-1].before.stop <= 2 * context:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def _written(
    hunk: list[Change], old: Sequence[str], new: Sequence[str], context: int
) -> Iterator[str]:
    first, last = hunk[0], hunk[-1]
    lead = min(context, first.before.start)
    trail = min(context, len(old) - last.before.stop)
    before = range(first.before.start - lead, last.before.stop + trail)
    after = range(first.after.start - lead, last.after.stop + trail)
    yield f"@@ -{_span(before)} +{_span(after)} @@\n"
    position = before.start
    for change in hunk:
        yield from _marked(" ", old[position : change.before.start])
        yield from _marked("-", old[change.before.start : change.before.stop])
        yield from _marked("+", new[change.after.start : change.after.stop])
        position = change.before.stop
    yield from _marked(" ", old[position : before.stop])


def _span(lines: range) -> str:
    """Write a range of lines as the format does: from 1, and for no lines the one before them."""
    if len(lines) == 1:
        return f"{lines.start + 1}"
    return f"{lines.start + bool(lines)},{len(lines)}"


def _marked(mark: str, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"
