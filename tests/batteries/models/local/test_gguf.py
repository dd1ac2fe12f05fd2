"""Files that may reach llama.cpp, which ends the process for some and gives no reason for others.

The files are written here by the published layout of GGUF.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.models.local.gguf import read_gguf
from tether.core.errors import InputRefused

UINT32, STRING, ARRAY = 4, 8, 9
MODEL: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": 30,
    "llama.context_length": 8192,
}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(content: Any) -> bytes:
    """Write a text, a number, or bytes that are a value of any kind already."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return struct.pack("<I", STRING) + text(content)
    return struct.pack("<II", UINT32, content)


def gguf(keys: dict[str, Any], *, version: int = 3, offset: int = 0, data: int = 64) -> bytes:
    """Write a file with one tensor, which begins at an offset in so many bytes of data."""
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(keys))
    head += b"".join(text(name) + value(content) for name, content in keys.items())
    head += text("output.weight") + struct.pack("<I2QIQ", 2, 4, 4, 0, offset)
    return head + bytes(-len(head) % 32) + bytes(data)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def refusal(file: Path, content: bytes) -> str:
    file.write_bytes(content)
    with pytest.raises(InputRefused) as refused:
        read_gguf(file)
    assert str(file) in refused.value.message
    return refused.value.message


def test_a_model_says_what_it_is(file: Path) -> None:
    file.write_bytes(gguf(MODEL))
    facts = read_gguf(file)
    assert facts.architecture == "llama"
    assert facts.layers == 30
    assert facts.trained_window == 8192
    assert facts.size == file.stat().st_size


def test_values_of_every_kind_are_passed_over(file: Path) -> None:
    numbers = {kind: struct.pack("<I", kind) + bytes(size) for kind, size in SIZES.items()}
    texts = struct.pack("<IIQ", ARRAY, STRING, 2) + text("ein") + text("ß")
    floats = struct.pack("<IIQ", ARRAY, 6, 3) + bytes(12)
    nested = struct.pack("<IIQ", ARRAY, ARRAY, 2) + 2 * (struct.pack("<IQ", 1, 5) + bytes(5))
    others = {f"a{kind}": content for kind, content in numbers.items()}
    file.write_bytes(gguf(others | {"texts": texts, "floats": floats, "nested": nested} | MODEL))
    assert read_gguf(file).layers == 30


SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def test_the_real_model_says_what_it_is(smollm2: Path) -> None:
    facts = read_gguf(smollm2)
    assert (facts.architecture, facts.layers, facts.trained_window) == ("llama", 30, 8192)


def test_a_missing_file_is_named(file: Path) -> None:
    with pytest.raises(InputRefused, match=r"model\.gguf' cannot be read: No such file"):
        read_gguf(file)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="is not a file"):
        read_gguf(tmp_path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "has 0 bytes"),
        (b"GGUF", "has 4 bytes"),
        (b"GGML" + gguf(MODEL)[4:], "does not begin with GGUF"),
        (b"<!DOCTYPE html><title>Sign in to download</title>", "another kind of file"),
        (gguf(MODEL, version=1), "version 1"),
        (gguf(MODEL, version=99), "version 99"),
        (gguf(MODEL, offset=64), "its last tensor begins at"),
        (gguf({}), "no architecture"),
        (gguf({"general.architecture": ""}), "no architecture"),
        (gguf({"general.architecture": 3}), "no architecture"),
        (gguf(MODEL | {"general.alignment": 0, "x": value("y") + b"\xff" * 8}), "damaged"),
        (gguf(MODEL | {"odd": struct.pack("<I", 77)}), "damaged"),
        (gguf(MODEL | {"odd": struct.pack("<IIQ", ARRAY, 77, 1)}), "damaged"),
        (gguf(MODEL | {"long": struct.pack("<IQ", STRING, 1 << 63)}), "damaged"),
        (gguf(MODEL | {"bytes": struct.pack("<IQ", STRING, 1) + b"\xff"}), "damaged"),
        (gguf(MODEL | {"deep": struct.pack("<I", ARRAY) + b"\x09\0\0\0\x01" * 99}), "damaged"),
    ],
)
def test_what_is_no_model_is_refused_with_the_reason(file: Path, content: bytes, why: str) -> None:
    assert why in refusal(file, content)


def test_lists_in_lists_without_end_are_refused(file: Path) -> None:
    nested = struct.pack("<I", ARRAY) + struct.pack("<IQ", ARRAY, 1) * 10_000
    assert "damaged" in refusal(file, gguf(MODEL | {"deep": nested}))


@pytest.mark.parametrize("layers", [0, 513, (1 << 32) - 1, "many", struct.pack("<I?", 7, True)])
def test_a_number_of_layers_that_ends_the_process_is_refused(file: Path, layers: Any) -> None:
    assert "layers" in refusal(file, gguf(MODEL | {"llama.block_count": layers}))


@pytest.mark.parametrize("window", [0, 1 << 31, "long"])
def test_a_window_that_ends_the_process_is_refused(file: Path, window: Any) -> None:
    assert "window" in refusal(file, gguf(MODEL | {"llama.context_length": window}))


def test_a_tensor_of_too_many_dimensions_is_refused(file: Path) -> None:
    content = gguf(MODEL).replace(text("output.weight") + b"\x02", text("output.weight") + b"\x09")
    assert "damaged" in refusal(file, content)


def test_a_download_that_was_cut_anywhere_in_the_header_is_refused(file: Path) -> None:
    whole = gguf(MODEL)
    for length in range(24, len(whole) - 64 + 1):
        refusal(file, whole[:length])


def test_an_alignment_of_its_own_moves_the_tensors(file: Path) -> None:
    content = gguf(MODEL | {"general.alignment": 1 << 20})
    assert "1048576" in refusal(file, content)


@given(place=st.integers(0, len(gguf(MODEL)) - 1), byte=st.integers(0, 255))
def test_whatever_byte_is_wrong_the_answer_is_a_refusal_or_a_model(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    content = bytearray(gguf(MODEL))
    content[place] = byte
    file = tmp_path_factory.getbasetemp() / "changed.gguf"
    file.write_bytes(content)
    try:
        assert 1 <= read_gguf(file).layers <= 512
    except InputRefused as refused:
        assert refused.message  # noqa: PT017  # either end is right
