"""Looking at a GGUF file before llama.cpp does.

llama.cpp refuses most bad files without saying why, and for some it ends the whole process: one
whose number of layers is 0 or absurd fails an assertion in C++. So its header is read here first,
by the published layout: magic, version, counts, then keys with values, then the tensors' places.
"""

from __future__ import annotations

import mmap
import struct
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
HEADER_BYTES = 24
ALIGNMENT = 32
MOST_DIMENSIONS = 4
MOST_LAYERS = 512
MOST_TOKENS = (1 << 31) - 1

_STRING, _ARRAY = 8, 9
_NUMBERS: dict[int, str] = dict(zip((*range(8), *range(10, 13)), "BbHhIif?Qqd", strict=True))
"""The numbers of the kinds of value, as `struct` writes them."""


class GgufFacts(NamedTuple):
    """What a model's file says of itself."""

    size: int
    architecture: str
    layers: int
    trained_window: int
    """How many tokens the model was trained to take at once."""


def read_gguf(path: Path) -> GgufFacts:
    """Return what the file says of its model; raises `InputRefused` where it cannot hold one."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise InputRefused(f"{str(path)!r} is no file: give the path of a GGUF file")
        if size < HEADER_BYTES:
            raise InputRefused(f"{str(path)!r} has {size} bytes: too few for a GGUF file")
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Header(path, data).facts()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputRefused(f"the model {str(path)!r} cannot be read: {why}") from error


class _Header:
    """The header of one file, read from its beginning to its end."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self._path = path
        self._data = data
        self._at = 0

    def facts(self) -> GgufFacts:
        self._check_kind()
        tensors, keys = self._take("<QQ")
        try:
            values = {self._text(): self._value() for _ in range(keys)}
            self._check_tensors(tensors, values)
        except (struct.error, UnicodeDecodeError, RecursionError):
            raise self._refused(
                "its header breaks off or is damaged: get the file again, the download may have "
                "been cut"
            ) from None
        return self._facts(values)

    def _check_kind(self) -> None:
        if self._data[:4] != MAGIC:
            raise self._refused("it does not begin with GGUF: this is another kind of file")
        self._at = 4
        (version,) = self._take("<I")
        if version not in VERSIONS:
            known = " or ".join(map(str, VERSIONS))
            raise self._refused(f"it is of GGUF version {version}, and {known} can be read")

    def _check_tensors(self, tensors: int, values: Mapping[str, Any]) -> None:
        """Read where the tensors are: a file that ends before the last of them was cut."""
        furthest = 0
        for _ in range(tensors):
            self._text()
            (dimensions,) = self._take("<I")
            if dimensions > MOST_DIMENSIONS:
                raise struct.error
            *_, offset = self._take(f"<{dimensions}QIQ")
            furthest = max(furthest, offset)
        alignment = values.get("general.alignment", ALIGNMENT)
        begin = -(-self._at // alignment) * alignment if _is_count(alignment) else self._at
        size = len(self._data)
        if begin + furthest >= size:
            raise self._refused(
                f"it has {size} bytes, and its last tensor begins at {begin + furthest}: get the "
                f"file again, the download was cut"
            )

    def _facts(self, values: Mapping[str, Any]) -> GgufFacts:
        architecture = values.get("general.architecture")
        if not isinstance(architecture, str) or not architecture:
            raise self._refused("it names no architecture: it holds something else than a model")
        layers = values.get(f"{architecture}.block_count")
        window = values.get(f"{architecture}.context_length")
        if not _is_count(layers) or layers > MOST_LAYERS:
            raise self._refused(f"it says that the model has {layers!r} layers")
        if not _is_count(window) or window > MOST_TOKENS:
            raise self._refused(f"it says that the model's window is {window!r} tokens")
        return GgufFacts(len(self._data), architecture, layers, window)

    def _value(self) -> Any:
        (kind,) = self._take("<I")
        if kind == _STRING:
            return self._text()
        if kind == _ARRAY:
            self._skip_array()
            return None
        return self._take(f"<{_number(kind)}")[0]

    def _skip_array(self) -> None:
        """Pass over a list: the vocabulary is one, and nothing here needs it."""
        kind, length = self._take("<IQ")
        if kind == _STRING:
            for _ in range(length):
                self._skip(self._take("<Q")[0])
        elif kind == _ARRAY:
            for _ in range(length):
                self._skip_array()
        else:
            self._skip(length * struct.calcsize(f"<{_number(kind)}"))

    def _text(self) -> str:
        (length,) = self._take("<Q")
        begin = self._at
        self._skip(length)
        return self._data[begin : self._at].decode()

    def _skip(self, length: int) -> None:
        self._at += length
        if self._at > len(self._data):
            raise struct.error

    def _take(self, layout: str) -> tuple[Any, ...]:
        taken = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return taken

    def _refused(self, why: str) -> InputRefused:
        return InputRefused(f"{str(self._path)!r} is no model that can be run: {why}")


def _number(kind: int) -> str:
    layout = _NUMBERS.get(kind)
    if layout is None:
        raise struct.error
    return layout


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
