"""Whether a person trusts a project: what its file wants, and the data that lies in its folder.

A `tether.toml`, an index and a store may come with a checkout, written by others. What stays within
the project's folder needs no consent; everything else needs a yes, once, to the file as it is now.
So does an index or a store that this user's `tether` did not make: it may hold planted memories and
standing instructions. Flags, variables and the user's file are the user's own.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

import click

from tether.app.consents import Consent, Consents
from tether.app.display import one_line
from tether.app.errors import ProjectUntrusted
from tether.app.settings.layers import Loaded, load_settings, project_file
from tether.app.settings.reach import is_outside, reach
from tether.app.settings.table import BY_KEY, PREFIX, values_of
from tether.app.settings.values import is_postgres
from tether.app.terminal.typist import Typist
from tether.core.errors import InputRefused
from tether.retrieval.index.tables import NAME as DATABASE

Data = Literal["index", "store"]
DATA: tuple[Data, ...] = ("index", "store")

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


def demands_of(loaded: Loaded, consents: Consents, data: Sequence[Data] = DATA) -> Demands:
    """Return what the project wants and nobody has agreed to; `data` are the places in use."""
    asked = [_file_demand(loaded), *(_data_demand(loaded, key) for key in data)]
    open_ones = [it for it in asked if it is not None and not consents.covers(it[0])]
    return Demands(
        folder=loaded.folder,
        wants=tuple(want for _, wants in open_ones for want in wants),
        consents=tuple(consent for consent, _ in open_ones),
    )


def require_trust(loaded: Loaded, environ: Mapping[str, str], data: Sequence[Data] = DATA) -> None:
    """Go on if a person trusts the project; at a terminal, ask, and keep a yes.

    Raises `ProjectUntrusted`.
    """
    consents = Consents.of_user(environ)
    demands = demands_of(loaded, consents, data)
    if not demands.wants:
        return
    typist = Typist.of_process()
    if not typist.is_person or not _agrees(demands, typist):
        raise demands.refusal()
    give(consents, demands)


def give(consents: Consents, demands: Demands) -> None:
    """Keep a yes to all that a project wants; raises `InputRefused`."""
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
    _note(demands_of(loaded, Consents.of_user(environ), ()).consents, environ)


def data_consent(place: Path) -> Consent:
    """Return the consent to an index or a store as it is: another file in its place is another."""
    database = place / DATABASE
    status = (database if os.path.lexists(database) else place).lstat()
    return Consent(_real(place), f"{status.st_dev}:{status.st_ino}")


def _real(path: Path) -> str:
    """Return a path without links in its folders; the last part may be one."""
    return str(path.parent.resolve() / path.name)


def _file_demand(loaded: Loaded) -> Demand | None:
    """Return what the values of the project's file would reach; None if nothing.

    The consent is bound to the file and to where its paths lead now: a link may change, too.
    """
    values = values_of(loaded.settings)
    named = [key for key, origin in loaded.origins.items() if origin.kind == "project file"]
    reached = {key: reach(BY_KEY[key].kind, values[key], loaded.folder) for key in named}
    wants = [f"{key} {what}" for key, what in reached.items() if what]
    if loaded.project is None or not wants:
        return None
    path, checksum = loaded.project
    return Consent(_real(path), file_bound(checksum, wants)), wants


def file_bound(checksum: str, wants: Sequence[str]) -> str:
    """Return the text that binds a consent to a file and to what it wants."""
    return sha256("\n".join([checksum, *wants]).encode("utf-8", "surrogatepass")).hexdigest()


def _data_demand(loaded: Loaded, key: Data) -> Demand | None:
    """Return the demand of an index or a store that lies in the project's folder; None if none."""
    kind, value = loaded.origins[key].kind, str(values_of(loaded.settings)[key])
    if kind not in ("default", "project file") or is_postgres(value):
        return None
    place = Path(value)
    if is_outside(place, loaded.folder):
        if kind == "project file":  # which has to be trusted for that
            return None
        target = str(place.resolve())
        return Consent(_real(place), target), [f"{key} leads to {target}"]
    if not os.path.lexists(place):
        return None
    return data_consent(place), [f"{key} {place} {BROUGHT}"]


def _agrees(demands: Demands, typist: Typist) -> bool:
    click.echo(f"{one_line(str(demands.folder))} wants more than its own folder:", err=True)
    for want in demands.wants:
        click.echo(f"    {one_line(want)}", err=True)
    return typist.agrees("Do you trust it?")
