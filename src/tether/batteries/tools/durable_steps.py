"""A durable step's call as a person sees it, and its stored result."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tether.batteries.storage.records import GateRow
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, LimitExceeded, error_text
from tether.core.plain_data import canonical_json, tool_checksum
from tether.runtime.errors import TurnGateTimeout
from tether.runtime.schema import to_json_text
from tether.runtime.tool import shown_arguments
from tether.trust.visible import visible_text

MOST_SHOWN = 100_000
"""In characters: more than a person reads before approving a call."""

MOST_KEPT = 5_000_000
AGAIN = "tool_approval_again"
"""The reason of a gate that is opened a second time, because the call may have run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundCall:
    """A call in canonical form, and the checksum that a decision about it is bound to."""

    tool: str
    arguments: str
    checksum: str

    @classmethod
    def of(cls, tool: str, arguments: Any) -> BoundCall:
        """Return a call in canonical form; raise `ValueError` without one, and `LimitExceeded`."""
        values = json.loads(to_json_text(shown_arguments(arguments)))
        text = canonical_json(values)
        if len(text) > MOST_SHOWN:
            raise LimitExceeded(
                f"the arguments have {len(text):,} characters; a person is asked about at most "
                f"{MOST_SHOWN:,}: make the call smaller"
            )
        return cls(tool=tool, arguments=text, checksum=tool_checksum(tool, values))


def escaped(text: str) -> tuple[str, int]:
    """Return a text without invisible characters, and the number of characters escaped.

    Canonical JSON is a single line; its invisible characters, and those that change the direction
    of text, become `\\u…`, which is the same JSON value.
    """
    parts = [character if _is_seen(character) else _escape(character) for character in text]
    return "".join(parts), sum(
        part != character for part, character in zip(parts, text, strict=True)
    )


def _is_seen(character: str) -> bool:
    if character.isascii():
        return character.isprintable()
    return character.isprintable() and not visible_text(character).hidden


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1]


def shown_gate(row: GateRow) -> dict[str, Any]:
    """Return the fields of a gate for the person who decides, as plain values and visible text.

    It has only the call that will run, and nothing that a model said about the call.
    """
    arguments, hidden = escaped(row.arguments)
    return {
        "gate": row.id,
        "run": row.run,
        "step": row.step,
        "tool": row.tool,
        "arguments": arguments,
        "characters": len(row.arguments),
        "hidden": hidden,
        "checksum": row.checksum,
        "expires_at": row.expires_at.isoformat(),
        "warning": warning(row),
    }


def warning(row: GateRow) -> str:
    """Return the warning for a gate that is opened a second time; "" for any other."""
    if row.reason != AGAIN:
        return ""
    return (
        "This call was approved before and may have run already: the process ended before its "
        "result was written down. Look whether it took effect before you approve it again."
    )


def kept(output: Any) -> str:
    """Return the stored form of a result: the result itself, unless it is too large for JSON."""
    if isinstance(output, (bytes, bytearray)):
        form: Mapping[str, Any] = {"kind": "bytes", "value": base64.b64encode(output).decode()}
    else:
        form = {"kind": "json", "value": output}
    try:
        text = to_json_text(form)
    except ValueError:
        text = ""
    return text if 0 < len(text) <= MOST_KEPT else to_json_text({"kind": "unkept"})


def kept_failure(error: Exception) -> str:
    """Return the stored form of a failure: the message that the model received."""
    told = error.message if isinstance(error, InputRefused) else error_text(error)
    return to_json_text({"kind": "failed", "value": clean_text(told)})


def outcome(row: GateRow) -> Any:
    """Return the stored result of a finished step; raise an error for any other end.

    Raises `TurnGateTimeout` where nobody decided in time, and `InputRefused` otherwise.
    """
    if row.state == "done":
        return _result(json.loads(row.result or "{}"))
    if row.state == "expired":
        raise TurnGateTimeout(f"nobody decided about {row.tool} in time, which counts as a no")
    if row.state == "denied":
        said = f", saying: {row.note}" if row.note else ""
        raise InputRefused(f"a person looked at this call and refused it{said}; do not repeat it")
    if row.state == "failed":
        raise InputRefused(str(json.loads(row.result or "{}").get("value", "it failed")))
    raise InputRefused(
        f"{row.tool} was approved and may have run, but how it ended is not known ({row.state}); "
        "do not repeat it"
    )


def _result(form: Mapping[str, Any]) -> Any:
    match form.get("kind"):
        case "json":
            return form["value"]
        case "bytes":
            return base64.b64decode(form["value"])
        case _:
            raise InputRefused(
                "this step was done before the restart and its result was too large to keep; do "
                "not repeat it"
            )
