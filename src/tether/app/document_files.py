"""The files of indexed documents: their paths, the lines of quotes, and whether they have changed.

What a document is called in an index is a key. People and their programs need the file.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from tether.app.paths import without_detours
from tether.app.search import known_sources, open_index
from tether.core.errors import InputRefused
from tether.retrieval.index.plan import prefixes
from tether.retrieval.index.records import content_hash

if TYPE_CHECKING:
    from tether.ask.answer import Answer
    from tether.retrieval.hit import Findings
    from tether.retrieval.index.snapshot import Snapshot

FileState = Literal["same", "changed", "gone"]

CHANGES: Mapping[FileState | None, str] = {
    "changed": "the file was changed after it was indexed",
    "gone": "the file is gone",
}
"""What people have to know about a source."""

_IN_LINES = frozenset({"markdown", "mdx", "rst", "text", "source"})
"""The kinds of documents whose text is that of the file: a place in it is a line of the file."""


@dataclass(frozen=True, slots=True)
class DocumentFiles:
    """The folders of the documents of an index, by the prefix of their keys."""

    folders: Mapping[str, Path] = field(default_factory=dict[str, Path])

    @classmethod
    def of(cls, sources: Sequence[str]) -> DocumentFiles:
        """Return the files of an index with these sources; those on the web have none."""
        local = {name: before for name, before in prefixes(sources).items() if name[:1] == "/"}
        return cls({before: without_detours(Path(name)) for name, before in local.items()})

    def path(self, document: str) -> Path | None:
        """Return where the file of a document is, or was; None for one that has no file.

        A key with escapes stands for a name that cannot be printed, and has no path here either.
        """
        for before, folder in self.folders.items():
            below = document.removeprefix(before)
            if document.startswith(before) and _is_plain(below):
                is_itself = folder.name == below and not folder.is_dir()
                return folder if is_itself else folder / below
        return None

    def state(self, document: str, version: str) -> FileState | None:
        """Compare a file with the version that was indexed; None where that is not possible."""
        path = self.path(document)
        if path is None or not version:
            return None
        try:
            return "same" if content_hash(path.read_bytes()) == version else "changed"
        except (FileNotFoundError, NotADirectoryError):
            return "gone"
        except OSError:
            return None


def _is_plain(below: str) -> bool:
    path = PurePosixPath(below)
    is_inside = not path.is_absolute() and ".." not in path.parts
    return is_inside and below.isprintable() and "\\" not in below and "://" not in below


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a quote or a passage is: the file, its lines from 1, and how the file is today.

    Everything is None for a page of the web. The lines are None where the document is not read line
    by line, such as PDF, and are those of the version that was indexed.
    """

    path: str | None
    line: int | None
    end_line: int | None
    file: FileState | None


@dataclass(frozen=True, slots=True)
class Locator:
    """Finds the places of quotes and passages of one snapshot."""

    files: DocumentFiles
    snapshot: Snapshot

    def place(self, document: str, start: int, end: int, version: str = "") -> Place:
        """Return the place of `document.text[start:end]`, of a version if one is given.

        A start below 0 stands for a part that is not known.
        """
        path = self.files.path(document)
        try:
            found = self.snapshot.document(document)
        except InputRefused:
            found = None
        known = version or (found.content if found else "")
        lines: tuple[int | None, int | None] = (None, None)
        is_known = start >= 0 and found is not None and found.content == known
        if path and found and is_known and found.kind in _IN_LINES:
            lines = _lines(found.text, start, end)
        return Place(
            path=None if path is None else str(path),
            line=lines[0],
            end_line=lines[1],
            file=self.files.state(document, known),
        )

    def answer_form(self, answer: Answer) -> dict[str, Any]:
        """Return an answer as JSON, with the place of every citation and passage."""
        form = answer.to_json()
        for cited in form["citations"]:
            place = self.place(cited["document"], cited["start"], cited["end"], cited["version"])
            cited.update(asdict(place))
        for read in form["consulted"]:
            start, end = self._span(read["document"], read["chunk"])
            read.update(asdict(self.place(read["document"], start, end, read["version"])))
        return form

    def findings_form(self, findings: Findings) -> dict[str, Any]:
        """Return findings as JSON, with the place of every passage."""
        form = asdict(findings)
        for hit in form["hits"]:
            chunk = hit["chunk"]
            hit.update(asdict(self.place(chunk["document"], chunk["start"], chunk["end"])))
        return form

    def _span(self, document: str, id: str) -> tuple[int, int]:
        number = self.snapshot.document_number(document)
        rows = () if number is None else self.snapshot.rows_of(number)
        found = (chunk for chunk in self.snapshot.chunks(rows) if chunk.id == id)
        return next(((chunk.start, chunk.end) for chunk in found), (-1, -1))


@contextmanager
def opened_locator(index: Path) -> Generator[Locator]:
    """Yield a locator for the index in a folder; raises the errors of opening one."""
    with open_index(index).snapshot() as snapshot:
        yield Locator(DocumentFiles.of(known_sources(index)), snapshot)


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the first and the last line of a part of a text, without the blank ones around it."""
    inner = text[start:end]
    first = start + len(inner) - len(inner.lstrip())
    last = start + len(inner.rstrip())
    return text.count("\n", 0, first) + 1, text.count("\n", 0, max(first, last)) + 1
