"""The machine: interpreter, SQLite, packages, disk and terminal."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from tether.app.checkup.finding import Finding

MENDED_PYTHONS = {(3, 11): 14, (3, 12): 12, (3, 13): 6}
"""From these releases on the standard HTML parser takes no quadratic time on hostile pages."""

MENDED_SQLITE = (3, 51, 3)
LEAST_DISK = 100_000_000
LITTLE_DISK = 1_000_000_000

EXTRAS: dict[str, tuple[str, str]] = {
    "local": ("xllamacpp", "models in .gguf files"),
    "models": ("httpx2", "models behind an endpoint, and documents on the web"),
    "pdf": ("pypdf", "documents in PDF"),
    "postgres": ("psycopg", "a store on a PostgreSQL server"),
    "tools": ("babel", "the tools of the toolbox"),
    "otel": ("opentelemetry", "traces for OpenTelemetry"),
}
"""Extras by name: the package that shows whether one is there, and what it is for."""


def python(version: tuple[int, int, int] = sys.version_info[:3]) -> Finding:
    """Look at the interpreter."""
    text = ".".join(map(str, version))
    mended = MENDED_PYTHONS.get(version[:2], 0)
    if version[2] >= mended:
        return Finding("python", "fine", text)
    said = f"{text} has a slow HTML parser (CVE-2025-6069), which nothing here uses"
    wanted = f"{version[0]}.{version[1]}.{mended}"
    return Finding("python", "note", said, f"Update to Python {wanted} or later.")


def sqlite(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> Finding:
    """Look at the SQLite that comes with the interpreter."""
    text = ".".join(map(str, version))
    if version >= MENDED_SQLITE:
        return Finding("sqlite", "fine", text)
    said = f"{text} can damage a file that two connections write and checkpoint at once"
    done = "the store lets one process at a time write, by a lock file, and is safe"
    advice = "Nothing to do; open the store with no other program while tether runs."
    return Finding("sqlite", "note", f"{said}; {done}", advice)


def extras() -> Iterator[Finding]:
    """Look for the packages that are installed on demand."""
    for name, (package, purpose) in EXTRAS.items():
        if find_spec(package) is not None:
            yield Finding(f"extra {name}", "fine", f"there, for {purpose}")
        else:
            advice = f"pip install 'tether[{name}]', should you want it."
            yield Finding(f"extra {name}", "note", f"not there; it is for {purpose}", advice)


def disk(folder: Path) -> Finding:
    """Look at the room where a folder is, or is going to be."""
    place = next(it for it in (folder.absolute(), *folder.absolute().parents) if it.exists())
    free = shutil.disk_usage(place).free
    text = f"{free / 1e9:.1f} GB free in {place}"
    if free < LEAST_DISK:
        return Finding("disk", "problem", text, "Make room: writing an index or a store will fail.")
    if free < LITTLE_DISK:
        return Finding("disk", "note", text, "Make room before you index much.")
    if not os.access(place, os.W_OK):
        advice = "Name another place with --index and --store."
        return Finding("disk", "problem", f"{place} cannot be written to", advice)
    return Finding("disk", "fine", text)


def terminal(environ: Mapping[str, str], *, is_terminal: bool, encoding: str) -> Finding:
    """Look at where the output goes."""
    if encoding.lower().replace("-", "") != "utf8":
        said = f"the output is encoded as {encoding}, which lacks most characters"
        return Finding("terminal", "note", said, "Set PYTHONUTF8=1, or a locale with UTF-8.")
    if not is_terminal:
        return Finding("terminal", "fine", "none: plain output without colours and bars")
    plain = "NO_COLOR" in environ or environ.get("TERM", "") in ("", "dumb")
    return Finding("terminal", "fine", "without colours" if plain else "with colours")
