"""Whether a person trusts a project: what its file wants, and the data that lies in its folder.

A `tether.toml`, an index and a store may come with a checkout, written by others. What stays within
the project's folder needs no consent; everything else needs a yes, once, to the file as it is now.
So does an index or a store that this user's `tether` did not make: it may hold planted memories and
standing instructions. Flags, variables and the user's file are the user's own, and so are the
indexes that are kept with the user's data.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

import click

from tether.app.consents import Consent, Consents
from tether.app.display import one_line
from tether.app.errors import ProjectUntrusted
from tether.app.settings.layers import Loaded, OriginKind, load_settings, project_file
from tether.app.settings.places import INDEXES, kept_indexes
from tether.app.settings.reach import is_outside, reach
from tether.app.settings.table import BY_KEY, PREFIX, values_of
from tether.app.settings.values import DEFAULT_DATA, Settings
from tether.app.terminal.typist import Typist
from tether.core.errors import InputRefused
from tether.retrieval.index.tables import NAME as DATABASE

Data = Literal["index", "data", "store"]
DATA: tuple[Data, ...] = ("index", "data", "store")
"""The index of the settings, all indexes with names, and the store."""

USED: tuple[Data, ...] = ("index", "store")
"""What an answer needs."""

OWN: tuple[OriginKind, ...] = ("user file", "variable", "flag")
"""The origins of values that the user chose."""

Demand = tuple[Consent, list[str]]
"""A consent, and the wants that it would allow."""

BROUGHT = "was not made by you"
LOOK = "`tether config show --origin` shows its settings."


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What a project wants, and the consents that would allow it."""

    folder: Path
    wants: tuple[str, ...] = ()
    consents: tuple[Consent, ...] = ()

    def refusal(self) -> ProjectUntrusted:
        """Return the error, with everything that is wanted and what to type."""
        message = f"{self.folder} is not trusted yet, and wants more than its own folder: "
        typed = f"If you trust it, type `tether trust {shlex.quote(str(self.folder))}`; {LOOK}"
        return ProjectUntrusted(message + "; ".join(self.wants), help=typed)


def demands_of(loaded: Loaded, environ: Mapping[str, str], data: Sequence[Data] = USED) -> Demands:
    """Return what the project wants and nobody has agreed to; `data` are the places in use."""
    consents = Consents.of_user(environ)
    asked = [*_file_demands(loaded, environ), *(it for key in data for it in _brought(loaded, key))]
    open_ones = [it for it in asked if not consents.covers(it[0])]
    return Demands(
        folder=loaded.folder,
        wants=tuple(want for _, wants in open_ones for want in wants),
        consents=tuple(consent for consent, _ in open_ones),
    )


def require_trust(loaded: Loaded, environ: Mapping[str, str], data: Sequence[Data] = USED) -> None:
    """Go on if a person trusts the project; at a terminal, ask, and keep a yes.

    Raises `ProjectUntrusted`.
    """
    demands = demands_of(loaded, environ, data)
    if not demands.wants:
        return
    typist = Typist.of_process()
    if not typist.is_person or not _agrees(demands, typist):
        raise demands.refusal()
    give(demands, environ)


def give(demands: Demands, environ: Mapping[str, str]) -> None:
    """Keep a yes to all that a project wants; raises `InputRefused`."""
    consents = Consents.of_user(environ)
    for consent in demands.consents:
        consents.give(consent)


def note_made(place: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Note that this user's `tether` has just made an index or a store in the project.

    Without the note, the next command would take it for something that came with a checkout. A
    place outside the project of the working folder needs none.
    """
    here = Path.cwd()
    project = project_file(here)
    if is_outside(place, here if project is None else project.parent):
        return
    _note([data_consent(place)], environ)


def _note(made: Sequence[Consent], environ: Mapping[str, str]) -> None:
    """Keep consents to what this user has made; where that is impossible, say so and go on."""
    for consent in made:
        try:
            Consents.of_user(environ).give(consent)
        except InputRefused as error:
            said = f"Note: {consent.path} is yours, but {error.message}"
            click.echo(one_line(said), err=True)


def project_of(folder: Path, environ: Mapping[str, str]) -> Loaded:
    """Return the project of a folder by its file alone, whatever the variables say today."""
    plain = {name: text for name, text in environ.items() if not name.startswith(PREFIX)}
    return load_settings({}, environ=plain, folder=folder)


def note_written(path: Path, environ: Mapping[str, str]) -> None:
    """Note that the person has just written a project's file, and so agrees to what it wants."""
    loaded = project_of(path.parent, environ)
    _note(demands_of(loaded, environ, ()).consents, environ)


def data_consent(place: Path) -> Consent:
    """Return the consent to an index or a store as it is: another file in its place is another."""
    database = place / DATABASE
    status = (database if os.path.lexists(database) else place).lstat()
    return Consent(_real(place), f"{status.st_dev}:{status.st_ino}")


def _real(path: Path) -> str:
    """Return a path without links in its folders; the last part may be one."""
    return str(path.parent.resolve() / path.name)


def _file_demands(loaded: Loaded, environ: Mapping[str, str]) -> Iterator[Demand]:
    """Yield what the values of the project's file would reach, if that is anything.

    The consent is bound to the file and to where its paths lead now: a link may change, too. It is
    one to the whole file, so that a flag in place of one of its values asks for nothing again.
    """
    wants = _wants(loaded)
    if loaded.project is not None and wants:
        path, checksum = loaded.project
        whole = _wants(project_of(loaded.folder, environ))
        consent = Consent(_real(path), file_bound(checksum, whole))
        yield consent, list(dict.fromkeys([*whole, *wants]))


def _wants(loaded: Loaded) -> list[str]:
    """Return what those values of the project's file reach that nothing overrides."""
    values = values_of(loaded.settings)
    named = [key for key, origin in loaded.origins.items() if origin.kind == "project file"]
    reached = {key: reach(BY_KEY[key].kind, values[key], loaded.folder) for key in named}
    return [f"{key} {what}" for key, what in reached.items() if what]


def file_bound(checksum: str, wants: Sequence[str]) -> str:
    """Return the text that binds a consent to a file and to what it wants."""
    return sha256("\n".join([checksum, *wants]).encode("utf-8", "surrogatepass")).hexdigest()


def _brought(loaded: Loaded, key: Data) -> Iterator[Demand]:
    """Yield the demands of an index or a store that others may have put there."""
    kind = _chosen_by(loaded, key)
    if kind in OWN:
        return
    name = "store" if key == "store" else "index"
    for place in _places(loaded.settings, key):
        if not is_outside(place, loaded.folder):
            if os.path.lexists(place):
                yield data_consent(place), [f"{name} {place} {BROUGHT}"]
        elif kind == "default":  # a file that names such a place has to be trusted for that
            target = str(place.resolve())
            yield Consent(_real(place), target), [f"{name} leads to {target}"]


def _chosen_by(loaded: Loaded, key: Data) -> OriginKind:
    """Return where the choice of a place comes from.

    Whoever chooses the folder of the indexes with names chooses the place of each of them. By
    default it is that of the user's data, which the variables of the system name.
    """
    kind, settings = loaded.origins[key].kind, loaded.settings
    if key == "store" or kind in OWN or (key == "index" and not _has_name(settings)):
        return kind
    kind = loaded.origins["data"].kind
    is_home = kind == "default" and settings.data != loaded.folder / DEFAULT_DATA
    return "variable" if is_home else kind


def _has_name(settings: Settings) -> bool:
    return settings.index.parent == settings.data / INDEXES


def _places(settings: Settings, key: Data) -> list[Path]:
    if key == "data":
        return kept_indexes(settings.data)
    if key == "index":
        return [settings.index]
    return [] if settings.is_postgres else [Path(settings.store)]


def _agrees(demands: Demands, typist: Typist) -> bool:
    click.echo(f"{one_line(str(demands.folder))} wants more than its own folder:", err=True)
    for want in demands.wants:
        click.echo(f"    {one_line(want)}", err=True)
    return typist.agrees("Do you trust it?")
