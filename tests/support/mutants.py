"""Hostile texts by the ten thousand: seeds of a language, bent and broken, alike in every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

LONGEST = 4_000
ODD = (
    "\x00",
    "\t",
    "\r\n",
    "\u2028",
    "\ud800",
    "\U0001f600",
    "\u202e",
    "\ufeff",
    "\u200b",
    "é",
    "e\u0301",
    "\uff11",
    "\u0660",
    "\u2212",
    "\uffff",
    "中",
    "'",
    '"',
    "\\",
    "9" * 400,
    "1e999",
    "-0",
    "NaN",
    "__class__",
    "../../etc/passwd",
    "%s%n",
    "${7*7}",
    "<!--",
    "(" * 150,
    "[" * 150,
    "{" * 150,
    "-" * 150,
    ")" * 20,
)

Mutation = Callable[[Random, str, Sequence[str]], str]


def _place(random: Random, text: str) -> int:
    return random.randint(0, len(text))


def _slice(random: Random, text: str) -> tuple[int, int]:
    start = _place(random, text)
    return start, min(len(text), start + random.randint(0, 12))


def _insert(random: Random, text: str, words: Sequence[str]) -> str:
    at = _place(random, text)
    return text[:at] + random.choice(words) + text[at:]


def _delete(random: Random, text: str, words: Sequence[str]) -> str:
    start, end = _slice(random, text)
    return text[:start] + text[end:]


def _repeat(random: Random, text: str, words: Sequence[str]) -> str:
    start, end = _slice(random, text)
    return text[:start] + text[start:end] * random.choice((2, 3, 10, 100)) + text[end:]


def _replace(random: Random, text: str, words: Sequence[str]) -> str:
    start, end = _slice(random, text)
    return text[:start] + random.choice(words) + text[end:]


def _flip(random: Random, text: str, words: Sequence[str]) -> str:
    if not text:
        return random.choice(words)
    at = random.randrange(len(text))
    return text[:at] + chr(ord(text[at]) ^ (1 << random.randint(0, 6))) + text[at + 1 :]


def _wrap(random: Random, text: str, words: Sequence[str]) -> str:
    left, right = random.choice(("()", "[]", "{}", '""', "''", "<>"))
    depth = random.choice((1, 2, 50, 300))
    return left * depth + text + right * depth


def _swap_case(random: Random, text: str, words: Sequence[str]) -> str:
    return text.swapcase()


MUTATIONS: tuple[Mutation, ...] = (
    _insert,
    _insert,
    _delete,
    _repeat,
    _replace,
    _flip,
    _wrap,
    _swap_case,
)


def mutants(seeds: Sequence[str], words: Sequence[str], count: int) -> Iterator[str]:
    """Yield the seeds, then texts made from them, `count` in all."""
    random = Random("tether")
    vocabulary = [*words, *words, *ODD]
    yield from seeds
    for _ in range(count - len(seeds)):
        text = random.choice(seeds)
        for _ in range(random.randint(1, 5)):
            text = random.choice(MUTATIONS)(random, text, vocabulary)
        yield text[:LONGEST]
