"""`tether trust`: let a project read, write and connect outside its folder, as it wants to now."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from tether.app.consents import Consents
from tether.app.display import shown
from tether.app.options import as_json
from tether.app.project import DATA, demands_of, give, project_of
from tether.core.errors import InputRefused

NOTHING = "it wants nothing outside its folder"


@click.command("trust")
@click.argument(
    "folder", type=click.Path(path_type=Path, exists=True, file_okay=False), default=Path()
)
@click.option("--list", "listing", is_flag=True, help="List what you have agreed to.")
@click.option("--revoke", is_flag=True, help="Take back every yes to FOLDER.")
@as_json
def command(*, folder: Path, listing: bool, revoke: bool, as_json: bool) -> None:
    """Trust the project in FOLDER, by default this one, and print what that allows.

    It is a yes to its tether.toml as it is now, and to the index and the store that lie in its
    folder. A change of the file needs another yes. What stays within the folder needs none.
    """
    if listing and revoke:
        raise click.UsageError("--list and --revoke are two things to do")
    consents = Consents.of_user(os.environ)
    if listing:
        found = [asdict(each) for each in consents.all()]
        _tell({"trusted": found}, [each["path"] for each in found], as_json=as_json)
    elif revoke:
        place = project_of(folder, os.environ).folder.resolve()
        taken = [each.path for each in consents.revoke(place)]
        if not taken:
            raise InputRefused(f"nothing in {place} is trusted; `tether trust --list` lists it all")
        _tell({"revoked": taken}, [f"revoked: {path}" for path in taken], as_json=as_json)
    else:
        demands = demands_of(project_of(folder, os.environ), os.environ, DATA)
        give(demands, os.environ)
        form = {"folder": str(demands.folder), "allowed": list(demands.wants)}
        lines = [f"allowed: {want}" for want in demands.wants] or [NOTHING]
        _tell(form, [f"{demands.folder} is trusted", *lines], as_json=as_json)


def _tell(form: Mapping[str, object], lines: list[str], *, as_json: bool) -> None:
    click.echo(json.dumps(form) if as_json else shown("\n".join(lines) or "nothing is trusted"))
