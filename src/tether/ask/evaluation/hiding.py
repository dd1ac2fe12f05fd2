"""A library in which some documents cannot be found, as if they had never been written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tether.ask.evaluation.grading import is_page
from tether.ask.library import IndexLibrary

if TYPE_CHECKING:
    from tether.retrieval.query import Query
    from tether.retrieval.search.findings import Findings


@dataclass(frozen=True)
class HidingLibrary(IndexLibrary):
    """An index without the pages of some names."""

    hidden: tuple[str, ...] = ()

    def search(self, query: Query, limit: int) -> Findings:
        """Return the best of the passages that can be found."""
        return self.retriever.search(query, limit=limit, hidden=self._rows)

    @cached_property
    def _rows(self) -> frozenset[int]:
        keys = enumerate(self.snapshot.document_keys())
        numbers = [at for at, key in keys if any(is_page(key, page) for page in self.hidden)]
        return frozenset(row for number in numbers for row in self.snapshot.rows_of(number))
