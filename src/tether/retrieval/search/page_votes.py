"""The votes of whole pages: for a page whose title is asked for, against release notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.errors import IndexDamaged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.ports import LexicalSearcher
    from tether.retrieval.query import Query

_NEWS = re.compile(
    r"\b(?:release[-_ ]?notes?|change[-_ ]?logs?|what(?:['\u2019]|-)?s[-_ ]?new)\b"
    r"|\b(?:release|change|version|revision)[-_ ]history\b",
    re.IGNORECASE,
)
"""Headings and names of files; `_` and `-` stand for spaces in names."""

_NEWS_FILES = frozenset(("changes", "history", "news", "releases"))
"""Names of files and folders that are news only if they are the whole name."""

_BLOGS = frozenset(("_posts", "blog", "blogs"))
"""Names of folders with posts: what they say of a product was so on a day."""

_ASKED = re.compile(
    r"\b(?:releases?|released|versions?|change ?logs?|changed|introduced|deprecat\w+|removed"
    r"|upgrad\w+|breaking changes?|changes (?:in|since|between|from)|new (?:in|features?)"
    r"|what(?:['\u2019]?s| is) new|since (?:when|which|what)|v?\d+\.\d+(?:\.\w+)*)\b",
    re.IGNORECASE,
)
"""Words of a question about a release, a version, or what changed."""


def named_shares(
    words: LexicalSearcher, query: Query, chunks: Sequence[Chunk]
) -> NDArray[np.float64]:
    """Return for each chunk how much of the question the title of its page is, from 0 to 1.

    It is 1 if the question asks for nothing but the title ("What is MongoDB?"), and 0 if a word of
    the title is not in the question. Case, stop words and inflections do not matter.
    """
    try:
        asked = [frozenset(words.terms(form)) for form in query.forms]
        titles = {chunk.title: frozenset(words.terms(chunk.title)) for chunk in chunks}
    except IndexDamaged:
        return np.zeros(len(chunks))
    shares = {
        title: max((_share(terms, form) for form in asked), default=0.0)
        for title, terms in titles.items()
    }
    return np.array([shares[chunk.title] for chunk in chunks], dtype=np.float64)


def _share(title: frozenset[str], question: frozenset[str]) -> float:
    return len(title) / len(question) if title and title <= question else 0.0


def unwanted_news(query: Query, chunks: Sequence[Chunk]) -> NDArray[np.float64]:
    """Return 1 for each chunk of news, unless the question is about a release or a change.

    Release notes name every part of a product and explain none; posts of a blog are dated.
    """
    if any(_ASKED.search(form) for form in query.forms):
        return np.zeros(len(chunks))
    return np.array([is_news(chunk) for chunk in chunks], dtype=np.float64)


def is_news(chunk: Chunk) -> bool:
    """Return whether a chunk is from release notes, a change log or a blog: by headings and key."""
    if any(map(_NEWS.search, (chunk.title, *chunk.heading_path))):
        return True
    *folders, file = re.split(r"[/\\]", chunk.document.partition("#")[0])
    if not _BLOGS.isdisjoint(map(str.casefold, folders)):
        return True
    names = (*folders[-1:], file.partition(".")[0])
    return any(_NEWS.search(name) or name.casefold() in _NEWS_FILES for name in names)
