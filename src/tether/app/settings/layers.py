"""Settings from five layers: flags, variables, the project's file, the user's file, defaults."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from tether.app.errors import ProjectUntrusted
from tether.app.settings.places import data_home, index_name, named_index
from tether.app.settings.short_models import expand
from tether.app.settings.table import (
    BY_KEY,
    PREFIX,
    SETTINGS,
    TABLES,
    defaults,
    settings_of,
    unknown,
)
from tether.app.settings.values import DEFAULT_DATA, DEFAULT_INDEX, Settings
from tether.ask.errors import InvalidSettings
from tether.core.errors import Problem

OriginKind = Literal["default", "user file", "project file", "variable", "flag", "receipt"]

TYPED: tuple[OriginKind, ...] = ("variable", "flag")
"""The origins of values that a person gave for this command or session."""

_SERVICE_LINK = re.compile(r"TETHER_(SERVICE_|PORT(_|$))")
"""Variables that an orchestrator sets in every container for a service named tether."""

PROJECT_FILE = "tether.toml"
MOST_BYTES = 1_000_000
FOREIGN = "Work outside of its folder, or copy it, look at it, and own the copy."
_TABLE = re.compile(r"\s*\[\s*([\w\".-]+)\s*\]")
_KEY = re.compile(r"\s*([\w\".-]+)\s*=")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from; `place` is the file (with the line) or the variable."""

    kind: OriginKind
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.place}".rstrip()


class ProjectFile(NamedTuple):
    """The file of a project, and the checksum of the content that was read."""

    path: Path
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Settings with the origin of each value, by key. Defaults are relative to `folder`: that of
    the project's file, or else the working folder."""

    settings: Settings
    origins: Mapping[str, Origin]
    folder: Path
    files: tuple[Path, ...] = ()
    project: ProjectFile | None = None


class _Layers:
    """Values by key, where later layers replace earlier ones, and all problems with them."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.origins: dict[str, Origin] = {}
        self.problems: list[Problem] = []

    def add(self, key: str, given: object, origin: Origin, base: Path) -> None:
        """Set a value."""
        setting = BY_KEY.get(key)
        where = f"{origin.place}: {key}" if origin.place else key
        if setting is None:
            self.problems.append(Problem(where, unknown(key)))
            return
        try:
            self.values[key] = setting.kind.value(given, base)
        except ValueError as error:
            self.problems.append(Problem(where, str(error)))
        else:
            self.origins[key] = origin

    def add_file(self, path: Path, kind: OriginKind) -> str:
        """Set the values of a file, whose paths are relative to its folder; return its checksum.

        Raises `ProjectUntrusted` for a project's file of another user.
        """
        try:
            data = read_settings(path, mine=kind == "project file")
            found, text = read_toml(path, data)
        except InvalidSettings as error:
            self.problems += error.problems
            return ""
        for key, given in found.items():
            if key in TABLES and given == {}:
                continue
            line = line_of(text, key)
            place = str(path) if line is None else f"{path}:{line}"
            self.add(key, given, Origin(kind, place), path.parent)
        return sha256(data).hexdigest()

    def add_variables(self, environ: Mapping[str, str], base: Path) -> None:
        """Set the values of the variables; empty ones are ignored."""
        keys = {setting.variable: setting for setting in SETTINGS}
        for name, text in sorted(environ.items()):
            if not name.startswith(PREFIX) or not text or _SERVICE_LINK.match(name):
                continue
            setting = keys.get(name)
            if setting is None:
                self.problems.append(Problem(f"variable {name}", unknown(_key_of(name))))
                continue
            self.add(setting.key, setting.kind.typed(text), Origin("variable", name), base)


def load_settings(
    flags: Mapping[str, object], *, environ: Mapping[str, str], folder: Path
) -> Loaded:
    """Return the settings: flags over variables over the project's file over the user's.

    A flag that is None was not given; text is read like that of a variable. Raises
    `InvalidSettings` with every problem and its file and line, variable or key, and
    `ProjectUntrusted` for a project's file of another user. Whether a person trusts the project is
    for `require_trust` to find out.
    """
    folder = folder.absolute()
    layers = _Layers()
    project = project_file(folder)
    base = folder if project is None else project.parent
    for key, given in (defaults() | {"data": data_home(environ) or DEFAULT_DATA}).items():
        _default(layers, key, given, base)
    files: list[Path] = []
    read: ProjectFile | None = None
    user = user_file(environ)
    if user is not None and _is_there(user):
        files.append(user)
        layers.add_file(user, "user file")
    if project is not None:
        files.append(project)
        read = ProjectFile(project, layers.add_file(project, "project file"))
    layers.add_variables(environ, folder)
    for key, given in flags.items():
        if given is not None:
            layers.add(key, _typed(key, given), Origin("flag"), folder)
    expand(layers.values, layers.origins, environ)
    if layers.problems:
        raise InvalidSettings(layers.problems)
    settings = replace(settings_of(layers.values), index=_index_folder(layers, base))
    return Loaded(
        settings=settings, origins=layers.origins, folder=base, files=tuple(files), project=read
    )


def _default(layers: _Layers, key: str, given: object, base: Path) -> None:
    """Set a default; None stands for an unset value."""
    if given is None:
        layers.values[key] = None
        layers.origins[key] = Origin("default")
    else:
        layers.add(key, given, Origin("default"), base)


def _typed(key: str, given: object) -> object:
    """Return the value of a flag: text is read like that of a variable, a list is kept."""
    setting = BY_KEY.get(key)
    if setting is None or not isinstance(given, str):
        return given
    return setting.kind.typed(given)


def _index_folder(layers: _Layers, base: Path) -> Path:
    """Return the folder of the index: the one that was chosen, or by default that of the documents.

    Documents that were typed do not go into the index that a file names, which is that of others.
    Without documents it is that of the project, which may be missing.
    """
    docs, chosen = layers.values["docs"], layers.values["index"]
    origin, typed = layers.origins["index"].kind, layers.origins["docs"].kind in TYPED
    if origin != "default" and not (typed and origin not in TYPED):
        return chosen if chosen.is_absolute() else named_index(layers.values["data"], str(chosen))
    layers.origins["index"] = Origin("default")
    return named_index(layers.values["data"], index_name(docs)) if docs else base / DEFAULT_INDEX


def _key_of(variable: str) -> str:
    """Return the key that a variable may stand for."""
    name = variable.removeprefix(PREFIX).lower()
    table = next((it for it in TABLES if name.startswith(f"{it}_")), "")
    return f"{table}.{name.removeprefix(f'{table}_')}" if table else name


def _is_there(path: Path) -> bool:
    """Return whether a file exists; one without read permission does."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Return the path of the user's file, which may be missing; None without a home."""
    given = environ.get("XDG_CONFIG_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "tether" / "config.toml"
    home = environ.get("HOME", "")
    return Path(home) / ".config" / "tether" / "config.toml" if home else None


def project_file(folder: Path) -> Path | None:
    """Return the project's file, from this folder or the nearest one above."""
    for place in (folder, *folder.parents):
        found = place / PROJECT_FILE
        if found.exists() or found.is_symlink():
            return found
    return None


def read_settings(path: Path, *, mine: bool = False) -> bytes:
    """Return the content of a file: an existing file is never ignored.

    It must be a regular file, and is opened without waiting: a pipe in its place would wait for a
    writer for ever. With `mine` it must belong to this user or to root: raises `ProjectUntrusted`.
    Raises `InvalidSettings` for one that cannot be read or is too large.
    """
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(opened, "rb") as file:  # noqa: PTH123  # a descriptor
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode):
                raise InvalidSettings([Problem(str(path), "cannot be read: it is not a file")])
            if mine and status.st_uid not in _own_users():
                raise ProjectUntrusted(f"{path} belongs to another user", help=FOREIGN)
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidSettings([Problem(str(path), f"cannot be read: {error.strerror}")]) from error
    if len(data) > MOST_BYTES:
        raise InvalidSettings([Problem(str(path), f"has more than {MOST_BYTES} bytes")])
    return data


def _own_users() -> set[int]:
    """Return whose files are this person's: their own and root's, also behind `sudo`."""
    sudo = os.environ.get("SUDO_UID", "") if os.geteuid() == 0 else ""
    return {0, os.geteuid(), *([int(sudo)] if sudo.isdecimal() else [])}


def read_toml(path: Path, data: bytes) -> tuple[dict[str, Any], str]:
    """Return the values in a file's content by dotted key, and its text.

    Raises `InvalidSettings` with the line of an error in TOML.
    """
    try:
        text = data.decode("utf-8-sig")
        return dict(_flat(tomllib.loads(text), "")), text
    except (ValueError, RecursionError) as error:  # of either step
        raise InvalidSettings([Problem(str(path), f"is not TOML in UTF-8: {error}")]) from error


def line_of(text: str, key: str) -> int | None:
    """Return the number of the line that sets a dotted key; None if it is not found."""
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
