"""What is known about models: windows, limits, and what they can be trusted with."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from tether.batteries.budget.allocation import default_reserve
from tether.batteries.budget.amounts import whole_number
from tether.batteries.budget.measuring import BYTES
from tether.core.checks import MISSING, Checks, freeze, in_short, refuses_with
from tether.core.errors import InvalidModelProfile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Strictness = Literal["strict", "normal"]
STRICTNESSES: tuple[Strictness, ...] = get_args(Strictness)

LEAST_WINDOW = 4_096
"""What a model is assumed to hold about which nothing is known."""

_VENDOR = re.compile(r"(?:[a-z-]+\.)?(?:anthropic|deepseek|google|meta|mistral|openai|qwen)\.")
_DATE = re.compile(r"-20\d\d-?\d\d-?\d\d$")


@refuses_with(InvalidModelProfile)
@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class ModelProfile:
    """One model, or a family whose members agree in all of this.

    What is not said is assumed to be the least: no tools, no images, no reliance on code, strict
    checks, an answer as long as the window, and tokens counted as bytes, of which no vocabulary
    that starts from bytes makes more. `known` is False for a stand-in, about which nobody knows
    more. Raises `InvalidModelProfile`.
    """

    name: str
    models: tuple[str, ...]
    """The names it goes by, if it has others than its own; `*` stands for anything."""

    window: int
    max_input: int
    max_output: int
    encoding: str
    tools: bool
    images: bool
    code: bool
    strictness: Strictness
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
        known: bool = True,
    ) -> None:
        check = Checks()
        whole_number(check, "window", window)
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
            known=check.flag("known", known),
        )
        check.done(InvalidModelProfile)

    @property
    def reserve(self) -> int:
        """What is kept for the answer: the usual share, or all that input may not use."""
        return max(default_reserve(self.window), self.window - self.max_input)


def _limit(check: Checks, path: str, value: int | None, window: int) -> int:
    if value is None:
        return window
    whole_number(check, path, value)
    if not check.problems and value > window:
        check.fail(path, f"is more than the window: {value} > {window}")
    return value


class ModelProfiles:
    """The profiles that are known, and how a model's name leads to one of them."""

    __slots__ = ("_by_name", "_patterns", "_profiles")

    def __init__(self, profiles: Iterable[ModelProfile]) -> None:
        self._profiles = tuple(profiles)
        named = [(name.lower(), profile) for profile in self._profiles for name in profile.models]
        self._by_name = {name: profile for name, profile in named if "*" not in name}
        self._patterns = [
            (len(name.replace("*", "")), _compiled(name), profile) for name, profile in named
        ]

    @classmethod
    def load(cls, *paths: str | Path) -> ModelProfiles:
        """Return the built-in profiles with those of TOML files over them, the later file first.

        A profile of the same name is changed in the keys that are given; a new one needs a
        `window`. A file that is not there raises `FileNotFoundError`; `InvalidModelProfile` names
        every problem in every file, with file, profile and key.
        """
        check = Checks()
        tables: dict[str, dict[str, Any]] = {}
        origins: dict[str, str] = {}
        builtin = files("tether.batteries.budget").joinpath("profiles.toml")
        sources = [("built-in", builtin.read_text(encoding="utf-8"))]
        sources += [(str(path), Path(path).read_text(encoding="utf-8")) for path in paths]
        for origin, text in sources:
            for name, table in _read(check, origin, text):
                tables[name] = {**tables.pop(name, {}), **table}
                origins[name] = origin
        profiles = [
            check.made(f"{origins[name]}: {name}", _profile, {**table, "name": name})
            for name, table in tables.items()
        ]
        check.done(InvalidModelProfile)
        return cls(profiles)

    def find(self, model: str) -> ModelProfile:
        """Return the profile of a model: by its exact name, or by the longest pattern that fits.

        `openai/gpt-4o`, `gpt-4o-2024-08-06` and `llama3.1:8b-instruct-q4_K_M` are found under the
        name without provider, date and tag. A model that nobody knows gets the least of everything,
        in a profile that says so (`known` is False).
        """
        exact, forms = _forms(model)
        for form in exact:
            if form in self._by_name:
                return self._by_name[form]
        found: ModelProfile | None = None
        longest = 0
        for length, pattern, profile in self._patterns:
            if length >= longest and any(pattern.fullmatch(form) for form in forms):
                found, longest = profile, length  # of equal ones the last loaded
        return found or ModelProfile(name=_shown(model), window=LEAST_WINDOW, known=False)

    def __iter__(self) -> Iterator[ModelProfile]:
        return iter(self._profiles)

    def __len__(self) -> int:
        return len(self._profiles)


def _forms(model: str) -> tuple[list[str], list[str]]:
    """Return the ways to read a name: with all that belongs to it, and with less of it too."""
    whole = model.lower()
    bare = _VENDOR.sub("", whole.rpartition("/")[2], count=1)
    untagged = re.split("[:@]", bare, maxsplit=1)[0]
    joined = re.sub("[:@]", "-", bare)
    return [whole, bare, joined], [bare, joined, untagged, _DATE.sub("", untagged)]


def _shown(model: str) -> str:
    return model if model and model.isprintable() else "unnamed"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.lower().split("*")), re.DOTALL)


def _read(check: Checks, origin: str, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables of one file; note what is not one."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        check.fail(origin, f"is no TOML: {error}")
        return
    for key in document.keys() - {"profiles"}:
        check.fail(f"{origin}: {key}", "is no key of a file of profiles; write [profiles.NAME]")
    tables = document.get("profiles", {})
    for name, table in tables.items() if isinstance(tables, dict) else [("profiles", tables)]:
        if not isinstance(table, dict):
            check.fail(f"{origin}: {name}", f"must be a table, not {in_short(table)}")
        elif "name" in table or "known" in table:
            check.fail(f"{origin}: {name}", "'name' and 'known' cannot be given in a file")
        else:
            yield name, table


def _profile(table: dict[str, Any]) -> ModelProfile:
    return ModelProfile(**{"window": MISSING, **table})
