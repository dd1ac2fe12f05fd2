"""The rules that leave files out: `.gitignore` files as git reads them, settings and habits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tether.retrieval.sources.globs import Glob
from tether.retrieval.sources.names import (
    is_secret,
    readable,
    why_not_this_file,
    why_not_this_folder,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.retrieval.sources.folder_settings import FolderSettings

MOST_RULES = 10_000
"""Every path is matched against every rule, so their number is limited."""

Names = tuple[bytes, ...]
"""A path below the root of a source, by its names."""

GIT_RULES = b".gitignore"
OWN_RULES = b".tetherignore"
_HISTORIES = frozenset({b".git", b".hg", b".svn", b".bzr", b".jj"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line: a pattern for paths below `base` that ignores them or brings them back."""

    glob: Glob
    base: Names
    ignores: bool
    only_folders: bool
    origin: str
    """File and line, for the reason that `status` shows."""

    def matches(self, path: Names, *, is_folder: bool) -> bool:
        """Return whether the rule applies to a path below its base."""
        if self.only_folders and not is_folder:
            return False
        return self.glob.matches(path[len(self.base) :])


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of all files from the root down to one folder, the deepest first."""

    levels: tuple[tuple[Rule, ...], ...] = ()

    def and_below(self, rules: tuple[Rule, ...]) -> Rules:
        """Return these rules with those of a folder further down, which go first."""
        return Rules((rules, *self.levels)) if rules else self

    def decide(self, path: Names, *, is_folder: bool) -> Rule | None:
        """Return the rule that decides about a path, None if no rule applies."""
        for rules in self.levels:
            for rule in reversed(rules):
                if rule.matches(path, is_folder=is_folder):
                    return rule
        return None


def parse_rules(data: bytes, *, base: Names = (), origin: str) -> tuple[Rule, ...]:
    """Parse a file of rules; malformed lines are ignored, as in git."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    numbered = ((number, _pattern(line)) for number, line in enumerate(lines, start=1))
    return rules_of(
        ((pattern, f"{origin}, line {number}") for number, pattern in numbered if pattern), base
    )


def rules_of(patterns: Iterable[tuple[bytes, str]], base: Names = ()) -> tuple[Rule, ...]:
    """Return the rules of patterns, each given with its origin."""
    found = (_rule(pattern, base, origin) for pattern, origin in patterns)
    return tuple(rule for rule in found if rule is not None)


def matches_any(rules: Sequence[Rule], path: Names) -> bool:
    """Return whether rules apply to a file or to a folder above it; the last one decides."""
    decided = False
    for depth in range(1, len(path) + 1):
        rule = Rules((tuple(rules),)).decide(path[:depth], is_folder=depth < len(path))
        decided = decided if rule is None else rule.ignores
    return decided


def _pattern(line: bytes) -> bytes:
    """Return the pattern of a line, b"" for a comment."""
    if line.startswith(b"#"):
        return b""
    text = line.removesuffix(b"\r")
    bare = text.rstrip(b" ")
    kept = len(bare) - len(bare.rstrip(b"\\"))
    escapes = kept % 2 == 1 and len(bare) < len(text)
    return bare + b" " if escapes else bare


def _rule(text: bytes, base: Names, origin: str) -> Rule | None:
    pattern = text.removeprefix(b"!")
    bare = pattern.removesuffix(b"/")
    glob = Glob.of(bare) if bare else None
    if glob is None:
        return None
    return Rule(
        glob=glob,
        base=base,
        ignores=pattern == text,
        only_folders=bare != pattern,
        origin=f"{origin}: {text.decode('utf-8', 'backslashreplace')}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRules:
    """The rules that hold in one folder: ours decide before git's."""

    own: Rules = field(default_factory=Rules)
    git: Rules = field(default_factory=Rules)


class FolderFilter:
    """Decides by name and path alone which files and folders are left out."""

    __slots__ = ("_exclude", "_include", "_settings")

    def __init__(self, settings: FolderSettings) -> None:
        self._settings = settings
        self._include = _patterns(settings.include)
        self._exclude = Rules((_patterns(settings.exclude),))

    def folder(self, path: Names, rules: FolderRules, beside: frozenset[str]) -> str:
        """Return why a folder is left out with its content, "" if it is not."""
        if path[-1] in _HISTORIES:
            return "it is the history of the folder"
        if reason := self._excluded(path, is_folder=True):
            return reason
        decided, reason = _ignored(path, rules, is_folder=True)
        if decided or not self._settings.habits:
            return reason
        return why_not_this_folder(readable(path[-1]), beside)

    def file(self, path: Names, rules: FolderRules) -> str:
        """Return the rule that leaves a file out, "" if none does."""
        name = readable(path[-1])
        if reason := self._excluded(path, is_folder=False):
            return reason
        if not self._settings.secrets and is_secret(name):
            return "files of this name hold secrets"
        decided, reason = _ignored(path, rules, is_folder=False)
        if not decided and self._settings.habits and name.startswith("."):
            reason = "it is hidden"
        if not reason and self._include and not matches_any(self._include, path):
            reason = "the setting include does not match it"
        return reason

    def kind(self, name: bytes) -> str:
        """Return why files of this name cannot be read, "" if they can."""
        return why_not_this_file(readable(name), self._settings.endings)

    def _excluded(self, path: Names, *, is_folder: bool) -> str:
        rule = self._exclude.decide(path, is_folder=is_folder)
        return f"left out by {rule.origin}" if rule is not None and rule.ignores else ""


def _ignored(path: Names, rules: FolderRules, *, is_folder: bool) -> tuple[bool, str]:
    """Return whether ignore files decide about a path, and the reason if they leave it out."""
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
