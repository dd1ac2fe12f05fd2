"""A set of arrays in a folder: written as a draft, renamed when complete, mapped read-only.

Each file is the bytes of an array and a footer with their checksum. The manifest lists the files,
and the database stores the checksum of the manifest. A missing, truncated or swapped file is
detected when the set is opened, a changed byte when it is verified.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from errno import ENOENT
from hashlib import sha256
from io import FileIO
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tether.core.plain_data import canonical_json
from tether.retrieval.errors import IndexDamaged, IndexFormatUnsupported
from tether.retrieval.index.files import lock_for_reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tether.retrieval.index.files import Files

Array = Any
"""An array of any of the plain types."""

MANIFEST = "manifest.json"
DRAFT = ".draft"
ENDING = ".array"
FORMAT = 1
MAGIC = b"tether01"
FOOTER_BYTES = 64
BLOCK_BYTES = 1 << 22
_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,80}")
_KINDS = "iufb"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayFile:
    """One file of a set, as the manifest lists it."""

    dtype: str
    shape: tuple[int, ...]
    checksum: str

    @property
    def size(self) -> int:
        """The number of bytes of the array."""
        return int(prod(self.shape)) * np.dtype(self.dtype).itemsize

    @property
    def footer(self) -> bytes:
        """The bytes at the end of the file."""
        ending = MAGIC + bytes.fromhex(self.checksum) + self.size.to_bytes(8, "little")
        return ending.ljust(FOOTER_BYTES, b"\0")


class Draft:
    """A set that is being written; it is invisible until `finish`."""

    def __init__(self, files: Files, folder: Path) -> None:
        self._files = files
        self._target = folder
        self.folder = folder.with_name(folder.name + DRAFT)
        self._listed: dict[str, ArrayFile] = {}
        files.make_folder(self.folder)

    def add(self, name: str, array: NDArray[Array]) -> None:
        """Write an array of one or two dimensions and of a plain type."""
        block = np.ascontiguousarray(array)
        self.add_blocks(name, [block], dtype=block.dtype, shape=block.shape)

    def add_blocks(
        self,
        name: str,
        blocks: Iterable[NDArray[Array]],
        *,
        dtype: np.dtype[Array],
        shape: tuple[int, ...],
    ) -> None:
        """Write an array in blocks of rows, so that it never has to fit into memory."""
        plain = dtype.newbyteorder("<")
        if plain.kind not in _KINDS or not _NAME.fullmatch(name):
            raise ValueError(f"the array {name!r} of type {dtype} has no form in an index")
        hasher = sha256()
        with self._files.new(self.folder / (name + ENDING)) as descriptor:
            for block in blocks:
                for data in _pieces(np.ascontiguousarray(block, dtype=plain)):
                    hasher.update(data)
                    self._files.write(descriptor, data)
            listed = ArrayFile(dtype=plain.str, shape=shape, checksum=hasher.hexdigest())
            self._files.write(descriptor, listed.footer)
        self._listed[name] = listed

    def mapped(self, name: str) -> NDArray[Array]:
        """Return an array of this draft, from which others are built."""
        return _mapped(self.folder / (name + ENDING), self._listed[name])

    def finish(self, facts: Mapping[str, object]) -> str:
        """Write the manifest, rename the folder, and return the checksum of the manifest."""
        arrays = {
            name: {"dtype": file.dtype, "shape": list(file.shape), "sha256": file.checksum}
            for name, file in self._listed.items()
        }
        text = canonical_json({"format": FORMAT, "facts": dict(facts), "arrays": arrays})
        with self._files.new(self.folder / MANIFEST) as descriptor:
            self._files.write(descriptor, text.encode())
        self._files.sync_folder(self.folder)
        self._files.rename(self.folder, self._target)
        return sha256(text.encode()).hexdigest()


def _pieces(block: NDArray[Array]) -> Iterable[memoryview]:
    """Return the bytes in parts small enough for one write."""
    data = memoryview(block.reshape(-1).view(np.uint8).data) if block.size else memoryview(b"")
    return (data[start : start + BLOCK_BYTES] for start in range(0, len(data), BLOCK_BYTES))


class ArraySet:
    """A finished set, kept open: its files are not removed until it is closed.

    Raises `FileNotFoundError` if the set is gone or being removed, and `IndexDamaged`.
    """

    def __init__(self, folder: Path, checksum: str) -> None:
        descriptor = lock_for_reading(folder / MANIFEST)
        if descriptor is None:
            raise FileNotFoundError(ENOENT, "is being removed", str(folder / MANIFEST))
        self.folder = folder
        self._held = _file_of(descriptor)
        try:
            self.facts, self.listed = _manifest(folder, self._held.fileno(), checksum)
            for name, file in self.listed.items():
                _check_footer(folder / (name + ENDING), file)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the files; arrays that are still in use stay mapped."""
        self._held.close()

    def array(self, name: str) -> NDArray[Array]:
        """Return an array, mapped read-only; raises `IndexDamaged` if the set does not list it."""
        file = self.listed.get(name)
        if file is None:
            raise self._damaged(MANIFEST, f"lists no array {name!r}")
        return _mapped(self.folder / (name + ENDING), file)

    def under(self, prefix: str) -> dict[str, NDArray[Array]]:
        """Return the arrays of one lane by the names that the lane gave them."""
        size = len(prefix) + 1
        return {
            name[size:]: self.array(name) for name in self.listed if name.startswith(f"{prefix}.")
        }

    def verify(self, name: str) -> NDArray[Array]:
        """Return an array after checking every byte of it; raises `IndexDamaged`."""
        array = self.array(name)
        hasher = sha256()
        for data in _pieces(array):
            hasher.update(data)
        if hasher.hexdigest() != self.listed[name].checksum:
            raise self._damaged(name + ENDING, "was changed after it was written")
        return array

    def _damaged(self, file: str, what: str) -> IndexDamaged:
        name = f"{self.folder.name}/{file}"
        return IndexDamaged(f"{name} {what}", file=name)


def _file_of(descriptor: int) -> FileIO:
    """Return a file object, which warns if it is never closed."""
    try:
        return FileIO(descriptor)
    except OSError:
        os.close(descriptor)
        raise


def _mapped(path: Path, file: ArrayFile) -> NDArray[Array]:
    if not file.size:  # an empty file cannot be mapped
        return np.zeros(file.shape, dtype=file.dtype)
    return np.memmap(path, dtype=file.dtype, mode="r", shape=file.shape)


def _manifest(
    folder: Path, descriptor: int, checksum: str
) -> tuple[dict[str, Any], dict[str, ArrayFile]]:
    name = f"{folder.name}/{MANIFEST}"
    data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    if sha256(data).hexdigest() != checksum:
        raise IndexDamaged(f"{name} was changed after it was written", file=name)
    manifest = json.loads(data)
    if manifest["format"] != FORMAT:
        raise IndexFormatUnsupported(
            f"{name} has format {manifest['format']!r}, and this version reads {FORMAT}",
            help="Update tether.",
        )
    listed = {
        name: ArrayFile(dtype=found["dtype"], shape=tuple(found["shape"]), checksum=found["sha256"])
        for name, found in manifest["arrays"].items()
    }
    return manifest["facts"], listed


def _check_footer(path: Path, file: ArrayFile) -> None:
    name = f"{path.parent.name}/{path.name}"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise IndexDamaged(f"{name} cannot be opened: {error.strerror}", file=name) from error
    try:
        size = os.fstat(descriptor).st_size
        footer = os.pread(descriptor, FOOTER_BYTES, file.size)
    finally:
        os.close(descriptor)
    if size != file.size + FOOTER_BYTES or footer != file.footer:
        raise IndexDamaged(f"{name} is cut, damaged, or another file", file=name)
