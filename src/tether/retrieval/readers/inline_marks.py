"""The marks of inline Markdown that take more than a look: link targets, braces, bare URLs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape

LONGEST_LABEL = 1_000

_TARGET = re.compile(
    r"\([ \t\n]*+(?:<([^<>\n]*+)>"
    r"|((?:\{\{[<%][^{}]{0,300}+\}\}|[^\s()\\<]|\\.|\((?:[^\s()\\]|\\.)*+\))"
    r"(?:\{\{[<%][^{}]{0,300}+\}\}|[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\))*+)?)"
    r"(?:[ \t\n]++(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+[ \t\n]*+\)",
    re.DOTALL,
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999}+)\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineLink:
    """A link: `start` is its place in the text that was read."""

    target: str
    text: str
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a page as a whole decides about its inline markup.

    `references` are its link definitions by folded label, `closed` the names that have a closing
    tag, `expressions` whether `{...}` is code, as in MDX.
    """

    references: Mapping[str, str] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()
    expressions: bool = False


def folded(label: str) -> str:
    """Return a link label in the form in which labels are compared."""
    return " ".join(label.split()).casefold()


def target_after(
    text: str, inner: tuple[int, int], references: Mapping[str, str]
) -> tuple[str, int] | None:
    """Return where the brackets around `inner` point to, and where that is written to end.

    None where they are only brackets: nothing follows them and no definition has their label.
    """
    after = inner[1] + 1
    if match := _TARGET.match(text, after):
        target = next((part for part in match.groups() if part is not None), "")
        return unescape(target), match.end()
    label = _LABEL.match(text, after)
    if label and label[1].strip():
        target = references.get(folded(label[1]), None)
        return None if target is None else (target, label.end())
    if not references or inner[1] - inner[0] > LONGEST_LABEL:
        return None
    target = references.get(folded(text[slice(*inner)]))
    return None if target is None else (target, label.end() if label else after)


def brace_pairs(text: str) -> dict[int, int]:
    """Return the closing brace of each opening one."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            stack.append(match.start())
        elif stack:
            pairs[stack.pop()] = match.start()
    return pairs


def without_closers(url: str) -> str:
    """Return a bare URL without the punctuation that ends the sentence around it."""
    end = len(url)
    surplus = url.count(")") - url.count("(")
    while end and (url[end - 1] in ".,;:!?'*_~" or (url[end - 1] == ")" and surplus > 0)):
        surplus -= url[end - 1] == ")"
        end -= 1
    return url[:end]
