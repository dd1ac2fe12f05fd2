"""How far apart two strings are."""

from __future__ import annotations

from collections import defaultdict, deque


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

    The window only moves to the right, so that a place left behind never comes back.
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
