"""Redaction of secrets in error messages and log entries."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

REDACTED = "[redacted]"
SHORTEST_SECRET = 4
"""Anything shorter cannot be distinguished from ordinary text."""

SHORTEST_HEADER = 8
"""A header that the user gave is a secret, whatever its name, if it is as long as one would be."""

SHORTEST_PART = 6
"""This many characters of a secret in a row are redacted even if the rest is missing."""

_NOT_SHOWN = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_SECRET_NAMES = re.compile(r"auth|key|token|secret|password|cookie|credential|signature", re.I)


class Redactor:
    """Replaces secrets in text: whole or in part, as they are, quoted, or encoded.

    Letter case makes no difference. A secret under twice `SHORTEST_PART` characters is replaced
    only as a whole, one under `SHORTEST_SECRET` not at all. The object never shows its secrets, and
    works out the ways to write them only when there is something to redact.
    """

    __slots__ = ("_parts", "_secrets", "_whole")

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secrets)
        self._whole: frozenset[str] = frozenset()
        self._parts: frozenset[str] = frozenset()

    def redact(self, text: str) -> str:
        """Return the text with every trace of a secret replaced."""
        self._learn()
        lowered = text.lower()
        if len(lowered) != len(text):  # a few letters grow: positions would not fit
            text = lowered
        edges = [0]
        for start, end in _merged(sorted(self._found(lowered))):
            edges += (start, end)
        edges.append(len(text))
        kept = [text[start:end] for start, end in list(pairwise(edges))[::2]]
        return REDACTED.join(kept)

    def excerpt(self, text: str, most: int) -> str:
        """Return foreign words as a message may quote them: short, on one line, without secrets."""
        clean = _NOT_SHOWN.sub(" ", self.redact(text[: 8 * most])).strip()
        return clean if len(clean) <= most else f"{clean[: most - 1]}…"

    def _learn(self) -> None:
        if self._whole:
            return
        self._whole = frozenset(form.lower() for secret in self._secrets for form in _forms(secret))
        self._parts = frozenset(
            form[start : start + SHORTEST_PART]
            for form in self._whole
            if len(form) >= 2 * SHORTEST_PART
            for start in range(len(form) - SHORTEST_PART + 1)
        )

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        for form in self._whole:
            start = text.find(form)
            while start >= 0:
                yield start, start + len(form)
                start = text.find(form, start + len(form))
        if self._parts:
            for start in range(len(text) - SHORTEST_PART + 1):
                end = start + SHORTEST_PART
                if text[start:end] in self._parts:
                    yield start, end


def secrets_in(headers: Mapping[str, str], url: str, given: Mapping[str, str]) -> Iterator[str]:
    """Yield the secrets of a request: in headers with telling names, and in its address.

    `given` are the headers that the user gave.
    """
    yield from (value for value in given.values() if len(value) >= SHORTEST_HEADER)
    for name, value in headers.items():
        if _SECRET_NAMES.search(name):
            yield value
            yield from (part for part in re.split(r"[\s;,]+", value) if part.lower() != "bearer")
    parts = urlsplit(url)
    for secret in (parts.username, parts.password):
        if secret:
            yield unquote(secret)
    yield from (value for _, _, value in (pair.partition("=") for pair in parts.query.split("&")))


def _forms(secret: str) -> Iterator[str]:
    """Yield the ways in which an endpoint or a library may write a secret."""
    if len(secret) < SHORTEST_SECRET:
        return
    data = secret.encode("utf-8", "replace")
    yield secret
    yield quote(secret, safe="")
    yield quote_plus(secret)
    quoted = json.dumps(secret)[1:-1]
    yield quoted
    yield quoted.replace("/", "\\/")
    yield repr(secret)[1:-1]
    yield data.hex()
    for before in range(3):
        # Text before the secret shifts it against the groups of three bytes; the first and last
        # characters, which depend on the neighbours, are left out.
        shifted = bytes(before) + data
        whole = len(shifted) // 3 * 3
        start = 4 if before else 0
        for encode in (b64encode, urlsafe_b64encode):
            encoded = encode(shifted[:whole]).decode()[start:]
            if len(encoded) >= SHORTEST_SECRET:
                yield encoded


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
