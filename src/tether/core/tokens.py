"""How many tokens a text costs, and whether that number is exact.

The public OpenAI encodings are counted exactly, with no network and no extra package. For models
whose vocabulary is not public, or too large to ship, there are heuristics that divide the UTF-8
bytes of the text by a fixed ratio and round up. Bytes rather than characters, because scripts
other than Latin cost more tokens per character, and a budget should err on the safe side.

    encoding                    bytes per token
    claude, gemini, gemma       3.5
    llama2                      2.5
    bytes                       1, which no vocabulary exceeds
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

from tether.core.bpe import ENCODING_NAMES, load_encoding
from tether.core.errors import TokenEstimatorShadowsBuiltin

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

# In tenths, so that the division is one of integers: floats lose count of very long texts.
_TENTHS_OF_BYTES_PER_TOKEN = {"bytes": 10, "claude": 35, "gemini": 35, "gemma": 35, "llama2": 25}


class UnknownEncodingWarning(UserWarning):
    """An encoding is neither built in nor registered, so its count is a guess."""


class TokenCount(int):
    """A number of tokens that remembers which encoding it is for and whether it is an estimate.

    It is an `int` in every other respect. Arithmetic gives a plain `int`, because a sum over
    several encodings belongs to none of them.
    """

    _encoding: str
    _estimated: bool

    def __new__(cls, count: int, *, encoding: str, estimated: bool) -> Self:
        """Make a count; an `int` is complete before `__init__` runs, so it is filled here."""
        self = super().__new__(cls, count)
        self._encoding = encoding
        self._estimated = estimated
        return self

    @property
    def encoding(self) -> str:
        """The encoding the tokens are of."""
        return self._encoding

    @property
    def estimated(self) -> bool:
        """Whether the number is a heuristic's rather than the tokenizer's own."""
        return self._estimated

    def __getnewargs_ex__(self) -> tuple[tuple[int], dict[str, object]]:
        return (int(self),), {"encoding": self._encoding, "estimated": self._estimated}

    def __repr__(self) -> str:
        return f"TokenCount({self}, encoding={self._encoding!r}, estimated={self._estimated})"

    def __str__(self) -> str:
        return int.__repr__(self)


class _Estimator(NamedTuple):
    estimate: Callable[[str], int]
    estimated: bool


class _EstimatorTable:
    """The estimators that were registered, and the unknown names that were warned about."""

    def __init__(self) -> None:
        self._estimators: dict[str, _Estimator] = {}
        self._warned: set[str] = set()

    def add(self, name: str, estimator: _Estimator) -> None:
        self._estimators[name] = estimator

    def remove(self, name: str) -> None:
        self._estimators.pop(name, None)

    def count(self, text: str, name: str) -> TokenCount:
        estimator = self._estimators.get(name)
        if estimator is None:
            self._warn_once(name)
            return TokenCount(len(text), encoding=name, estimated=True)
        count = estimator.estimate(text) if text else 0
        return TokenCount(_checked(count, name), encoding=name, estimated=estimator.estimated)

    def _warn_once(self, name: str) -> None:
        if name in self._warned:
            return
        self._warned.add(name)
        warnings.warn(
            f"encoding {name!r} is unknown: counting one token per character. "
            f"Register an estimator: register_estimator({name!r}, ...)",
            UnknownEncodingWarning,
            stacklevel=4,  # the caller of count_tokens
        )


# Process-wide on purpose, like the table of `codecs.register`: an encoding travels by name, in
# settings and model profiles, and the code that counts by that name holds no object.
_TABLE = _EstimatorTable()


def count_tokens(text: str, encoding: str) -> TokenCount:
    """Return how many tokens the text is in an encoding. Empty text is 0 tokens in all of them.

    Exact for the public OpenAI encodings, an estimate for the other built-in ones, and whatever
    the registered estimator says for its name. An unknown encoding counts one token per
    character, several times too many for most prose, and warns once per name in the life of the
    process with `UnknownEncodingWarning`.

    Raises `ValueError` where an estimator returns anything but a non-negative `int`.
    """
    if encoding in ENCODING_NAMES:
        return TokenCount(load_encoding(encoding).count(text), encoding=encoding, estimated=False)
    tenths = _TENTHS_OF_BYTES_PER_TOKEN.get(encoding)
    if tenths is None:
        return _TABLE.count(text, encoding)
    size = len(text.encode("utf-8", "surrogatepass"))
    return TokenCount(-(-10 * size // tenths), encoding=encoding, estimated=True)


def register_estimator(
    name: str, estimator: Callable[[str], int], *, estimated: bool = True
) -> None:
    """Make `count_tokens(text, name)` call the estimator; registering a name again replaces it.

    Pass `estimated=False` for a counter that is exact. It is not called for empty text.

    Raises `TokenEstimatorShadowsBuiltin` for the name of a built-in encoding: the meaning
    of a built-in name must not depend on which module was imported first.
    """
    if name in builtin_encodings():
        raise TokenEstimatorShadowsBuiltin(f"{name!r} is a built-in encoding; choose another name")
    _TABLE.add(name, _Estimator(estimator, estimated))


def unregister_estimator(name: str) -> None:
    """Forget the estimator of that name, if there is one. Built-in encodings stay."""
    _TABLE.remove(name)


def builtin_encodings() -> tuple[str, ...]:
    """Return the names of the encodings that need no registration, in alphabetical order."""
    return tuple(sorted({*ENCODING_NAMES, *_TENTHS_OF_BYTES_PER_TOKEN}))


def _checked(count: object, name: str) -> int:
    # bool is an int by inheritance, but an estimator that returns one is a predicate by mistake.
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise ValueError(f"estimator {name!r} returned {count!r}, not a non-negative int")
    return count
