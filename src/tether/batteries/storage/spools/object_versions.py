"""The objects of `ObjectSpools`: what they are called, and which of them count.

Each id has a folder. A write puts the content, with the id after it, into an object that nobody
looks for, and then makes an empty object: a mark, whose name says where the content is and how long
it is. Making an empty object is one step in every store. The mark with the highest number counts.
Two writers that took the same number are told apart by the rest of the name, by everybody alike.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = re.compile(r"(\d{12})-(\d{14}-[0-9a-f]{32})-(\d+)\.mark")
_CONTENT = re.compile(r"(\d{14}-[0-9a-f]{32})\.content")


class Version(NamedTuple):
    """Content that is complete; the last in order is the one that counts."""

    number: int
    draft: str
    length: int

    @property
    def mark(self) -> str:
        """The name of its mark."""
        return f"{self.number:012d}-{self.draft}-{self.length}.mark"

    @property
    def content(self) -> str:
        """The name of its content."""
        return content_of(self.draft)


class Folder(NamedTuple):
    """What there is under one id."""

    name: str
    versions: list[Version]
    drafts: list[str]
    """Of contents without a mark: they are being written, or their writer died."""

    @property
    def next_number(self) -> int:
        """The number of a version that is to count from now on."""
        return self.versions[-1].number + 1 if self.versions else 1

    @classmethod
    def of(cls, name: str, objects: Iterable[str]) -> Folder:
        """Return the folder that holds objects of these names, leaving out those of others."""
        marks = [mark for object in objects if (mark := _MARK.fullmatch(object))]
        versions = sorted(Version(int(mark[1]), mark[2], int(mark[3])) for mark in marks)
        marked = {version.draft for version in versions}
        contents = [content for object in objects if (content := _CONTENT.fullmatch(object))]
        return cls(name, versions, [found[1] for found in contents if found[1] not in marked])


def draft_name(milliseconds: int, token: str) -> str:
    """Return a name that says when a draft was started."""
    return f"{milliseconds:014d}-{token}"


def started(draft: str) -> int:
    """Return when a draft was started, in milliseconds."""
    return int(draft.partition("-")[0])


def content_of(draft: str) -> str:
    """Return the name of the content of a draft."""
    return f"{draft}.content"
