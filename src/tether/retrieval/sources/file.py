"""A single file as a source."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tether.retrieval.errors import SourceUnavailable
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.files import KINDS, file_version, too_large
from tether.retrieval.sources.folder import load_file, why_unreadable
from tether.retrieval.sources.folder_settings import FolderSettings, anchor_style, page_url
from tether.retrieval.sources.names import is_archive, is_secret, readable, why_not_this_file


class FileSource:
    """One file, named by a person: a link is followed, and the rules of folders do not apply.

    Its key is its name. A file with an unknown ending is read if it looks like text. Raises
    `SourceUnavailable` if there is no file.
    """

    __slots__ = ("_path", "_settings")

    def __init__(
        self, path: str | os.PathLike[str], settings: FolderSettings | None = None
    ) -> None:
        self._path = Path(path).absolute()
        self._settings = settings or FolderSettings()

    @property
    def name(self) -> str:
        """Return the full path of the file."""
        return readable(os.fsencode(self._path))

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Yield the one item, or the one state."""
        key = readable(os.fsencode(self._path.name))
        try:
            target = self._path.resolve(strict=True)
            status = target.stat()
        except (OSError, RuntimeError) as error:  # the second: links in a circle, before 3.13
            why = why_unreadable(error) if isinstance(error, OSError) else "it links in a circle"
            raise SourceUnavailable(f"the file {self.name} cannot be indexed: {why}") from error
        if reason := self._left_out(key, status):
            yield DocumentState(key=key, state="skipped", reason=reason)
        elif status.st_size > self._settings.max_bytes:
            reason = too_large(status.st_size, self._settings.max_bytes)
            yield DocumentState(key=key, state="failed", reason=reason)
        else:
            yield self._item(key, target, status)

    def _left_out(self, key: str, status: os.stat_result) -> str:
        kind = stat.S_IFMT(status.st_mode)
        if kind != stat.S_IFREG:
            return f"it is {KINDS[kind]}, not a file"
        if not self._settings.secrets and is_secret(key):
            return "files of this name hold secrets"
        return why_not_this_file(key, self._settings.endings) if is_archive(key) else ""

    def _item(self, key: str, target: Path, status: os.stat_result) -> SourceItem:
        name = os.fsencode(target.name)
        return SourceItem(
            key=key,
            name=key,
            version=file_version(status),
            load=partial(load_file, target.parent, (name,), self._settings.max_bytes),
            url=page_url(
                os.fsencode(self._path.name),
                base_url=self._settings.base_url,
                style=self._settings.url_style,
            ),
            anchors=self._settings.anchors or anchor_style(self._path.parent),
        )
