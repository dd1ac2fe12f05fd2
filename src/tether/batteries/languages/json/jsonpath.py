"""JSONPath (RFC 9535) for queries that come from a model: no query can run for long."""

from __future__ import annotations

from typing import Any

from tether.batteries.languages.json.jsonpath_filters import NOTHING, singular_path
from tether.batteries.languages.json.jsonpath_parser import PathParser
from tether.batteries.languages.json.jsonpath_selectors import Evaluation
from tether.batteries.languages.steps import Steps
from tether.core.errors import LimitExceeded

LONGEST_PATH = 1_024


class JsonPath:
    """A path, read once and run on any number of values.

    The syntax is the RFC's, without extensions. `match` and `search` run on RE2, and take its whole
    syntax. Raises `InputRefused`, naming the place and what was expected there, and
    `LimitExceeded` for a path that is too long or nested too deeply.
    """

    __slots__ = ("_direct", "_query", "_text")

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_PATH:
            raise LimitExceeded(
                f"the path has {len(text):,} characters; at most {LONGEST_PATH:,} are allowed"
            )
        self._text = text
        self._query = PathParser(text).query()
        way = self._query.singular()
        self._direct = None if way is None else singular_path(way, is_from_root=True)

    def __repr__(self) -> str:
        return f"JsonPath({self._text!r})"

    def find(self, value: Any, steps: Steps | None = None) -> list[Any]:
        """Return the values that the path leads to, in the order of the document.

        They are parts of `value`, not copies. Every value looked at takes a step, and long texts
        and large comparisons take more. Raises `LimitExceeded` where the steps are used up.
        """
        evaluation = Evaluation(value, steps or Steps())
        if self._direct is None:
            return self._query.select(value, evaluation)
        evaluation.steps.take(self._direct.cost)
        found = self._direct.read(value, evaluation)
        return [] if found is NOTHING else [found]
