"""Strict JSON: text from outside is parsed, and values are laid out as text."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.languages.json.values import DEEPEST, refuse_deep
from tether.core.checks import in_short
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST_TEXT = 5_000_000
"""The most characters that a tool reads."""

MOST_DIGITS = 4_300
"""The most digits of an integer: reading them takes time that grows with their square."""

_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\."
)


def parse_json(text: str, *, longest: int = LONGEST_TEXT) -> Any:
    """Return the value of a JSON text as plain dictionaries, lists, text, numbers and constants.

    Anything that two readers may read differently is refused: keys that occur twice, NaN and
    infinities, numbers beyond the range of a double. Half a surrogate pair becomes U+FFFD, as it
    does in all text here; a byte order mark is passed over. Raises `InputRefused`, and
    `LimitExceeded` for more than `longest` characters or too deep nesting.
    """
    if len(text) > longest:
        raise LimitExceeded(
            f"the JSON text has {len(text):,} characters; at most {longest:,} are read. Give a "
            "part of it, or JSON Lines where records can be read one by one"
        )
    try:
        value = _decoder(len(text)).decode(_without_lone_surrogates(text.removeprefix("\ufeff")))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if "\n" in text else ""  # one line has a number outside
        raise InputRefused(
            f"the text is not JSON: {error.msg} at {where}column {error.colno}"
        ) from None
    except ValueError:  # the interpreter's own limit on digits
        raise _too_many_digits() from None
    except RecursionError:
        raise LimitExceeded("the JSON text is nested too deeply; give an inner part") from None
    if text.count("[") + text.count("{") > DEEPEST:  # in strings too: it may not be so deep
        refuse_deep(value)
    return value


def _without_lone_surrogates(text: str) -> str:
    text = clean_text(text)
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda found: "\\ufffd" if found["lone"] else found[0], text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
    raise InputRefused(f"the JSON text has the key {in_short(twice)} twice in one object")


def _finite(digits: str) -> float:
    number = float(digits)
    if number - number != 0:
        raise InputRefused(f"the number {in_short(digits)} is beyond the range of a double")
    return number


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _too_many_digits()
    return int(digits)


def _too_many_digits() -> InputRefused:
    return InputRefused(f"the JSON text has an integer of more than {MOST_DIGITS:,} digits")


def _no_constant(name: str) -> None:
    raise InputRefused(f"the text has {name}, which is not JSON; use null or text instead")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)
_COUNTING_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
)


def _decoder(size: int) -> json.JSONDecoder:
    """Return a decoder for so many characters.

    It counts digits itself only where the interpreter's limit was lifted, and in long texts: there
    it runs in a thread, and a long array of integers would keep all others waiting without a hook.
    """
    is_limited = 0 < sys.get_int_max_str_digits() <= MOST_DIGITS
    return _DECODER if is_limited and size <= LONGEST_TEXT else _COUNTING_DECODER


class Verbatim(str):
    """JSON text that is written as it stands: 1.000000000000000001, 1e2, -0 keep their digits."""

    __slots__ = ()


def read_verbatim(text: str) -> Any:
    """Return the value of a JSON text, with its numbers `Verbatim`.

    Raises the errors of `parse_json`, which reads the text first.
    """
    parse_json(text)
    decoder = json.JSONDecoder(parse_int=Verbatim, parse_float=Verbatim)
    return decoder.decode(clean_text(text.removeprefix("\ufeff")))


class JsonLayout(NamedTuple):
    """The layout of JSON text: the indent, None for a single line, and whether keys are sorted."""

    indent: int | None
    sort_keys: bool

    def pieces(self, value: Any) -> Iterator[str]:
        """Yield the text of a value piece by piece; raise ValueError for NaN and infinities.

        Walks without recursion: nested generators would pass each piece up through every level.
        """
        unfinished = [iter([("", value)])]
        while unfinished:
            for lead, item in unfinished[-1]:
                if item and isinstance(item, dict | list):
                    yield f"{lead}{'{' if isinstance(item, dict) else '['}"
                    unfinished.append(self._members(item, len(unfinished)))
                    break
                yield f"{lead}{_leaf(item)}"
            else:
                unfinished.pop()

    def _members(self, value: dict[str, Any] | list[Any], depth: int) -> Iterator[tuple[str, Any]]:
        """Yield each item with the text before it, and at last the closing bracket."""
        line_end = self._line_end(depth)
        comma = ""
        for name, item in self._named(value):
            yield f"{comma}{line_end}{name}", item
            comma = ","
        yield self._line_end(depth - 1), Verbatim("}" if isinstance(value, dict) else "]")

    def _line_end(self, depth: int) -> str:
        return "" if self.indent is None else "\n" + " " * (self.indent * depth)

    def _named(self, value: dict[str, Any] | list[Any]) -> Iterable[tuple[str, Any]]:
        if isinstance(value, list):
            return (("", item) for item in value)
        colon = ":" if self.indent is None else ": "
        keys = sorted(value) if self.sort_keys else value
        return ((f"{_leaf(key)}{colon}", value[key]) for key in keys)


def _leaf(value: Any) -> str:
    if isinstance(value, Verbatim):
        return value
    return clean_text(json.dumps(value, ensure_ascii=False, allow_nan=False))
