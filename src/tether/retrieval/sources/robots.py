"""The rules of a `robots.txt` (RFC 9309) for the user agent `tether`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes, urlsplit

AGENT = "tether"
MOST_BYTES = 500 * 1024
"""The part of the file that is read, as the RFC requires; the rest is ignored."""

_FIELD = re.compile(r"\s*([A-Za-z-]{1,30})\s*:(.*)")
_MOST_RULES = 2_000


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule that allows or forbids paths; any text may be between its `pieces`."""

    pieces: tuple[str, ...]
    to_the_end: bool
    allows: bool
    weight: int

    def matches(self, path: str) -> bool:
        first, *others = self.pieces
        if not others and self.to_the_end:
            return path == first
        end = others.pop() if self.to_the_end else ""
        at = len(first) if path.startswith(first) else -1
        for piece in others:
            found = path.find(piece, at) if at >= 0 else -1
            at = found + len(piece) if found >= 0 else -1
        return at >= 0 and path.endswith(end) and len(path) - len(end) >= at


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one site; without rules, every page may be read."""

    rules: tuple[_Rule, ...] = ()

    @classmethod
    def of(cls, data: bytes) -> Robots:
        """Parse a `robots.txt`; unknown lines are ignored."""
        lines = data[:MOST_BYTES].decode("utf-8-sig", "replace").splitlines()
        fields = [(found[1].lower(), found[2]) for line in lines if (found := _field(line))]
        named, everybody = _rules_for(fields)
        chosen = everybody if named is None else named
        return cls(tuple(chosen[:_MOST_RULES]))

    def allow(self, url: str) -> bool:
        """Return whether a page may be read: the longest matching rule decides."""
        parts = urlsplit(url)
        path = _same_form((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        matching = [rule for rule in self.rules if rule.matches(path)]
        return not matching or max(matching, key=lambda rule: (rule.weight, rule.allows)).allows


def _field(line: str) -> re.Match[str] | None:
    return _FIELD.fullmatch(line.partition("#")[0])


def _rules_for(fields: Iterable[tuple[str, str]]) -> tuple[list[_Rule] | None, list[_Rule]]:
    """Return the rules of the groups that name `tether`, None without one, and those for all."""
    named: list[_Rule] | None = None
    everybody: list[_Rule] = []
    agents: set[str] = set()
    in_rules = False
    for name, raw in fields:
        value = raw.strip()
        if name == "user-agent":
            agents = {value.lower()} if in_rules else agents | {value.lower()}
            in_rules = False
            if value.lower() == AGENT and named is None:
                named = []
        elif name in ("allow", "disallow"):
            in_rules = True
            rule = [_rule(value, allows=name == "allow")] if value else []
            everybody += rule if "*" in agents else []
            if named is not None and AGENT in agents:
                named += rule
    return named, everybody


def _rule(value: str, *, allows: bool) -> _Rule:
    to_the_end = value.endswith("$")
    path = _same_form(value.removesuffix("$"))
    return _Rule(tuple(path.split("*")), to_the_end, allows, len(path))


def _same_form(path: str) -> str:
    """Return a path in the form in which equal paths compare equal."""
    return quote(unquote_to_bytes(path), safe="/?&=*:@!$'()+,;-._~")
