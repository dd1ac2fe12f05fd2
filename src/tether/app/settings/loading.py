"""Five layers of settings become one: flags, variables, two files, defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tether.app.settings.files import line_of, project_file, read_toml, user_file
from tether.app.settings.table import (
    BY_KEY,
    PREFIX,
    SETTINGS,
    TURN,
    defaults,
    settings_of,
    unknown,
)
from tether.app.settings.values import Settings
from tether.core.errors import InvalidSettings, Problem

OriginKind = Literal["default", "user file", "project file", "variable", "flag"]

_SERVICE_LINK = re.compile(r"TETHER_(SERVICE_|PORT(_|$))")
"""What an orchestrator sets in every container for a service that is called tether."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from; `place` is the file (with the line) or the variable."""

    kind: OriginKind
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.place}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Settings with the origin of each value, by key. `folder` is what defaults are relative to:
    the project's folder where it has a file, and else the one that was asked from."""

    settings: Settings
    origins: Mapping[str, Origin]
    folder: Path
    files: tuple[Path, ...] = ()


class _Layers:
    """Values by key, the later layer over the earlier, and everything that is wrong with them."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.origins: dict[str, Origin] = {}
        self.problems: list[Problem] = []

    def add(self, key: str, given: object, origin: Origin, base: Path) -> None:
        """Lay a value over what is there."""
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

    def add_file(self, path: Path, kind: OriginKind) -> None:
        """Lay a file over what is there; its paths are relative to its folder."""
        try:
            found, text = read_toml(path)
        except InvalidSettings as error:
            self.problems += error.problems
            return
        for key, given in found.items():
            if (key, given) == (TURN, {}):
                continue
            line = line_of(text, key)
            place = str(path) if line is None else f"{path}:{line}"
            self.add(key, given, Origin(kind, place), path.parent)

    def add_variables(self, environ: Mapping[str, str], base: Path) -> None:
        """Lay the variables over what is there; an empty one says nothing."""
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

    A flag that is None was not given; a text is read as a variable's is. Raises `InvalidSettings`
    that names every problem, with its file and line, variable or key.
    """
    folder = folder.absolute()
    layers = _Layers()
    project = project_file(folder)
    base = folder if project is None else project.parent
    for key, given in defaults().items():
        _default(layers, key, given, base)
    files: list[Path] = []
    user = user_file(environ)
    if user is not None and _is_there(user):
        files.append(user)
        layers.add_file(user, "user file")
    if project is not None:
        files.append(project)
        layers.add_file(project, "project file")
    layers.add_variables(environ, folder)
    for key, given in flags.items():
        if given is not None:
            layers.add(key, _typed(key, given), Origin("flag"), folder)
    _keep_key_home(layers)
    if layers.problems:
        raise InvalidSettings(layers.problems)
    settings = settings_of(layers.values)
    return Loaded(settings=settings, origins=layers.origins, folder=base, files=tuple(files))


def _default(layers: _Layers, key: str, given: object, base: Path) -> None:
    """Lay a default down; None stands for what is left open."""
    if given is None:
        layers.values[key] = None
        layers.origins[key] = Origin("default")
    else:
        layers.add(key, given, Origin("default"), base)


def _typed(key: str, given: object) -> object:
    """Return a flag's value; a text is read as that of a variable, a list is kept."""
    setting = BY_KEY.get(key)
    if setting is None or not isinstance(given, str):
        return given
    return setting.kind.typed(given)


def _keep_key_home(layers: _Layers) -> None:
    """Refuse to send a key to an endpoint that a project's file names.

    The file comes with the project, from whoever wrote it: were it obeyed, a checkout could have
    the key sent anywhere.
    """
    origin = layers.origins["model"]
    if origin.kind != "project file" or not layers.values["api_key_env"]:
        return
    if settings_of(layers.values).is_endpoint:
        told = "a project's file may not choose where a key is sent; say it with --model,"
        said = f"{told} TETHER_MODEL or in the user's file, or unset api_key_env"
        layers.problems.append(Problem(f"{origin.place}: model", said))


def _key_of(variable: str) -> str:
    """Return the key that a variable may have meant."""
    name = variable.removeprefix(PREFIX).lower()
    return f"ask.{name.removeprefix('ask_')}" if name.startswith("ask_") else name


def _is_there(path: Path) -> bool:
    """Say whether there is a file; one that may not be looked at is there."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
