"""`tether memory`: memories with their origin, and standing instructions: list, add, delete."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

import click

from tether.app.display import one_line
from tether.app.files import write_new
from tether.app.options import as_json
from tether.app.settings import Settings
from tether.app.store import store_options, tell, with_store
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Instruction, MemoryRecord
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.core.memory import Memory
from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.runtime.clock import SystemClock

LARGEST_IMPORT = 10_000_000


@click.group("memory")
def command() -> None:
    """See and change memories with their origin, and the standing instructions."""


@command.command("list")
@click.option(
    "--state",
    type=click.Choice(["active", "proposed", "all"]),
    default="all",
    show_default=True,
    help="Which ones: proposed ones wait for a person and are not used.",
)
@store_options()
@as_json
def list_memories(*, state: str, settings: Settings, as_json: bool) -> None:
    """Print memories with their origin, tier and date, the newest last."""
    forms = with_store(settings, lambda store: store.export_memories(owner=settings.owner))
    found = [form for form in forms if state in ("all", form["state"])]
    text = "\n".join(map(_lines, found)) or "Nothing is remembered."
    tell({"memories": found}, text, as_json=as_json)


@command.command("add")
@click.argument("text")
@store_options()
@as_json
def add(*, text: str, settings: Settings, as_json: bool) -> None:
    """Remember TEXT, in your own words."""
    memory = Memory(
        id=new_id(), content=text, confidence=1, importance=0.8, created_at=SystemClock().now()
    )
    record = MemoryRecord(memory=memory, owner=settings.owner, tier="first-party", origin="person")
    made = with_store(settings, lambda store: store.remember(record), new=True)
    content = one_line(str(made.memory.content))
    tell(_form(made), f"Remembered: {made.memory.id}  {content}", as_json=as_json)


@command.command("confirm")
@click.argument("id")
@store_options()
@as_json
def confirm(*, id: str, settings: Settings, as_json: bool) -> None:
    """Let the proposed memory ID be used; its tier does not change."""
    owner, by = settings.owner, _person(settings)
    made = with_store(settings, lambda store: store.confirm_memory(id, owner=owner, by=by))
    content = one_line(str(made.memory.content))
    tell(_form(made), f"Active, {made.tier}: {content}", as_json=as_json)


@command.command("forget")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@store_options()
@as_json
def forget(*, ids: tuple[str, ...], settings: Settings, as_json: bool) -> None:
    """Delete memories permanently, all of them or none."""

    async def work(store: Store) -> None:
        known = {form["id"] for form in await store.export_memories(owner=settings.owner)}
        for id in sorted(set(ids), key=lambda id: id in known):  # a missing one stops it first
            await store.forget(id, owner=settings.owner)

    with_store(settings, work)
    tell({"forgotten": list(ids)}, f"Forgotten: {len(set(ids))}", as_json=as_json)


@command.command("forget-source")
@click.argument("source")
@store_options()
@as_json
def forget_source(*, source: str, settings: Settings, as_json: bool) -> None:
    """Delete every memory derived from SOURCE, and keep that source out from now on."""
    owner = settings.owner
    count = with_store(settings, lambda store: store.forget_source(source, owner=owner), new=True)
    text = f"Forgotten: {count}. Nothing of {one_line(source)} is remembered from now on."
    tell({"forgotten": count, "source": source}, text, as_json=as_json)


@command.command("export")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@store_options()
def export(*, file: Path | None, settings: Settings) -> None:
    """Write all memories as JSON into FILE, which must be new, or print them."""
    forms = with_store(settings, lambda store: store.export_memories(owner=settings.owner))
    text = json.dumps(forms, indent=2)
    if file is None:
        click.echo(text)
    else:
        write_new(file, f"{text}\n")
        file.chmod(0o600)  # like the store


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--tier",
    type=click.Choice(TRUST_TIERS),
    default="third-party-private",
    show_default=True,
    help="The most authority that a memory of the file may have, whatever it says.",
)
@store_options()
@as_json
def import_memories(*, file: Path, tier: TrustTier, settings: Settings, as_json: bool) -> None:
    """Read the memories of FILE as proposals; `tether memory confirm` makes one active."""
    forms, owner = _read(file), settings.owner
    count = with_store(
        settings, lambda store: store.import_memories(forms, owner=owner, tier=tier), new=True
    )
    tell({"imported": count}, f"Proposed: {count}", as_json=as_json)


@command.group("instructions")
def instructions() -> None:
    """See and change the standing instructions; only a person puts one in force."""


@instructions.command("list")
@store_options()
@as_json
def list_instructions(*, settings: Settings, as_json: bool) -> None:
    """Print the instructions in force, and those that are only proposed."""
    owner = settings.owner
    found = with_store(settings, lambda store: store.instructions(owner=owner, state=None))
    text = "\n".join(map(_instruction_lines, found)) or "There are no instructions."
    tell({"instructions": [_instruction_form(one) for one in found]}, text, as_json=as_json)


@instructions.command("add")
@click.argument("text")
@store_options()
@as_json
def add_instruction(*, text: str, settings: Settings, as_json: bool) -> None:
    """Put the instruction TEXT in force, in your own words."""

    async def work(store: Store) -> Instruction:
        made = await store.propose_instruction(text, owner=settings.owner)
        by = _person(settings)
        return await store.confirm_instruction(made.id, owner=settings.owner, by=by)

    made = with_store(settings, work, new=True)
    tell(_instruction_form(made), _instruction_lines(made), as_json=as_json)


@instructions.command("confirm")
@click.argument("id")
@store_options()
@as_json
def confirm_instruction(*, id: str, settings: Settings, as_json: bool) -> None:
    """Put the proposed instruction ID in force."""
    owner, by = settings.owner, _person(settings)
    made = with_store(settings, lambda store: store.confirm_instruction(id, owner=owner, by=by))
    tell(_instruction_form(made), _instruction_lines(made), as_json=as_json)


@instructions.command("drop")
@click.argument("id")
@store_options()
@as_json
def drop_instruction(*, id: str, settings: Settings, as_json: bool) -> None:
    """Delete the instruction ID."""
    with_store(settings, lambda store: store.drop_instruction(id, owner=settings.owner))
    tell({"dropped": id}, f"Dropped: {one_line(id)}", as_json=as_json)


def _person(settings: Settings) -> str:
    """Return the name that a confirmation is noted under."""
    return settings.owner or "command line"


def _read(file: Path) -> list[Any]:
    """Return the memories of a file as JSON; raises `InputRefused` if it is not an export."""
    wrong = "it is not an export of `tether memory export`"
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_IMPORT + 1)
    except OSError as error:
        raise InputRefused(f"{file} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST_IMPORT:
        raise InputRefused(f"{file} is larger than {LARGEST_IMPORT} bytes: {wrong}")
    try:
        forms: object = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputRefused(f"{file} cannot be read as JSON: {wrong}") from error
    if not isinstance(forms, list):
        raise InputRefused(f"{file} does not contain a list: {wrong}")
    return forms


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _form(record: MemoryRecord) -> dict[str, Any]:
    memory = record.memory.to_json()
    return memory | {"tier": record.tier, "origin": record.origin, "state": record.state}


def _lines(form: dict[str, Any]) -> str:
    marks = [form["state"], form["tier"], form["origin"], form["updated_at"][:10]]
    marks += [f"from {one_line(source)}" for source in form["sources"]]
    if not form["intact"]:
        marks.append("CHANGED OUTSIDE THE STORE, not used")
    return f"{form['id']}  {', '.join(marks)}\n    {one_line(form['content'])}"


def _instruction_form(one: Instruction) -> dict[str, Any]:
    return asdict(one) | {"created_at": one.created_at.isoformat()}


def _instruction_lines(one: Instruction) -> str:
    by = f", confirmed by {one_line(one.confirmed_by)}" if one.confirmed_by else ""
    return f"{one.id}  {one.state}{by}, {one.created_at:%Y-%m-%d}\n    {one_line(one.text)}"
