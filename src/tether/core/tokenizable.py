"""Text that knows its number of tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tether.core.checks import MISSING, in_short
from tether.core.clean_text import clean_text
from tether.core.errors import InvalidInitialTokenizableValue, Problem, TokenizableEvaluatorInvalid
from tether.core.tokens import TokenCount, count_tokens

if TYPE_CHECKING:
    from tether.core.checks import Checks

Evaluator = Callable[[Any], str]
"""Makes text from the dispatch context it is rendered for."""


class Tokenizable:
    """The form of every text in the system: cleaned once, counted once per encoding.

    It reads as its string (`str(text)`, f-strings, `len`, `in`, `==`). `set` replaces the value and
    forgets the counts. The value may be a function of the context: `render(ctx)` calls it once per
    context, and without a context the `fallback` is used.
    """

    __slots__ = ("__weakref__", "_counts", "_evaluator", "_rendered", "_text")

    def __init__(self, value: str | Evaluator, *, fallback: str = "") -> None:
        self._rendered: WeakKeyDictionary[Any, str] | None = None
        self._assign(value, fallback)

    def set(self, value: str | Evaluator, *, fallback: str = "") -> None:
        """Replace the value and drop every cached count and rendering."""
        self._assign(value, fallback)

    def _assign(self, value: str | Evaluator, fallback: str) -> None:
        if isinstance(value, str):
            self._text = clean_text(value)
            self._evaluator: Evaluator | None = None
        elif callable(value) and isinstance(fallback, str):
            self._text = clean_text(fallback)
            self._evaluator = value
            self._rendered = WeakKeyDictionary()
        else:
            wrong = fallback if callable(value) else value
            where = "fallback" if callable(value) else ""
            raise InvalidInitialTokenizableValue([Problem(where, _expected(wrong))])
        self._counts: dict[str, TokenCount] = {}

    @property
    def is_dynamic(self) -> bool:
        """Whether the text is made per context."""
        return self._evaluator is not None

    def render(self, ctx: object = None) -> str:
        """Return the text for this context.

        Raises `TokenizableEvaluatorInvalid` if the function fails or does not return text.
        """
        if self._evaluator is None or self._rendered is None or ctx is None:
            return self._text
        try:
            text = self._rendered.get(ctx)
            if text is None:
                text = self._rendered[ctx] = _evaluate(self._evaluator, ctx)
        except TypeError:  # a context that cannot be remembered is evaluated each time
            return _evaluate(self._evaluator, ctx)
        return text

    def estimate_tokens(self, encoding: str, ctx: object = None) -> TokenCount:
        """Return the number of tokens in `encoding`; its `estimated` tells a heuristic."""
        if self._evaluator is not None and ctx is not None:
            return count_tokens(self.render(ctx), encoding)
        count = self._counts.get(encoding)
        if count is None:
            count = self._counts[encoding] = count_tokens(self._text, encoding)
        return count

    @staticmethod
    def estimate(text: str, encoding: str) -> TokenCount:
        """Count plain text without keeping it."""
        return count_tokens(clean_text(text), encoding)

    def to_json(self) -> str:
        """Return the text: in JSON a Tokenizable is a string."""
        return self._text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        dynamic = f"{self._evaluator!r}, fallback=" if self._evaluator is not None else ""
        return f"Tokenizable({dynamic}{self._text!r})"

    def __format__(self, specification: str) -> str:
        return format(self._text, specification)

    def __len__(self) -> int:
        return len(self._text)

    def __contains__(self, part: str) -> bool:
        return part in self._text

    def __add__(self, other: str | Tokenizable) -> str:
        return self._text + str(other)

    def __radd__(self, other: str) -> str:
        return other + self._text

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Tokenizable):
            return self._text == other._text and self._evaluator is other._evaluator
        if isinstance(other, str):
            return self._evaluator is None and self._text == other
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # its value changes with `set`


TextInput = str | Tokenizable
"""Text as callers pass it: a string is wrapped, a Tokenizable is kept as it is."""


def text_field(
    checks: Checks, path: str, value: TextInput, *, may_be_empty: bool = False
) -> Tokenizable:
    """Wrap a string, keep a Tokenizable by identity, and report anything else as a problem."""
    if isinstance(value, Tokenizable):
        text = value
    elif isinstance(value, str):
        text = Tokenizable(value)
    else:
        checks.fail(path, "is required" if value is MISSING else _expected(value))
        return value
    if not may_be_empty and not text.is_dynamic and not len(text):
        checks.fail(path, "must not be empty")
    return text


def _evaluate(evaluator: Evaluator, ctx: object) -> str:
    try:
        text: object = evaluator(ctx)
    except Exception as error:
        raise TokenizableEvaluatorInvalid(
            f"the text function {evaluator!r} raised {error!r}"
        ) from error
    if not isinstance(text, str):
        raise TokenizableEvaluatorInvalid(f"the text function {evaluator!r} returned {text!r}")
    return clean_text(text)


def _expected(value: object) -> str:
    return f"must be text, not {in_short(value)}"
