"""Two texts compared: what changed, and how alike they are."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tether.batteries.languages.texts.edit_distance import (
    jaro_winkler,
    levenshtein,
    optimal_string_alignment,
)
from tether.batteries.languages.texts.unified_diff import Names, unified_diff
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
        before_name: What to call the old text in the heading.
        after_name: What to call the new text in the heading.
    """
    return unified_diff(before, after, Names(before_name, after_name), context_lines)


@ready_made(example={"a": "kitten", "b": "sitting"})
def string_similarity(a: ShortText, b: ShortText, ignore_case: bool = False) -> dict[str, Any]:
    """Measure how alike two strings are: edit distances, and similarities from 0 to 1.

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
