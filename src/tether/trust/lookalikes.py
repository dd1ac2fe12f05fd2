"""Places in a text that could be taken for our own tags, or for a command of a chat template.

Our tags are matched as a careless reader sees them, in any case and width, with mathematical and
old letters as plain ones. Control tokens are matched as tokenizers do: letter by letter.
"""

from __future__ import annotations

import re
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from tether.trust.control_tokens import (
    ANGLED,
    FAMILIES,
    HEADINGS,
    NUMBERED,
    NUMBERED_SQUARED,
    ROLES,
    SQUARED,
    WITH_ATTRIBUTES,
)
from tether.trust.tag_shapes import LOOK_ALIKES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_WIDE = "(?:lt|#65308|#65124);"
"""A reference to any of the brackets that fold to one."""

# An empty first line counts as one: a body begins after the line of its tag.
_TURN_STARTS = (r"\A\n", r"\A\r\n", r"\n\n", r"\n\r\n")

_SPACE = r"[^\S\n]*+(?:\n[^\S\n]*+)?+"

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz_<>[]/|:")

# The ranges of Unicode with characters that fold to those: compatibility letters and signs.
_RANGES = (
    range(0xAA, 0x200),
    range(0x2B0, 0x2E4),
    range(0x1D2C, 0x1DC0),
    range(0x1E9E, 0x1E9F),
    range(0x2070, 0x20A9),
    range(0x2100, 0x2180),
    range(0x2460, 0x2500),
    range(0x2C7C, 0x2C7E),
    range(0x3250, 0x3400),
    range(0xA7F1, 0xA7FA),
    range(0xAB5C, 0xAB6A),
    range(0xFB00, 0xFB07),
    range(0xFE10, 0xFE70),
    range(0xFF01, 0xFF5F),
    range(0x10780, 0x107BB),
    range(0x1CCD6, 0x1CCFA),
    range(0x1D400, 0x1D800),
    range(0x1F100, 0x1F1AE),
)


def rewritten(text: str, change: Callable[[str], str]) -> str:
    """Return `text` with each spot changed; the same object if it has no spots.

    A spot is the one character that makes a look-alike, or a reference to it (`&lt;`, `&amp;lt;`,
    `&#91;` …), in a context that makes it a tag or a token. The context of a spot reads the same
    however other spots are rewritten, so that a text and its rewritten form have the same spots.
    This makes rewriting reversible. A closing bracket is therefore never a spot: it is part of the
    context of `[INST]`.
    """
    if folds(text):
        return _with_folded_tags(text, change)
    return _spots().sub(lambda found: change(found[0]), text) if _may_hold(text) else text


def folded(text: str) -> str:
    """Return `text` in lower case, with each character that folds to a plain one replaced by it.

    Only characters that fold to a single character are replaced, so that a position in the result
    is a position in `text`. Ampersands, digits and semicolons are kept: folding must not create a
    reference.
    """
    return text.lower() if text.isascii() else text.translate(_table().single)


def folds(text: str) -> bool:
    """Return whether a character of `text` folds to a plain one, other than by its case."""
    return not text.isascii() and _foldable().search(text) is not None


def fold(character: str) -> str:
    """Return the compatibility folding of a character."""
    return normalize("NFKC", normalize("NFKC", character).casefold())


def spelling(words: Iterable[str], *, ligatures: bool = False) -> str:
    """Return a pattern for any of these words, with ligatures for words in folded text.

    Words with a common beginning share that part of the pattern: a text that has only beginnings is
    then rejected quickly.
    """
    left = frozenset(words)
    ways = [
        first + spelling(rest, ligatures=ligatures)
        for first in sorted({word[0] for word in left if word})
        if (rest := _after(first, left))
    ]
    ways += [
        f"[{characters}]{spelling(rest, ligatures=True)}"
        for plain, characters in (_table().several if ligatures else {}).items()
        if (rest := _after(plain, left))
    ]
    pattern = ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
    return f"(?:{pattern})?" if ways and "" in left else pattern if ways else ""


def _may_hold(text: str) -> bool:
    """Return whether a text has a character of a spot, or a role: a quick first check."""
    return (
        "<" in text
        or "[" in text
        or "&" in text
        or "]" in text
        or any(role in text for role in ROLES)
    )


def _with_folded_tags(text: str, change: Callable[[str], str]) -> str:
    """Rewrite a text in which letters or brackets may look like those of a tag."""
    found = {match.start(): match.end() for match in _spots().finditer(text)}
    for match in _folded_tags().finditer(folded(text)):
        start, end = match.span()
        # Folding may have changed only the text after it: "&LT;" is not a reference.
        if end - start == 1 or text[start:end] == match[0]:
            found[start] = end
    pieces: list[str] = []
    done = 0
    for start in sorted(found):
        pieces += (text[done:start], change(text[start : found[start]]))
        done = found[start]
    return "".join((*pieces, text[done:])) if done else text


@cache
def _spots() -> re.Pattern[str]:
    """Each alternative begins with its own character, so that the engine skips all others."""
    tag = f"(?i:{_tag()})"
    angle, square = f"(?:{_after_angle()}|{tag})", _after_square()
    references = (
        f"lt;(?={angle})",
        f"(?:#65308|#65124);(?={tag})",
        f"#91;(?={square})",
    )
    behind_bracket = (r"lt;(?=\])", "#126;(?=!?b)", "#33;(?=[pd]~)")
    ways = (
        rf"<(?:(?={angle})|(?<=\]<)(?=\])|(?<=<<){_after_heading('<<')})",
        rf"\[(?={square})",
        r"~(?<=\]~)(?=!?b)",
        r"!(?<=\]!)(?=[pd]~)",
        f":{_in_turn(':')}",
        f"&(?:amp;)*+(?:{'|'.join(references)})",
        rf"&(?<=\]&)(?:amp;)*+(?:{'|'.join(behind_bracket)})",
        f"&(?<=<&){_after_heading('<&')}(?:amp;)*+lt;",
        f"&{_in_turn('&')}(?:amp;)*+#58;",
    )
    return re.compile("|".join(ways))


@cache
def _folded_tags() -> re.Pattern[str]:
    return re.compile(f"<(?={_tag()})|&(?:amp;)*+{_WIDE}(?={_tag()})")


def _in_turn(character: str) -> str:
    """Match after this character and the name of a role that opens a turn."""
    return f"(?:{'|'.join(f'(?<={s}{r}{character})' for r in ROLES for s in _TURN_STARTS)})"


def _after_heading(end: str) -> str:
    return f"(?:{'|'.join(f'(?<=>>{heading}{end})' for heading in HEADINGS)})"


def _tag() -> str:
    beginnings = "".join(sorted({name[0] for name in LOOK_ALIKES}))
    return rf"(?=[\s/{beginnings}]){_SPACE}(?:/{_SPACE})?+{spelling(LOOK_ALIKES, ligatures=True)}"


def _after_angle() -> str:
    """Return the continuations that make an opening angle bracket a control token.

    None contains a character that could be a spot itself: `<[begin…]>` is safe because no token in
    square brackets begins like this.
    """
    words = spelling(f"{word}>" for word in (*ANGLED, "SYS>"))
    more = "|".join((*FAMILIES, rf"{spelling(NUMBERED)}\d++"))
    return (
        rf"/?(?:[|\uff5c]\S|{words}|(?:{more})>|{spelling(WITH_ATTRIBUTES)}[\s=>])"
        r"|[a-z_]++\|>|\[(?:begin|end|[A-Z]++_never_used)[\w\u2581]*+\]>"
    )


def _after_square() -> str:
    numbered = rf"{spelling(NUMBERED_SQUARED)}\d++"
    return rf"(?:[|\uff5c]\S|e~|/?(?:{spelling(SQUARED)}|{numbered})\])"


class _Table(NamedTuple):
    """Characters that fold to one plain character, and those that fold to several."""

    single: dict[int, str]
    several: dict[str, str]


@cache
def _foldable() -> re.Pattern[str]:
    """One range for everything beyond the first plane: the engine tries those one by one."""
    table = _table()
    wide = {chr(code) for code in table.single if code > 0x7F}.union(*table.several.values())
    near = "".join(sorted(character for character in wide if character <= "\uffff"))
    return re.compile(f"[{near}\U00010780-\U0001f1ad]")


def _after(beginning: str, words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.removeprefix(beginning) for word in words if word.startswith(beginning))


@cache
def _table() -> _Table:
    table = _Table({ord(letter.upper()): letter for letter in ascii_lowercase}, {})
    for code in (code for codes in _RANGES for code in codes):
        plain = fold(chr(code))
        if not _PLAIN.issuperset(plain):
            continue
        if len(plain) == 1:
            table.single[code] = plain
        else:
            table.several[plain] = table.several.get(plain, "") + chr(code)
    return table
