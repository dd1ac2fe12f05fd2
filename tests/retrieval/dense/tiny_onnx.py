"""ONNX files of one operation, written by hand: the format is protobuf, and a few fields suffice.

    tiny_onnx("Identity")  # the token numbers as floats

The graph reads token numbers, makes floats of them, and applies the operation to those.
"""

from __future__ import annotations

from collections.abc import Sequence

FLOAT, INT64 = 1, 7


def _varint(number: int) -> bytes:
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def _field(number: int, value: int | bytes | str) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def along_the_tokens() -> bytes:
    """An attribute: the operation joins what is along the second axis."""
    return _field(1, "axes") + _field(8, 1) + _field(20, 7)


def _node(kind: str, inputs: list[str], output: str, attributes: Sequence[bytes]) -> bytes:
    named = b"".join(_field(1, name) for name in inputs)
    given = b"".join(_field(5, attribute) for attribute in attributes)
    return named + _field(2, output) + _field(4, kind) + given


def _value(name: str, kind: int, dimensions: int) -> bytes:
    shape = b"".join(_field(1, _field(2, f"{name}{axis}")) for axis in range(dimensions))
    tensor = _field(1, kind) + _field(2, shape)
    return _field(1, name) + _field(2, _field(1, tensor))


def tiny_onnx(
    kind: str,
    *,
    attributes: Sequence[bytes] = (),
    both: bool = False,
    dimensions: int = 2,
    reads: str = "input_ids",
) -> bytes:
    """Return the model that applies an operation to the floats.

    With `both` it gets them twice. Its output has so many `dimensions`.
    """
    cast = _node("Cast", [reads], "floats", [_field(1, "to") + _field(3, FLOAT) + _field(20, 2)])
    used = _node(kind, ["floats", "floats"] if both else ["floats"], "output", attributes)
    graph = (
        _field(1, cast)
        + _field(1, used)
        + _field(2, "tiny")
        + _field(11, _value(reads, INT64, 2))
        + _field(12, _value("output", FLOAT, dimensions))
    )
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))
