"""Text comparison: unified diffs, edit distances and similarities."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Annotated, Any

from pydantic import Field

from tether.batteries.languages.texts.line_diff import Names, unified_diff
from tether.batteries.tools.ready_made import ShortText, ready_made

LimitedText = Annotated[str, Field(max_length=200_000)]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


@ready_made(example={"before": "one\ntwo\nthree\n", "after": "one\n2\nthree\n"})
def text_diff(
    before: LimitedText,
    after: LimitedText,
    *,
    context_lines: Annotated[int, Field(ge=0, le=100)] = 3,
    before_name: Name = "before",
    after_name: Name = "after",
) -> str:
    """Compare two texts line by line; return a unified diff that the program patch can apply.

    The diff removes and adds as few lines as possible, and is empty where the texts are equal.
    Texts that differ in thousands of lines are refused: compare parts of them.

    Args:
        before: The old text, at most 200,000 characters.
        after: The new text, at most 200,000 characters.
        context_lines: How many unchanged lines to show around each change.
        before_name: The name of the old text in the heading.
        after_name: The name of the new text in the heading.
    """
    return unified_diff(before, after, Names(before_name, after_name), context_lines)


@ready_made(example={"a": "kitten", "b": "sitting"})
def string_similarity(a: ShortText, b: ShortText, ignore_case: bool = False) -> dict[str, Any]:
    """Measure how similar two strings are: edit distances, and similarities from 0 to 1.

    levenshtein_distance counts insertions, deletions and substitutions; damerau_distance also takes
    the swap of two neighbours as one edit (optimal string alignment). similarity is 1 minus the
    Levenshtein distance divided by the longer length; jaro_winkler_similarity suits names.

    Args:
        a: One string.
        b: The other.
        ignore_case: Compare without regard to capitals.
    """
    if ignore_case:
        a, b = a.casefold(), b.casefold()
    distance = levenshtein(a, b)
    return {
        "equal": a == b,
        "levenshtein_distance": distance,
        "damerau_distance": optimal_string_alignment(a, b),
        "similarity": round(1 - distance / max(len(a), len(b), 1), 6),
        "jaro_winkler_similarity": round(jaro_winkler(a, b), 6),
    }


def levenshtein(a: str, b: str) -> int:
    """Return the fewest insertions, deletions and substitutions that turn one into the other."""
    return _edits(a, b, with_swaps=False)


def optimal_string_alignment(a: str, b: str) -> int:
    """Return the same with swaps of neighbours counted as one edit, no part edited twice."""
    return _edits(a, b, with_swaps=True)


def _edits(a: str, b: str, *, with_swaps: bool) -> int:
    """Count edits a column at a time, one bit a row.

    Hyyrö, "A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances" (2003). Bit
    `i` of `rises` says that the cost grows by one from row `i` to the next, of `falls` that it
    shrinks; `flat` marks diagonals without a cost.
    """
    rows, columns = (a, b) if len(a) >= len(b) else (b, a)
    places = _bits(rows)
    everything = (1 << len(rows)) - 1
    last = 1 << len(rows) >> 1
    rises, falls, flat, earlier = everything, 0, 0, 0
    distance = len(rows)
    for character in columns:
        equal = places.get(character, 0)
        swapped = (~flat & equal) << 1 & earlier if with_swaps else 0
        flat = ((((equal & rises) + rises) ^ rises) | equal | falls | swapped) & everything
        grows = falls | (everything & ~(flat | rises))
        shrinks = rises & flat
        distance += bool(grows & last) - bool(shrinks & last)
        grows = grows << 1 | 1
        rises = (shrinks << 1 | ~(flat | grows)) & everything
        falls = grows & flat
        earlier = equal
    return distance


def _bits(text: str) -> dict[str, int]:
    """Return, for each character, the places where it stands as the bits of a number."""
    places: defaultdict[str, bytearray] = defaultdict(lambda: bytearray(len(text) // 8 + 1))
    for position, character in enumerate(text):
        places[character][position // 8] |= 1 << position % 8
    return {character: int.from_bytes(bits, "little") for character, bits in places.items()}


def jaro(a: str, b: str) -> float:
    """Return Jaro's similarity of two strings, from 0 to 1."""
    if not a or not b:
        return float(a == b)
    matched = _matched_places(a, b)
    if not matched:
        return 0.0
    in_order = sorted(place for _, place in matched)
    swapped = sum(a[i] != b[j] for (i, _), j in zip(matched, in_order, strict=True)) // 2
    count = len(matched)
    return (count / len(a) + count / len(b) + (count - swapped) / count) / 3


def jaro_winkler(a: str, b: str) -> float:
    """Return Jaro's similarity, raised for up to four equal characters at the start.

    As in Winkler's own program, only pairs that are more alike than 0.7 are raised.
    """
    similarity = jaro(a, b)
    if similarity <= 0.7:
        return similarity
    prefix = 0
    while prefix < min(len(a), len(b), 4) and a[prefix] == b[prefix]:
        prefix += 1
    return similarity + prefix * 0.1 * (1 - similarity)


def _matched_places(a: str, b: str) -> list[tuple[int, int]]:
    """Match each character of `a` with the first free equal one of `b` within the window.

    The window only moves to the right, so that places before it are not needed again.
    """
    window = max(max(len(a), len(b)) // 2 - 1, 0)
    free: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, character in enumerate(b):
        free[character].append(place)
    matched: list[tuple[int, int]] = []
    for place, character in enumerate(a):
        candidates = free[character]
        while candidates and candidates[0] < place - window:
            candidates.popleft()
        if candidates and candidates[0] <= place + window:
            matched.append((place, candidates.popleft()))
    return matched
