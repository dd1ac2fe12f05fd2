"""The passages that a link or a number in a model's answer names; a link without one is a phantom.

A target is compared, never followed and never normalised into a match: an address has to equal the
address of a retrieved page letter by letter, except for the case of the host and the fragment; a
path may leave out its extension, a leading `/` or `./`, or leading folders. Anything that could
lead a reader to another host (other schemes, `//host`, backslashes, user names, look-alike letters,
dot segments, unusual escapes) equals no retrieved page and so resolves to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from tether.ask.citations.tokens import Token
from tether.ask.evidence import Evidence

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[^/?#@\\]+)(?P<path>[^?#\\]*)(?P<rest>.*)", re.I
)
_OTHER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\s*:|//|[\s\\]|[\x00-\x1f\x7f]")
_UNSAFE_SEGMENT = re.compile(r"(?:^|/)\.{1,2}(?:/|$)|//")
_LOOKS_LIKE_ADDRESS = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*://|//|www\.)\S*\s*", re.I)
_EXTENSION = re.compile(r"\.(?:md|mdx|markdown|rst|txt|html?|adoc|pdf|ipynb|org|docx?)$", re.I)
_INDEX = re.compile(r"(?:^|/)(?:_?index|readme)$", re.I)
_SAFE = "/:@!$&'()*+,;=~-._"
_NAME_MARKS = re.compile(r"[`*_\\]")


@dataclass(frozen=True, slots=True)
class _Page:
    """The names of one passage's page: whole addresses, the segments of its paths, its title."""

    evidence: Evidence
    addresses: frozenset[str]
    paths: tuple[tuple[str, ...], ...]
    title: str


class Resolver:
    """The passages of one turn, by every name that a model may use for them."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._pages = [_page(one) for one in evidence]
        self._numbers = {one.number: one for one in evidence}
        self._evidence = evidence

    def resolve(self, token: Token) -> tuple[Evidence, ...]:
        """Return the passages that a link or number names, the best first; () for a phantom."""
        if token.kind == "number":
            return self.numbered(token.numbers)
        if token.kind == "name":
            return self._linked(token.target) if token.target else self._titled(token)
        if token.kind != "link" or self._is_disguised(token):
            return ()
        return self._linked(token.target) or self._titled(token)

    def numbered(self, numbers: Iterable[int]) -> tuple[Evidence, ...]:
        """Return the passages with these numbers; () if one of them does not exist."""
        found = [self._numbers.get(number) for number in numbers]
        return tuple(one for one in found if one is not None) if all(found) else ()

    def is_quoted(self, text: str) -> bool:
        """Say whether a passage contains a text: then it is not a mark of the model."""
        return any(text in one.chunk.text for one in self._evidence)

    def _is_disguised(self, token: Token) -> bool:
        """Say whether the text of a link looks like an address and differs from its target.

        The text may be the page's own address where the target is its path.
        """
        text = token.text.strip().strip("`")
        if _LOOKS_LIKE_ADDRESS.fullmatch(text) is None or text == token.target:
            return False
        wanted = {one.link for one in self._linked(token.target)}
        named = {one.link for one in self._linked(text)}
        return not wanted or not wanted <= named

    def _linked(self, target: str) -> tuple[Evidence, ...]:
        exact = tuple(page.evidence for page in self._pages if page.evidence.link == target)
        if exact:
            return self._same_page(exact)
        page, _, fragment = target.partition("#")
        if not page:
            return self._anchored(fragment)
        if match := _ADDRESS.fullmatch(page):
            address = _address(match)
            return tuple(one.evidence for one in self._pages if address in one.addresses)
        return () if _OTHER.match(page) or "\\" in page else self._by_path(page)

    def _same_page(self, exact: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
        """Return the exact passages first, then the others of their page."""
        documents = {one.chunk.document for one in exact}
        others = (one for one in self._evidence if one.chunk.document in documents)
        return tuple(dict.fromkeys([*exact, *others]))

    def _anchored(self, fragment: str) -> tuple[Evidence, ...]:
        return tuple(one for one in self._evidence if fragment and one.chunk.anchor == fragment)

    def _by_path(self, path: str) -> tuple[Evidence, ...]:
        wanted = _segments(path.removeprefix("./"))
        if wanted is None:
            return ()
        whole = tuple(page.evidence for page in self._pages if wanted in page.paths)
        return whole or tuple(
            page.evidence
            for page in self._pages
            if any(known[-len(wanted) :] == wanted for known in page.paths)
        )

    def _titled(self, token: Token) -> tuple[Evidence, ...]:
        """Return the one page with the link's text as title, if the target is not an address."""
        page = token.target.partition("#")[0]
        if (
            _ADDRESS.match(page)
            or _OTHER.match(page)
            or "\\" in page
            or _UNSAFE_SEGMENT.search(page)
        ):
            return ()
        wanted = folded_name(token.text)
        found = [page for page in self._pages if wanted and page.title == wanted]
        documents = {page.evidence.chunk.document for page in found}
        return tuple(page.evidence for page in found) if len(documents) == 1 else ()


def _page(evidence: Evidence) -> _Page:
    chunk = evidence.chunk
    matches = [_ADDRESS.fullmatch(name.partition("#")[0]) for name in (chunk.url, chunk.document)]
    addresses = {form for match in matches if match for form in _forms(_address(match))}
    named = [match["path"] for match in matches if match]
    named += [
        name for name, match in zip((chunk.url, chunk.document), matches, strict=True) if not match
    ]
    paths = {segments for path in named for form in _forms(path) if (segments := _segments(form))}
    return _Page(evidence, frozenset(addresses), tuple(sorted(paths)), folded_name(chunk.title))


def _address(match: re.Match[str]) -> str:
    """Return an address without its fragment, in the form that is compared."""
    path = match["path"].rstrip("/")
    return f"{match['scheme'].lower()}://{match['host'].lower()}{path}{match['rest']}"


def _forms(name: str) -> set[str]:
    """Return a name with and without its percent escapes; unusual escapes make another name."""
    forms = {name, quote(name, safe=_SAFE + "?%")}
    plain = unquote(name)
    if quote(plain, safe=_SAFE + "?") == name:
        forms.add(plain)
    return forms


def _segments(path: str) -> tuple[str, ...] | None:
    """Return the segments of a path without extension and index page; None for an unusual one."""
    bare = path.removeprefix("/").removesuffix("/")
    if not bare or _UNSAFE_SEGMENT.search(bare):
        return None
    short = _INDEX.sub("", _EXTENSION.sub("", bare)) or bare
    return tuple(short.split("/"))


def folded_name(text: str) -> str:
    """Return a title or link text for comparison: without marks, case and extra white space."""
    return " ".join(_NAME_MARKS.sub("", text).split()).casefold()
