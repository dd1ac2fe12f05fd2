"""Keys of endpoints in a file that only this user can read, next to the user's settings."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tether.app.files import replace_private
from tether.app.settings.layers import user_file
from tether.app.settings.short_models import PRODUCTS
from tether.core.errors import InputRefused

FILE = "keys.json"
LARGEST = 100_000
LONGEST_KEY = 4_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class KeptKeys:
    """The keys in one file, by name. A key is never part of a message or of a representation."""

    path: Path

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> KeptKeys:
        """Return the keys of this user; raises `InputRefused` without a home."""
        settings = user_file(environ)
        if settings is None:
            raise InputRefused("there is no home folder to keep keys in: set HOME")
        return cls(settings.with_name(FILE))

    def names(self) -> list[str]:
        """Return the names in order."""
        return sorted(self._read())

    def get(self, name: str) -> str:
        """Return a key; "" if there is none."""
        return self._read().get(name, "")

    def set(self, name: str, key: str) -> None:
        """Keep a key, in place of an earlier one; raises `InputRefused` for an impossible one."""
        if not _NAME.fullmatch(name):
            raise InputRefused("the name of a key has letters, digits, `.`, `-` and `_` only")
        if not key or len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable():
            raise InputRefused("this cannot be a key: a key is one line of printable ASCII")
        if " " in key:
            raise InputRefused("this cannot be a key: it has spaces in it")
        self._write({**self._read(), name: key})

    def remove(self, name: str) -> None:
        """Forget a key; raises `InputRefused` if there is none."""
        kept = self._read()
        if kept.pop(name, None) is None:
            raise InputRefused("no key of this name is kept: `tether keys list` shows the names")
        self._write(kept)

    def _read(self) -> dict[str, str]:
        try:
            with self.path.open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                data = file.read(LARGEST + 1)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise InputRefused(f"{self.path} cannot be read: {error.strerror}") from error
        if mode & 0o077:
            raise InputRefused(f"others can read {self.path}: run chmod 600 {self.path}")
        try:
            form: object = json.loads(data[: LARGEST + 1])
        except (ValueError, RecursionError):
            form = None
        if not isinstance(form, dict):
            raise InputRefused(f"{self.path} is damaged: move it away, and set the keys again")
        pairs = cast("dict[str, object]", form).items()
        return {name: key for name, key in pairs if isinstance(key, str)}

    def _write(self, keys: Mapping[str, str]) -> None:
        replace_private(self.path, json.dumps(dict(sorted(keys.items())), indent=2))


def key_name(variable: str) -> str:
    """Return the name under which people keep the key of a variable: that of its product."""
    return next((name for name, it in PRODUCTS.items() if it.key == variable), variable)


def found_key(variable: str, environ: Mapping[str, str]) -> str:
    """Return the key in a variable, or the one that is kept for it; "" without any."""
    given = environ.get(variable, "").strip()
    if given or not variable or user_file(environ) is None:
        return given
    keys = KeptKeys.of_user(environ)
    return keys.get(variable) or keys.get(key_name(variable))
