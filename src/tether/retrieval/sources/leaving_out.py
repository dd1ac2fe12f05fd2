"""Whether a name in a folder is left out, and by which rule: the state's reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tether.retrieval.sources.ignoring import Rule, Rules, matches_any, rules_of
from tether.retrieval.sources.kinds import is_secret, why_not_this_file, why_not_this_folder
from tether.retrieval.sources.names import readable

if TYPE_CHECKING:
    from tether.retrieval.sources.folder_settings import FolderSettings
    from tether.retrieval.sources.ignoring import Path

GIT_RULES = b".gitignore"
OWN_RULES = b".tetherignore"

_HISTORIES = frozenset({b".git", b".hg", b".svn", b".bzr", b".jj"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRules:
    """The rules that hold in one folder: ours decide before git's."""

    own: Rules = field(default_factory=Rules)
    git: Rules = field(default_factory=Rules)


class LeavingOut:
    """Decides by name and place alone; nothing is opened for it."""

    __slots__ = ("_exclude", "_include", "_settings")

    def __init__(self, settings: FolderSettings) -> None:
        self._settings = settings
        self._include = _patterns(settings.include)
        self._exclude = Rules((_patterns(settings.exclude),))

    def folder(self, path: Path, rules: FolderRules, beside: frozenset[str]) -> str:
        """Return why a folder is left out with all that is in it, "" where it is not."""
        if path[-1] in _HISTORIES:
            return "it is the history of the folder"
        if reason := self._excluded(path, is_folder=True):
            return reason
        decided, reason = _ignored(path, rules, is_folder=True)
        if decided or not self._settings.habits:
            return reason
        return why_not_this_folder(readable(path[-1]), beside)

    def file(self, path: Path, rules: FolderRules) -> str:
        """Return which rule leaves a file out, "" where none does."""
        name = readable(path[-1])
        if reason := self._excluded(path, is_folder=False):
            return reason
        if not self._settings.secrets and is_secret(name):
            return "files of this name hold secrets"
        decided, reason = _ignored(path, rules, is_folder=False)
        if not decided and self._settings.habits and name.startswith("."):
            reason = "it is hidden"
        if not reason and self._include and not matches_any(self._include, path):
            reason = "it is not among what the setting include names"
        return reason

    def kind(self, name: bytes) -> str:
        """Return why files of this name cannot be read, "" where they can."""
        return why_not_this_file(readable(name), self._settings.endings)

    def _excluded(self, path: Path, *, is_folder: bool) -> str:
        rule = self._exclude.decide(path, is_folder=is_folder)
        return f"left out by {rule.origin}" if rule is not None and rule.ignores else ""


def _ignored(path: Path, rules: FolderRules, *, is_folder: bool) -> tuple[bool, str]:
    """Return whether ignore files decide about a path, habits aside, and why it is left out."""
    own = rules.own.decide(path, is_folder=is_folder)
    if own is not None:
        return True, f"ignored by {own.origin}" if own.ignores else ""
    git = rules.git.decide(path, is_folder=is_folder)
    if git is not None and git.ignores:
        return True, f"ignored by {git.origin}"
    return False, ""


def _patterns(patterns: tuple[str, ...]) -> tuple[Rule, ...]:
    return rules_of(
        (pattern.encode("utf-8", "surrogateescape"), "the settings") for pattern in patterns
    )
