"""JSON text laid out anew, with the digits of its numbers as they were written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.languages.json.json_text import parse_json
from tether.core.cleaning import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Verbatim(str):
    """JSON text that is written as it stands: 1.000000000000000001, 1e2, -0 keep their digits."""

    __slots__ = ()


def read_verbatim(text: str) -> Any:
    """Return the value of a JSON text, with its numbers `Verbatim`.

    Refuses what `parse_json` refuses, by its errors: the text is read twice.
    """
    parse_json(text)
    decoder = json.JSONDecoder(parse_int=Verbatim, parse_float=Verbatim)
    return decoder.decode(clean_text(text.removeprefix("\ufeff")))


class JsonLayout(NamedTuple):
    """How JSON is written: by how many spaces it is indented, if at all, and in what order."""

    indent: int | None
    sort_keys: bool

    def pieces(self, value: Any) -> Iterator[str]:
        """Yield the text of a value piece by piece; raise ValueError for NaN and infinities.

        Walks without recursion, for which each piece of a deep value would pass every level.
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
        """Yield each item and what stands before it, and at last the bracket that closes them."""
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
