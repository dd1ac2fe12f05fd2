"""A query: the question and other forms of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, and other forms of it that widen the search.

    `rewrite` is the question as keywords with its pronouns resolved; `variants` are paraphrases.
    Both are searched in all lanes. `hypothetical` is an invented answer that only the dense lane
    searches: it can add candidates but displaces none. The judge reads `question` and `rewrite`.
    """

    question: str
    rewrite: str = ""
    variants: tuple[str, ...] = ()
    hypothetical: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        """The different texts that all lanes search, the question first."""
        given = (self.question, self.rewrite, *self.variants)
        return tuple(dict.fromkeys(text for form in given if (text := form.strip())))

    @property
    def judged(self) -> tuple[str, ...]:
        """The different texts that the judge reads."""
        given = (self.question, self.rewrite)
        return tuple(dict.fromkeys(text for form in given if (text := form.strip())))
