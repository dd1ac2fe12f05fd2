"""Configuration files: where they lie, what they hold, and the line of a key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from tether.core.errors import InvalidSettings, Problem

PROJECT_FILE = "tether.toml"
MOST_BYTES = 1_000_000

_TABLE = re.compile(r"\s*\[\s*([\w\".-]+)\s*\]")
_KEY = re.compile(r"\s*([\w\".-]+)\s*=")


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Return where the user's file lies, whether it is there or not; None without a home."""
    given = environ.get("XDG_CONFIG_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "tether" / "config.toml"
    home = environ.get("HOME", "")
    return Path(home) / ".config" / "tether" / "config.toml" if home else None


def project_file(folder: Path) -> Path | None:
    """Return the project's file, in this folder or the nearest one above that has one."""
    for place in (folder, *folder.parents):
        found = place / PROJECT_FILE
        if found.exists() or found.is_symlink():
            return found
    return None


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Return what a file holds, by dotted key, and its text.

    Raises `InvalidSettings`, with the line where TOML is broken, and for a file that cannot be
    read: a file that is there was meant.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidSettings([Problem(str(path), f"cannot be read: {error.strerror}")]) from error
    if len(data) > MOST_BYTES:
        raise InvalidSettings([Problem(str(path), f"has more than {MOST_BYTES} bytes")])
    try:
        text = data.decode("utf-8-sig")
        return dict(_flat(tomllib.loads(text), "")), text
    except (ValueError, RecursionError) as error:  # of either step
        raise InvalidSettings([Problem(str(path), f"is no TOML in UTF-8: {error}")]) from error


def line_of(text: str, key: str) -> int | None:
    """Return the line on which a dotted key is set, counted from 1; None where it is hidden."""
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header, assigned = _TABLE.match(line), _KEY.match(line)
        if header:
            table = _bare(header.group(1)) + "."
            if table == f"{key}.":
                return number
        elif assigned and table + _bare(assigned.group(1)) == key:
            return number
    return None


def _bare(name: str) -> str:
    return name.replace('"', "")


def _flat(table: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _flat(cast("dict[str, Any]", value), f"{before}{name}.")
        else:
            yield before + name, value
