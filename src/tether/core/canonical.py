"""JSON with one spelling: the ground for checksums, and a strict way in."""

from __future__ import annotations

import json
import json.encoder
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from tether.core.copying import SCALARS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JsonValue = Any
"""What `json` reads and writes; checked where it enters, typed where it is used."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def _no_json_form(value: object) -> None:
    raise TypeError(f"{value!r} is not a JSON value")


def _encoder() -> Callable[[JsonValue], str]:
    """Return the encoder of the canonical form.

    `json` builds a C encoder anew for every value; building it once halves the cost of a checksum.
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

    Raises `ValueError` for what has no JSON form: NaN and infinities, keys that are not text, lone
    surrogates, circular structures, and objects of other types.
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
    """`json` makes text of numbers and None as keys: two different keys could collide."""
    if isinstance(value, dict):
        for key, inner in cast("dict[object, JsonValue]", value).items():
            if type(key) is not str:
                raise ValueError(f"has no JSON form: the key {key!r} is not text")
            if type(inner) not in SCALARS:
                _refuse_odd_keys(inner)
    elif isinstance(value, (list, tuple)):
        for inner in cast("list[JsonValue]", value):
            if type(inner) not in SCALARS:
                _refuse_odd_keys(inner)
