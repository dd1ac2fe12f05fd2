"""The rules of `.gitignore` files: parsed as git parses them, the last that matches decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.retrieval.sources.globs import Glob

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_RULES = 10_000
"""Every path is held against every rule, so nobody may bring very many."""

Path = tuple[bytes, ...]
"""A path below the root of a source, by its names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line: what it matches below `base`, and whether it ignores or brings back."""

    glob: Glob
    base: Path
    ignores: bool
    only_folders: bool
    origin: str
    """Where it stands, for the reason that `status` shows."""

    def matches(self, path: Path, *, is_folder: bool) -> bool:
        """Say whether the rule is about this path, which lies below its base."""
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

    def decide(self, path: Path, *, is_folder: bool) -> Rule | None:
        """Return the rule that decides about a path, None where no rule is about it."""
        for rules in self.levels:
            for rule in reversed(rules):
                if rule.matches(path, is_folder=is_folder):
                    return rule
        return None


def parse_rules(data: bytes, *, base: Path = (), origin: str) -> tuple[Rule, ...]:
    """Read a file of rules; lines without a meaning are left out, as git does."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    numbered = ((number, _pattern(line)) for number, line in enumerate(lines, start=1))
    return rules_of(
        ((pattern, f"{origin}, line {number}") for number, pattern in numbered if pattern), base
    )


def rules_of(patterns: Iterable[tuple[bytes, str]], base: Path = ()) -> tuple[Rule, ...]:
    """Return the rules that patterns are, each with where it stands."""
    found = (_rule(pattern, base, origin) for pattern, origin in patterns)
    return tuple(rule for rule in found if rule is not None)


def matches_any(rules: Sequence[Rule], path: Path) -> bool:
    """Say whether rules are about a file or about a folder that it is in; the last one decides."""
    decided = False
    for depth in range(1, len(path) + 1):
        rule = Rules((tuple(rules),)).decide(path[:depth], is_folder=depth < len(path))
        decided = decided if rule is None else rule.ignores
    return decided


def _pattern(line: bytes) -> bytes:
    """Return what a line says without its end, b"" for a remark."""
    if line.startswith(b"#"):
        return b""
    text = line.removesuffix(b"\r")
    bare = text.rstrip(b" ")
    kept = len(bare) - len(bare.rstrip(b"\\"))
    escapes = kept % 2 == 1 and len(bare) < len(text)
    return bare + b" " if escapes else bare


def _rule(text: bytes, base: Path, origin: str) -> Rule | None:
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
