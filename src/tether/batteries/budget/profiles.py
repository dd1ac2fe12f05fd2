"""Profiles of models: windows, limits and abilities."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from tether.batteries.budget.allocation import default_reserve
from tether.batteries.budget.errors import InvalidModelProfile
from tether.batteries.budget.meter import BYTES
from tether.core.checks import MISSING, Checks, freeze, in_short, refuses_with
from tether.core.tokens import builtin_encodings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Strictness = Literal["strict", "normal"]
STRICTNESSES: tuple[Strictness, ...] = get_args(Strictness)

LEAST_WINDOW = 4_096
"""The window of an unknown model."""

_VENDOR = re.compile(r"(?:[a-z-]+\.)?(?:anthropic|deepseek|google|meta|mistral|openai|qwen)\.")
_TAG = re.compile("[:@]")
_SIZE = re.compile(r"(?:\d+x)?\d+(?:\.\d+)?[bm]\b")
_DATE = re.compile(r"-20\d\d-?\d\d-?\d\d$")


@refuses_with(InvalidModelProfile)
@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class ModelProfile:
    """One model, or a family whose members agree in all fields.

    The defaults assume the least: no tools, no images, no reliance on code, strict checks, an
    answer as long as the window, and tokens counted as bytes, which no byte-based vocabulary
    exceeds. `known` is False for the profile of an unknown model. Raises `InvalidModelProfile`.
    """

    name: str
    models: tuple[str, ...]
    """The names of the model, if they differ from `name`; `*` matches anything."""

    window: int
    max_input: int
    max_output: int
    encoding: str
    tools: bool
    images: bool
    code: bool
    strictness: Strictness
    reading_speed: float | None
    """The tokens of a prompt that it reads in a second, where that is slow; None if unknown."""

    known: bool

    def __init__(
        self,
        *,
        name: str,
        window: int,
        models: tuple[str, ...] | list[str] = (),
        max_input: int | None = None,
        max_output: int | None = None,
        encoding: str = BYTES,
        tools: bool = False,
        images: bool = False,
        code: bool = False,
        strictness: Strictness = "strict",
        reading_speed: float | None = None,
        known: bool = True,
    ) -> None:
        check = Checks()
        check.whole_number("window", window)
        freeze(
            self,
            name=check.identifier("name", name),
            models=check.instances("models", models, str, "names") or (name,),
            window=window,
            max_input=_limit(check, "max_input", max_input, window),
            max_output=_limit(check, "max_output", max_output, window),
            encoding=check.identifier("encoding", encoding),
            tools=check.flag("tools", tools),
            images=check.flag("images", images),
            code=check.flag("code", code),
            strictness=check.choice("strictness", strictness, STRICTNESSES),
            reading_speed=_speed(check, reading_speed),
            known=check.flag("known", known),
        )
        check.done(InvalidModelProfile)

    @property
    def reserve(self) -> int:
        """The tokens reserved for the answer: a quarter of the window or the longest answer,
        whichever is less, and at least the part of the window that input may not use."""
        usual = default_reserve(self.window, self.max_output)
        return max(usual, self.window - self.max_input)


def _speed(check: Checks, value: float | None) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < float("inf"):
        check.refuse("reading_speed", value, "a number more than 0")
        return None
    return float(value)


def _limit(check: Checks, path: str, value: int | None, window: int) -> int:
    if value is None:
        return window
    check.whole_number(path, value)
    if not check.problems and value > window:
        check.fail(path, f"is more than the window: {value} > {window}")
    return value


class ModelProfiles:
    """The known profiles, and the search for one by a model's name.

    `ranks` are ranks of profiles, by name: a higher rank wins over a better fit. The default rank
    is 0.
    """

    __slots__ = ("_names", "_profiles")

    def __init__(
        self, profiles: Iterable[ModelProfile], *, ranks: Mapping[str, int] | None = None
    ) -> None:
        self._profiles = tuple(profiles)
        self._names = [
            _Name(name.lower(), (ranks or {}).get(profile.name, 0), profile)
            for profile in self._profiles
            for name in profile.models
        ]

    @classmethod
    def load(cls, *paths: str | Path) -> ModelProfiles:
        """Return the built-in profiles, overridden by those of TOML files; later files win.

        A profile of the same name changes only in the given keys; a new one needs a `window`. An
        inherited limit is cut to a smaller window. The names in a file come before all names of
        earlier files and the built-in ones. A missing file raises `FileNotFoundError`;
        `InvalidModelProfile` names every problem in every file, with file, profile and key.
        """
        check = Checks()
        tables: dict[str, dict[str, Any]] = {}
        origins: dict[str, str] = {}
        ranks: dict[str, int] = {}
        builtin = files("tether.batteries.budget").joinpath("profiles.toml")
        sources = [("built-in", builtin.read_bytes())]
        sources += [(str(path), Path(path).read_bytes()) for path in paths]
        for rank, (origin, content) in enumerate(sources):
            for name, table in _read(check, origin, content):
                if name not in tables or "models" in table:
                    ranks[name] = rank
                tables[name] = _over(tables.pop(name, {}), table)
                origins[name] = origin
        profiles = [
            check.made(f"{origins[name]}: {name}", _profile, {**table, "name": name})
            for name, table in tables.items()
        ]
        check.done(InvalidModelProfile)
        return cls(profiles, ranks=ranks)

    def find(self, model: str) -> ModelProfile:
        """Return the profile of a model.

        `openai/gpt-4o`, `gpt-4o-2024-08-06` and `llama3.1:8b-instruct-q4_K_M` are found under the
        name without provider, date and tag; a tag with a size stays. Among the matching names,
        those of the last file come first, then an exact name, then the longest pattern. An unknown
        model gets the smallest values, in a profile with `known` False. Raises
        `InvalidModelProfile` for a name that is not text.
        """
        check = Checks()
        check.instance("model", model, str, "the name of a model")
        check.done(InvalidModelProfile)
        forms = _Forms(model.lower())
        fitting = [(fit, name.profile) for name in self._names if (fit := name.fit(forms))]
        if not fitting:
            return ModelProfile(name=_shown(model), window=LEAST_WINDOW, known=False)
        best = max(fit for fit, _ in fitting)
        return [profile for fit, profile in fitting if fit == best][-1]  # the last loaded

    def __iter__(self) -> Iterator[ModelProfile]:
        return iter(self._profiles)

    def __len__(self) -> int:
        return len(self._profiles)


class _Forms:
    """The readings of a model's name: complete, and without provider, tag or date."""

    __slots__ = ("bare", "exact", "whole")

    def __init__(self, model: str) -> None:
        bare = _VENDOR.sub("", model.rpartition("/")[2], count=1)
        self.exact = {model, bare, _TAG.sub("-", bare)}
        self.bare = _shorter(bare)
        self.whole = _shorter(model)


class _Name:
    """One name of a profile, or a pattern."""

    __slots__ = ("_name", "_pattern", "_rank", "profile")

    def __init__(self, name: str, rank: int, profile: ModelProfile) -> None:
        self._name = name
        self._rank = rank
        self._pattern = _compiled(name)
        self.profile = profile

    def fit(self, forms: _Forms) -> tuple[int, bool, int] | None:
        """Return how well it fits: greater is better. A name with a provider requires it."""
        if self._name in forms.exact:
            return self._rank, True, len(self._name)
        readings = forms.whole if "/" in self._name else forms.bare
        if any(map(self._pattern.fullmatch, readings)):
            return self._rank, False, len(self._name.replace("*", ""))
        return None


def _shorter(name: str) -> set[str]:
    """Return a name with its tag, with the tag as a part of it, and without tag and date."""
    untagged, *tag = _TAG.split(name, maxsplit=1)
    forms = {name, _TAG.sub("-", name)}
    if not tag or not _SIZE.match(tag[0]):  # another size is another model
        forms |= {untagged, _DATE.sub("", untagged)}
    return forms


def _shown(model: str) -> str:
    return model if model and model.isprintable() else "unnamed"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.lower().split("*")), re.DOTALL)


def _read(check: Checks, origin: str, content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of one file; report everything else to `check`."""
    try:
        document = tomllib.loads(content.decode("utf-8-sig"))
    except ValueError as error:  # of either step
        check.fail(origin, f"is not TOML in UTF-8: {error}")
        return
    for key in document.keys() - {"profiles"}:
        check.fail(f"{origin}: {key}", "is not a key of a profiles file; write [profiles.NAME]")
    tables = document.get("profiles", {})
    for name, table in tables.items() if isinstance(tables, dict) else [("profiles", tables)]:
        if not isinstance(table, dict):
            check.fail(f"{origin}: {name}", f"must be a table, not {in_short(table)}")
        elif "name" in table or "known" in table:
            check.fail(f"{origin}: {name}", "'name' and 'known' cannot be given in a file")
        else:
            _check_encoding(check, f"{origin}: {name}.encoding", table.get("encoding", BYTES))
            yield name, table


def _check_encoding(check: Checks, path: str, encoding: object) -> None:
    """Refuse an unknown encoding; a name that is not text is refused with the profile."""
    if isinstance(encoding, str) and encoding not in builtin_encodings():
        known = ", ".join(builtin_encodings())
        check.fail(path, f"{in_short(encoding)} is not a built-in encoding; these are: {known}")


def _over(base: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    """Return a table overridden by another; inherited limits are cut to the window."""
    merged = {**base, **table}
    window = merged.get("window")
    for limit in ("max_input", "max_output"):
        taken_over = base.get(limit) if limit not in table else None
        if isinstance(taken_over, int) and isinstance(window, int):
            merged[limit] = min(taken_over, window)
    return merged


def _profile(table: dict[str, Any]) -> ModelProfile:
    return ModelProfile(**{"window": MISSING, **table})
