"""A safe subset of jq, the language for picking JSON apart and putting it together again.

    .                       the input            ..                everything in it
    .a.b  ."a b"  .["a"]    fields               .[0]  .[-1]       positions
    .[2:4]                  ranges               .[]               all elements
    .a?                     nothing where .a fails
    a | b    a, b           one after the other, both
    a // b                  b where a is null or false
    == != < <= > >=  and or  + - * / %
    [a]  {a, b: .c, (.k): .v}                    new arrays and objects
    "text"  1.5  true  false  null

and the functions that `jq_builtins` lists. Without: variables, conditionals, assignments, formats,
definitions of functions, and everything that reaches outside. Values sort as in jq, text by its
characters; integers are exact; objects keep the order of their keys.
"""

from __future__ import annotations

from typing import Any

from tether.batteries.languages.json.jq_parser import JqParser
from tether.batteries.languages.steps import Steps
from tether.core.errors import LimitExceeded

LONGEST_FILTER = 1_024


class Jq:
    """A jq filter, read once and run on any number of values.

    Raises `InputRefused`, naming the place and what was expected there, and `LimitExceeded` for a
    filter that is too long or nested too deeply.
    """

    __slots__ = ("_filter", "_text")

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_FILTER:
            raise LimitExceeded(
                f"the query has {len(text):,} characters; at most {LONGEST_FILTER:,} are allowed"
            )
        self._text = text
        try:
            self._filter = JqParser(text).filter()
        except RecursionError:
            raise _too_deep() from None

    def __repr__(self) -> str:
        return f"Jq({self._text!r})"

    def run(self, value: Any, steps: Steps | None = None) -> list[Any]:
        """Return all outputs of the filter.

        Raises `InputRefused` where it does not fit the value, and `LimitExceeded` where the steps
        are used up. One part of the value may stand in the outputs many times, without a copy:
        weigh them before they are written down.
        """
        try:
            return self._filter(value, steps or Steps())
        except RecursionError:
            raise _too_deep() from None


def _too_deep() -> LimitExceeded:
    return LimitExceeded("the query goes too deep: write it with fewer operators and brackets")
