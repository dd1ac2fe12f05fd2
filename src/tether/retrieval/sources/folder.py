"""A folder of documents: all files below it, each as an item to read or a state."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tether.retrieval.errors import DocumentUnreadable, SourceUnavailable
from tether.retrieval.readers.man_looks import FIRST_BYTES, looks_like_man, man_section
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.files import (
    KINDS,
    Entry,
    entries_of,
    file_version,
    first_bytes,
    opened_folder,
    opened_root,
    read_file,
    too_large,
)
from tether.retrieval.sources.folder_settings import FolderSettings, anchor_style, page_url
from tether.retrieval.sources.ignore_rules import (
    GIT_RULES,
    MOST_RULES,
    OWN_RULES,
    FolderFilter,
    FolderRules,
    Rule,
    parse_rules,
)
from tether.retrieval.sources.names import readable

if TYPE_CHECKING:
    from tether.retrieval.sources.ignore_rules import Names

_MOST_RULE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is still to be listed, with the rules from above it."""

    path: Names
    rules: FolderRules


class FolderSource:
    """Every file below a folder, as an item or as a state that says why it is left out.

    The key of a file is its path below the folder, with escapes for unprintable characters. A
    folder that is left out, or cannot be opened, has one state for its whole content; its key ends
    in a slash. Links are never followed. The files of a folder come before its folders, both by
    name.

    Raises `SourceUnavailable` if the folder is missing, cannot be read, vanishes during the scan,
    or is empty: a disk that is not mounted looks like that.
    """

    __slots__ = ("_filter", "_path", "_settings")

    def __init__(
        self, path: str | os.PathLike[str], settings: FolderSettings | None = None
    ) -> None:
        self._path = Path(path).absolute()
        self._settings = settings or FolderSettings()
        self._filter = FolderFilter(self._settings)

    @property
    def name(self) -> str:
        """Return the full path of the folder."""
        return readable(os.fsencode(self._path))

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Yield every file below the folder, one folder at a time."""
        try:
            with opened_root(self._path) as root:
                style = self._settings.anchors or anchor_style(self._path)
                for found in self._walk(root):
                    yield replace(found, anchors=style) if isinstance(found, SourceItem) else found
                self._require_same(root)
        except OSError as error:
            raise self._unavailable(why_unreadable(error)) from error

    def _walk(self, root: int) -> Iterator[SourceItem | DocumentState]:
        waiting = [_Folder((), FolderRules())]
        while waiting:
            folder = waiting.pop()
            try:
                with opened_folder(root, folder.path) as opened:
                    entries = entries_of(opened)
                    rules = self._rules(opened, folder, entries)
                    yield from self._files(opened, folder.path, rules, entries)
            except FileNotFoundError:
                continue  # gone since it was listed; a missing root is detected at the end
            except OSError as error:
                yield self._unreadable_folder(folder.path, why_unreadable(error))
            except DocumentUnreadable as error:
                yield self._unreadable_folder(folder.path, error.message)
            else:
                yield from self._folders(folder.path, rules, entries, waiting)

    def _unreadable_folder(self, path: Names, reason: str) -> DocumentState:
        if not path:
            raise self._unavailable(reason)
        return DocumentState(key=f"{_key(path)}/", state="failed", reason=reason)

    def _rules(self, opened: int, folder: _Folder, entries: list[Entry]) -> FolderRules:
        """Return the rules for a folder; raises `DocumentUnreadable`."""
        if not folder.path and not entries:
            raise self._unavailable("it is empty; is its disk mounted?")
        if not self._settings.ignore_files:
            return folder.rules
        files = {entry.name for entry in entries if entry.kind == "file"}
        own, git = (
            _read_rules(opened, folder.path, name) if name in files else ()
            for name in (OWN_RULES, GIT_RULES)
        )
        return FolderRules(own=folder.rules.own.and_below(own), git=folder.rules.git.and_below(git))

    def _files(
        self, opened: int, path: Names, rules: FolderRules, entries: list[Entry]
    ) -> Iterator[SourceItem | DocumentState]:
        for entry in entries:
            if entry.kind == "folder":
                continue
            place = (*path, entry.name)
            reason = self._filter.file(place, rules)
            if not reason:
                is_link = entry.kind == "link"
                reason = self._link(place) if is_link else self._filter.kind(entry.name)
            if reason:
                yield DocumentState(key=_key(place), state="skipped", reason=reason)
            else:
                yield from self._file(opened, place)

    def _file(self, opened: int, place: Names) -> Iterator[SourceItem | DocumentState]:
        key = _key(place)
        try:
            status = os.stat(place[-1], dir_fd=opened, follow_symlinks=False)
        except FileNotFoundError:
            return  # gone since it was listed
        kind = stat.S_IFMT(status.st_mode)
        if kind != stat.S_IFREG:
            reason = f"it is {KINDS.get(kind, 'a link')}, not a file"
            yield DocumentState(key=key, state="skipped", reason=reason)
        elif status.st_size > self._settings.max_bytes:
            reason = too_large(status.st_size, self._settings.max_bytes)
            yield DocumentState(key=key, state="failed", reason=reason)
        elif self._is_other(opened, place[-1], status.st_size):
            reason = "it has the ending of a manual page, but is none"
            yield DocumentState(key=key, state="skipped", reason=reason)
        else:
            yield self._item(place, key, file_version(status))

    def _is_other(self, opened: int, name: bytes, size: int) -> bool:
        """Return whether a file only has the ending of a manual page: a release, an old log."""
        if not man_section(readable(name)) or size == 0:
            return False
        opening = first_bytes(opened, name, FIRST_BYTES)
        return opening != b"" and not looks_like_man(opening)

    def _item(self, place: Names, key: str, version: str) -> SourceItem:
        return SourceItem(
            key=key,
            name=readable(place[-1]),
            version=version,
            load=partial(load_file, self._path, place, self._settings.max_bytes),
            url=page_url(
                b"/".join(place), base_url=self._settings.base_url, style=self._settings.url_style
            ),
        )

    def _folders(
        self, path: Names, rules: FolderRules, entries: list[Entry], waiting: list[_Folder]
    ) -> Iterator[DocumentState]:
        """Yield the folders that are left out, and queue the others."""
        beside = frozenset(readable(entry.name) for entry in entries if entry.kind == "file")
        following: list[_Folder] = []
        for entry in entries:
            if entry.kind != "folder":
                continue
            place = (*path, entry.name)
            if reason := self._filter.folder(place, rules, beside):
                yield DocumentState(key=f"{_key(place)}/", state="skipped", reason=reason)
            else:
                following.append(_Folder(place, rules))
        waiting.extend(reversed(following))

    def _link(self, place: Names) -> str:
        try:
            target = self._path.joinpath(*map(os.fsdecode, place)).resolve(strict=True)
        except (OSError, RuntimeError) as error:  # the second: a circle, before Python 3.13
            circle = isinstance(error, RuntimeError) or error.errno == errno.ELOOP
            return f"it is a link {'that leads in a circle' if circle else 'to nothing'}"
        home = self._path.resolve()
        if not target.is_relative_to(home):
            return "it is a link out of the folder, which is not followed"
        inside = readable(os.fsencode(target.relative_to(home)))
        return f"it is a link to {inside}, where it is read"

    def _require_same(self, root: int) -> None:
        """Raise `SourceUnavailable` if the folder was replaced during the scan."""
        if not os.path.samestat(self._path.stat(), os.fstat(root)):
            raise self._unavailable("another folder took its place while it was read")

    def _unavailable(self, reason: str) -> SourceUnavailable:
        return SourceUnavailable(f"the folder {self.name} cannot be indexed: {reason}")


def why_unreadable(error: OSError) -> str:
    """Return a plain reason why a file or folder could not be opened."""
    if isinstance(error, FileNotFoundError):
        return "it is not there"
    if isinstance(error, PermissionError):
        return "it may not be read; check its permissions"
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "there is a link or a file in place of a folder"
    return f"it cannot be read ({error.strerror})"


def load_file(root: Path, place: Names, most: int) -> bytes:
    """Return the bytes of a file; raises `DocumentUnreadable`."""
    try:
        with opened_root(root) as opened, opened_folder(opened, place[:-1]) as folder:
            return read_file(folder, place[-1], most)
    except OSError as error:
        raise DocumentUnreadable(why_unreadable(error)) from error


def _key(place: Names) -> str:
    return readable(b"/".join(place))


def _read_rules(opened: int, path: Names, name: bytes) -> tuple[Rule, ...]:
    """Return the rules of a file.

    Raises `DocumentUnreadable` if it cannot be read: without its rules, secret or generated files
    might be indexed.
    """
    origin = _key((*path, name))
    try:
        data = read_file(opened, name, _MOST_RULE_BYTES)
    except (OSError, DocumentUnreadable) as error:
        why = error.message if isinstance(error, DocumentUnreadable) else why_unreadable(error)
        raise DocumentUnreadable(f"its rules in {origin} cannot be followed: {why}") from error
    rules = parse_rules(data, base=path, origin=origin)
    if len(rules) > MOST_RULES:
        raise DocumentUnreadable(f"{origin} has more than {MOST_RULES:,} rules")
    return rules
