"""The kinds of settings: the form of a value in a file and in an environment variable."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from tether.app.paths import without_detours
from tether.app.settings.places import NAME
from tether.app.settings.short_models import PRODUCTS, is_short_form
from tether.app.settings.values import (
    EXTRACTIVE,
    NO_VERIFIER,
    SHIPPED,
    STARS,
    is_postgres,
    is_web_address,
)
from tether.retrieval.index.tables import NAME as DATABASE

SWITCHES = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Kind(Protocol):
    """A kind of value."""

    def value(self, given: object, base: Path) -> Any:
        """Return the value of an item of TOML; paths are relative to `base`.

        Raises `ValueError` that says what the value must be.
        """
        ...

    def typed(self, text: str) -> object:
        """Return the item of TOML that the text of a variable stands for."""
        ...


class TextKind:
    """A kind that has the same form in a variable as in a file."""

    __slots__ = ()

    def typed(self, text: str) -> object:
        """Return the text."""
        return text


class ListKind:
    """A kind that is a list in a file and separated by commas in a variable."""

    __slots__ = ()

    def typed(self, text: str) -> object:
        """Return the items of the text."""
        return [item.strip() for item in text.split(",") if item.strip()]


@dataclass(frozen=True, slots=True)
class Line(TextKind):
    """One line of text, perhaps empty."""

    def value(self, given: object, base: Path) -> str:
        """Return the text."""
        del base
        if not isinstance(given, str) or (given and not given.isprintable()):
            raise ValueError("must be a line of text")
        return given


@dataclass(frozen=True, slots=True)
class Variable(TextKind):
    """The name of an environment variable; "" for none."""

    def value(self, given: object, base: Path) -> str:
        """Return the name. Anything else may be a key, so the error does not repeat it."""
        del base
        if not isinstance(given, str) or (given and not _NAME.fullmatch(given)):
            raise ValueError(
                f"must be the NAME of a variable, such as OPENAI_API_KEY, and {STARS} is none; "
                "if it is the key: put it into a variable, and name that one here"
            )
        return given


@dataclass(frozen=True, slots=True)
class Choice(TextKind):
    """One of a few words."""

    words: tuple[str, ...]

    def value(self, given: object, base: Path) -> str:
        """Return the word."""
        del base
        if not isinstance(given, str) or given not in self.words:
            raise ValueError(f"must be one of {', '.join(self.words)}")
        return given


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number in a range."""

    least: int
    most: int

    def value(self, given: object, base: Path) -> int:
        """Return the number; true and false are not numbers."""
        del base
        fits = isinstance(given, int) and not isinstance(given, bool)
        if not fits or not self.least <= cast("int", given) <= self.most:
            raise ValueError(f"must be a whole number from {self.least} to {self.most}")
        return cast("int", given)

    def typed(self, text: str) -> object:
        """Return the number in a text, or the text if there is none."""
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else text


@dataclass(frozen=True, slots=True)
class Decimal:
    """A number in a range."""

    least: float
    most: float

    def value(self, given: object, base: Path) -> float:
        """Return the number."""
        del base
        number = given if isinstance(given, int | float) and not isinstance(given, bool) else None
        if number is None or math.isnan(number) or not self.least <= number <= self.most:
            raise ValueError(f"must be a number from {self.least:g} to {self.most:g}")
        return float(number)

    def typed(self, text: str) -> object:
        """Return the number in a text, or the text if there is none."""
        try:
            return float(text)
        except ValueError:
            return text


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    def value(self, given: object, base: Path) -> bool:
        """Return the value."""
        del base
        if not isinstance(given, bool):
            raise ValueError("must be true or false")
        return given

    def typed(self, text: str) -> object:
        """Return the value that a word stands for, or an unknown word itself."""
        return SWITCHES.get(text.strip().lower(), text)


@dataclass(frozen=True, slots=True)
class Folder(TextKind):
    """A folder of this machine."""

    def value(self, given: object, base: Path) -> Path:
        """Return its path."""
        if isinstance(given, Path):
            return _placed(str(given), base)
        return _placed(_path(given, "the path of a folder"), base)


@dataclass(frozen=True, slots=True)
class IndexPlace(TextKind):
    """The name of an index, or the path of its folder.

    A path has a separator, or leads to an index.
    """

    def value(self, given: object, base: Path) -> Path:
        """Return the path of the folder; a name stays a relative path of one part."""
        if isinstance(given, Path):
            return _placed(str(given), base)
        text = _path(given, "the name of an index or the path of its folder")
        is_path = os.sep in text or text[0] in "~." or (base / text / DATABASE).exists()
        if is_path:
            return _placed(text, base)
        if not NAME.fullmatch(text):
            raise ValueError("must be a name of letters, digits, `.`, `-` and `_`, or a path")
        return Path(text)


@dataclass(frozen=True, slots=True)
class StorePlace(TextKind):
    """A file of this machine, or the address of a PostgreSQL server."""

    def value(self, given: object, base: Path) -> str:
        """Return the path or the address."""
        text = _path(given, "the path of a file or an address postgresql://…")
        if is_postgres(text):
            return text
        if "://" in text:
            raise ValueError("must be the path of a file or an address postgresql://…")
        return str(_placed(text, base))


@dataclass(frozen=True, slots=True)
class ModelPlace(TextKind):
    """`extractive`, a GGUF file, the base address of an endpoint, or a short form of one."""

    def value(self, given: object, base: Path) -> str:
        """Return the word, the path, the address or the short form."""
        known = ", ".join(f"{name}/…" for name in PRODUCTS)
        wanted = (
            f"must be {EXTRACTIVE!r}, a file that ends in .gguf, an address http(s)://…, or one of"
            f" {known}"
        )
        text = given if isinstance(given, str) and given.isprintable() else ""
        if text == EXTRACTIVE or is_web_address(text):
            return text
        if is_short_form(text) and not text.lower().endswith(".gguf"):
            return text
        if not text.lower().endswith(".gguf") or "://" in text:
            raise ValueError(wanted)
        return str(_placed(text, base))


@dataclass(frozen=True, slots=True)
class VerifierPlace(TextKind):
    """`shipped`, `none`, or an ONNX file."""

    def value(self, given: object, base: Path) -> str:
        """Return the word or the path."""
        text = given if isinstance(given, str) and given.isprintable() else ""
        if text in (SHIPPED, NO_VERIFIER):
            return text
        if not text.lower().endswith(".onnx") or "://" in text:
            raise ValueError(f"must be {SHIPPED!r}, {NO_VERIFIER!r}, or a file that ends in .onnx")
        return str(_placed(text, base))


@dataclass(frozen=True, slots=True)
class Documents(ListKind):
    """Folders, files and addresses: one text, or a list of them."""

    def value(self, given: object, base: Path) -> tuple[str, ...]:
        """Return them in order."""
        wanted = "a folder, a file or an address, or a list of them"
        return tuple(self._one(item, base) for item in _items(given, wanted))

    def _one(self, given: object, base: Path) -> str:
        text = _path(given, "a folder, a file or an address, or a list of them")
        return text if is_web_address(text) else str(_placed(text, base))


@dataclass(frozen=True, slots=True)
class Hosts(ListKind):
    """Hosts of the web: one text, or a list of them."""

    def value(self, given: object, base: Path) -> tuple[str, ...]:
        """Return them in order, each once."""
        del base
        wanted = "a host such as docs.example.org, without https://, or a list of them"
        hosts = [_path(item, wanted).strip() for item in _items(given, wanted)]
        if any("/" in host or "@" in host for host in hosts):
            raise ValueError(f"must be {wanted}")
        return tuple(dict.fromkeys(hosts))


@dataclass(frozen=True, slots=True)
class Names(ListKind):
    """Some of a few words: one text, or a list of them."""

    words: tuple[str, ...]

    def value(self, given: object, base: Path) -> tuple[str, ...]:
        """Return them in order, each once."""
        del base
        wanted = f"some of {', '.join(self.words)}"
        found = tuple(dict.fromkeys(str(item) for item in _items(given, wanted)))
        if not set(found) <= set(self.words):
            raise ValueError(f"must be {wanted}")
        return found


@dataclass(frozen=True, slots=True)
class Address(TextKind):
    """The base address of a server; "" for none."""

    def value(self, given: object, base: Path) -> str:
        """Return the address."""
        del base
        text = given if isinstance(given, str) and given.isprintable() else " "
        if text and not is_web_address(text):
            raise ValueError("must be an address http(s)://…")
        return text


def _items(given: object, wanted: str) -> Sequence[object]:
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list | tuple):
        raise ValueError(f"must be {wanted}")
    return cast("Sequence[object]", given)


def _path(given: object, wanted: str) -> str:
    if not isinstance(given, str) or not given.strip() or not given.isprintable():
        raise ValueError(f"must be {wanted}")
    return given


def _placed(text: str, base: Path) -> Path:
    """Return a path below `base`, unless it is absolute; `~` is the home of the user.

    `..` is resolved, so that a place has one name.
    """
    try:
        return without_detours(base / Path(text).expanduser())
    except RuntimeError as error:
        raise ValueError(f"must have a home folder that is known: {error}") from error
