"""The forms of declines in one language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

_NAME = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, kw_only=True)
class Forms:
    """Patterns for a sentence in small letters, without marks and short forms.

    `lines` has one form to a line; lines with `#` tell what follows. `{name}` stands for one of the
    `parts`, which may name the parts before it. `tokens` are patterns whose matches are replaced by
    their names in capital letters, before the forms are looked for. Only a sentence with a word
    that `denies` is read. One that opens with a word of `conditions` states what holds under a
    condition, and is not a decline. Everything is compiled on first use.
    """

    lines: str
    parts: Mapping[str, str]
    tokens: Mapping[str, str]
    denies: str
    conditions: str

    def has_form_of(self, text: str) -> bool:
        """Say whether a text has one of the forms."""
        if self._denial.search(text) is None or self._condition.match(text) is not None:
            return False
        for name, pattern in self._tokens:
            text = pattern.sub(name, text)
        return any(pattern.search(text) for pattern in self._patterns)

    @cached_property
    def _denial(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{self.denies})\b")

    @cached_property
    def _condition(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{self.conditions})\b")

    @cached_property
    def _tokens(self) -> list[tuple[str, re.Pattern[str]]]:
        return [(name, self._compiled(pattern)) for name, pattern in self.tokens.items()]

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        lines = self.lines.strip().splitlines()
        return [self._compiled(line) for line in lines if not line.startswith("#")]

    @cached_property
    def _known(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for name, part in self.parts.items():
            known[name] = f"(?:{_filled(part, known)})"
        return known

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        return re.compile(_filled(pattern, self._known))


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    return _NAME.sub(lambda name: parts[name[1]], pattern)
