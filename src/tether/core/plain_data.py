"""Plain data: independent copies, and one canonical JSON text for checksums."""

from __future__ import annotations

import json
import json.encoder
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_SCALARS = frozenset({str, int, float, bool, type(None)})
"""The types of JSON's leaves, which cannot change and need no copy."""

JsonValue = Any
"""A value of `json`: checked where it enters, typed where it is used."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def copy_plain(value: Any) -> Any:
    """Copy dictionaries, lists, tuples, sets and bytearrays all the way down.

    Any other object is returned as it is: a live handle has no meaningful copy.
    """
    if type(value) in _SCALARS:
        return value
    if isinstance(value, dict):
        return {key: copy_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_plain(item) for item in value]
    if type(value) is tuple:
        return tuple(copy_plain(item) for item in value)
    if isinstance(value, (set, bytearray)):
        return value.copy()
    return value


def _no_json_form(value: object) -> None:
    raise TypeError(f"{value!r} is not a JSON value")


def _encoder() -> Callable[[JsonValue], str]:
    """Return the encoder of the canonical form.

    `json` builds a C encoder for every value; building it once halves the cost of a checksum.
    """
    settings = json.JSONEncoder(
        check_circular=False,
        allow_nan=False,
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # another interpreter than CPython
        return settings.encode
    sort_keys, skip_keys, allow_nan = True, False, False
    encode = make(
        None,
        _no_json_form,
        json.encoder.encode_basestring,
        None,
        ":",
        ",",
        sort_keys,
        skip_keys,
        allow_nan,
    )
    return lambda value: "".join(encode(value, 0))


_encode = _encoder()


def canonical_json(value: JsonValue) -> str:
    """Return the one text of a JSON value: keys sorted at every level, no spaces.

    Raises `ValueError` for values without a JSON form: NaN and infinities, keys that are not text,
    lone surrogates, circular structures, and objects of other types.
    """
    try:
        _refuse_odd_keys(value)
        text = _encode(value)
    except RecursionError:
        raise ValueError("has no JSON form: it is nested too deeply") from None
    except TypeError as error:
        raise ValueError(f"has no JSON form: {error}") from None
    if not text.isascii() and _SURROGATE.search(text):
        raise ValueError("has no JSON form: it contains a lone surrogate")
    return text


def tool_checksum(tool: str, args: Mapping[str, JsonValue]) -> str:
    """Return the SHA-256 of a tool's name and arguments: equal calls have equal checksums."""
    given = args if isinstance(args, dict) else dict(args)
    text = f'{{"args":{canonical_json(given)},"tool":{canonical_json(tool)}}}'
    return sha256(text.encode()).hexdigest()


def parse_json_object(text: str) -> dict[str, JsonValue]:
    """Read a JSON object; raises `ValueError` for anything else.

    Stricter than `json.loads`: duplicate keys, NaN, infinities and lone surrogates are refused,
    because two readers of such a text may disagree about its meaning.
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
    """Refuse keys that `json` would turn into text: two different keys could collide."""
    if isinstance(value, dict):
        for key, inner in cast("dict[object, JsonValue]", value).items():
            if type(key) is not str:
                raise ValueError(f"has no JSON form: the key {key!r} is not text")
            if type(inner) not in _SCALARS:
                _refuse_odd_keys(inner)
    elif isinstance(value, (list, tuple)):
        for inner in cast("list[JsonValue]", value):
            if type(inner) not in _SCALARS:
                _refuse_odd_keys(inner)
