"""A GGUF file before llama.cpp opens it: its header is checked, and its pages are read ahead.

llama.cpp refuses most bad files without a reason, and some end the whole process: a number of
layers that is 0 or absurd fails an assertion in C++. So the header is read here first, by the
published layout: magic, version, counts, then keys with values, then the tensors' places.
"""

from __future__ import annotations

import mmap
import struct
import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeGuard

from tether.batteries.models.errors import LocalModelFailed
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
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
"""The `struct` formats of the kinds of number."""

Stage = Literal["starting", "reading", "opening", "loaded"]
PIECE_BYTES = 8 << 20
STEPS = 20
"""About how many times the reading of a file is reported."""


class GgufFacts(NamedTuple):
    """The facts in the header of a model's file."""

    size: int
    architecture: str
    layers: int
    trained_window: int
    """The number of tokens that the model was trained for."""


def read_gguf(path: Path) -> GgufFacts:
    """Return the facts about the model in a file; raises `InputRefused` if it is not a model."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise InputRefused(f"{str(path)!r} is not a file: give the path of a GGUF file")
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
            raise self._refused(f"it has GGUF version {version}, and only {known} can be read")

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
            raise self._refused("it names no architecture: it contains something else")
        layers = values.get(f"{architecture}.block_count")
        window = values.get(f"{architecture}.context_length")
        if not _is_count(layers) or layers > MOST_LAYERS:
            raise self._refused(f"it claims that the model has {layers!r} layers")
        if not _is_count(window) or window > MOST_TOKENS:
            raise self._refused(f"it claims that the model's window is {window!r} tokens")
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
        """Skip a list, such as the vocabulary: nothing here needs it."""
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
        return InputRefused(f"{str(self._path)!r} is not a model that can be run: {why}")


def _number(kind: int) -> str:
    layout = _NUMBERS.get(kind)
    if layout is None:
        raise struct.error
    return layout


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class LoadProgress(NamedTuple):
    """The progress of loading a model.

    `reading` is measured: the bytes of the file in memory. llama.cpp reports nothing between
    `opening` and `loaded`.
    """

    stage: Stage
    model: str
    bytes_read: int
    bytes_total: int
    seconds: float


class LoadReports:
    """Reports the progress of loading one model; `report` returns True when nobody waits for it."""

    __slots__ = ("_began", "_bytes", "_model", "_report", "_total")

    def __init__(self, model: str, total: int, report: Callable[[LoadProgress], bool]) -> None:
        self._model = model
        self._total = total
        self._report = report
        self._began = time.monotonic()
        self._bytes = 0

    def tell(self, stage: Stage) -> bool:
        """Report a stage; return True when nobody waits for the next."""
        seconds = time.monotonic() - self._began
        return self._report(LoadProgress(stage, self._model, self._bytes, self._total, seconds))

    def go_on(self, stage: Stage) -> None:
        """Report a stage; raises `LocalModelFailed` when nobody waits for the next."""
        if self.tell(stage):
            raise LocalModelFailed(f"the loading of {self._model!r} was given up")

    def read_ahead(self, path: Path) -> None:
        """Read the file once, so that its pages are in memory when llama.cpp maps it.

        The package keeps Python's lock while llama.cpp loads, which stops every thread; reading
        here does not, and from a slow disk it takes most of the time.
        """
        step, reported = max(self._total // STEPS, PIECE_BYTES), 0
        buffer = bytearray(PIECE_BYTES)
        with path.open("rb", buffering=0) as file:
            while got := file.readinto(buffer):
                self._bytes += got
                if self._bytes - reported >= step or self._bytes >= self._total:
                    reported = self._bytes
                    self.go_on("reading")
