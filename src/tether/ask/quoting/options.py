"""Units about an option that differs from that of the question in the case of a letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tether.ask.quoting.features import Candidate
from tether.text.options import in_other_case, options_in


def other_options(question: str, candidates: Sequence[Candidate]) -> Iterator[int]:
    """Yield the places of the units that name an option of the question in another case only.

    Where no unit has it exactly, the case is the question's mistake, and no unit is yielded.
    """
    asked = options_in(question)
    if not asked:
        return
    named = [options_in(f"{one.unit.lead_text} {one.unit.text}") for one in candidates]
    exact = asked & frozenset[str]().union(*named)
    for at, options in enumerate(named):
        if in_other_case(exact, options):
            yield at
