"""What a web search finds, and the port to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WebResult:
    """One page as a search endpoint describes it: foreign text, every field of it."""

    url: str
    title: str
    text: str


WebSearch = Callable[[str, int], Sequence[WebResult]]
"""Takes a question and how many results at most; raises `ProviderFailed`."""
