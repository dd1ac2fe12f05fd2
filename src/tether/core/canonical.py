"""JSON with one spelling: the ground for checksums, and a strict way in."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

JsonValue = Any
"""What `json` reads and writes; checked where it enters, typed where it is used."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


def canonical_json(value: JsonValue) -> str:
    """Return the one text of a JSON value: keys sorted at every level, no spaces.

    Raises `ValueError` for what has no JSON form: NaN and infinities, keys that are not text, lone
    surrogates, circular structures, and objects of other types.
    """
    _refuse_odd_keys(value)
    try:
        text = _encode(value)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"has no JSON form: {error}") from None
    if not text.isascii() and _SURROGATE.search(text):
        raise ValueError("has no JSON form: it contains a lone surrogate")
    return text


def tool_checksum(tool: str, args: Mapping[str, JsonValue]) -> str:
    """Return the SHA-256 of a tool's name and arguments: equal calls have equal checksums."""
    text = canonical_json({"args": dict(args), "tool": tool})
    return sha256(text.encode()).hexdigest()


def parse_json_object(text: str) -> dict[str, JsonValue]:
    """Read a JSON object; raise `ValueError` for anything else.

    Stricter than `json.loads`: duplicate keys, NaN, infinities and lone surrogates are refused,
    because two readers of such a text may disagree about what it says.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"must be a JSON object, not {type(value).__name__}")
    canonical_json(value)
    return cast("dict[str, JsonValue]", value)


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("contains a key twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"contains {name}, which is not JSON")


def _refuse_odd_keys(value: JsonValue) -> None:
    """`json` turns numbers and None into text keys by itself; two different keys could then collide."""
    pending: list[JsonValue] = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if isinstance(item, (dict, list, tuple)):
            if id(item) in seen:
                continue
            seen.add(id(item))
        if isinstance(item, dict):
            for key, inner in cast("dict[object, JsonValue]", item).items():
                if not isinstance(key, str):
                    raise ValueError(f"has no JSON form: the key {key!r} is not text")
                pending.append(inner)
        elif isinstance(item, (list, tuple)):
            pending.extend(cast("list[JsonValue]", item))
