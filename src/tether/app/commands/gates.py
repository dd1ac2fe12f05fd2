"""`tether gates`: what waits for a person, shown as it will be run, and decided by one."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import click

from tether.app.commands.memory_options import settings_of, tell, with_store
from tether.app.options import as_json
from tether.app.printing import shown
from tether.app.settings import Settings
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import GateRow, GateState
from tether.batteries.tools.durable_steps import escaped, shown_gate

EXCERPT = 200
STATES: Mapping[str, tuple[GateState, ...]] = {
    "open": ("open",),
    "unknown": ("unknown",),
    "all": ("open", "approved", "denied", "expired", "running", "done", "failed", "unknown"),
}

Command = TypeVar("Command", bound=Callable[..., Any])


def _of_a_store(command: Command) -> Command:
    owner = click.option("--owner", metavar="NAME", help="Only the gates of this owner.")
    store = click.option("--store", metavar="FILE|URL", help="Where gates are kept.")
    return store(owner(as_json(command)))


def _deciding(command: Command) -> Command:
    checksum = click.option(
        "--checksum", metavar="SHA256", help="Of the call that you mean; without it you are asked."
    )
    by = click.option("--by", metavar="NAME", help="Who decides.  [default: the login name]")
    note = click.option("--note", metavar="TEXT", default="", help="Why; the model is told a no's.")
    return click.argument("id")(checksum(by(note(_of_a_store(command)))))


@click.group("gates")
def command() -> None:
    """Decide what waits for a person.

    A gate is a call of a tool that runs only once somebody has approved it. Only people decide:
    there is no tool for it.
    """


@command.command("list")
@click.option(
    "--state",
    type=click.Choice(list(STATES)),
    default="open",
    show_default=True,
    help="Which ones: unknown ones may have run when their process died.",
)
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True)
@_of_a_store
def list_gates(
    *, state: str, limit: int, store: str | None, owner: str | None, as_json: bool
) -> None:
    """Print the gates, oldest first; those whose time is over are expired, which is a no."""

    async def work(opened: Store, owner: str) -> list[GateRow]:
        found = await opened.gates(owner=owner or None, states=STATES[state], limit=limit)
        return list(found)

    rows = with_store(settings_of(store, owner), work)
    text = "\n".join(map(_entry, rows)) or "Nothing waits for a decision."
    tell({"gates": [_form(row) for row in rows]}, text, as_json=as_json)


@command.command("show")
@click.argument("id")
@_of_a_store
def show(*, id: str, store: str | None, owner: str | None, as_json: bool) -> None:
    """Print the whole of the gate ID: what will be run, to the letter."""
    row = _read(id, settings_of(store, owner))
    tell(_form(row), _page(row), as_json=as_json)


@command.command("approve")
@_deciding
def approve(
    *,
    id: str,
    checksum: str | None,
    by: str | None,
    note: str,
    store: str | None,
    owner: str | None,
    as_json: bool,
) -> None:
    """Approve the call of the gate ID. It runs once, when its run goes on.

    The call is shown first and you are asked; with --checksum you have looked already.
    """
    settings = settings_of(store, owner)
    checksum = checksum or _asked(_read(id, settings))
    decision = _Decision(id=id, checksum=checksum, approved=True, by=by, note=note)
    row = decision.settled(settings)
    tell(_form(row), f"Approved: {_call(row)}", as_json=as_json)


@command.command("deny")
@_deciding
def deny(
    *,
    id: str,
    checksum: str | None,
    by: str | None,
    note: str,
    store: str | None,
    owner: str | None,
    as_json: bool,
) -> None:
    """Deny the call of the gate ID; it never runs."""
    settings = settings_of(store, owner)
    checksum = checksum or _read(id, settings).checksum
    decision = _Decision(id=id, checksum=checksum, approved=False, by=by, note=note)
    row = decision.settled(settings)
    tell(_form(row), f"Denied: {_call(row)}", as_json=as_json)


def _read(id: str, settings: Settings) -> GateRow:
    async def work(opened: Store, owner: str) -> GateRow:
        return await opened.gate(id, owner=owner or None)

    return with_store(settings, work)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    """What somebody typed about a gate."""

    id: str
    checksum: str
    approved: bool
    by: str | None
    note: str

    def settled(self, settings: Settings) -> GateRow:
        async def work(opened: Store, owner: str) -> GateRow:
            return await opened.settle_gate(
                self.id,
                approved=self.approved,
                by=_login() if self.by is None else self.by,
                checksum=self.checksum,
                note=self.note,
                owner=owner or None,
            )

        return with_store(settings, work)


def _asked(row: GateRow) -> str:
    """Show a gate on standard error and ask; return the checksum of what was shown."""
    if row.state == "open":  # otherwise settling says best what is wrong
        click.echo(shown(_page(row)), err=True)
        click.confirm("Run this?", abort=True, err=True)
    return row.checksum


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "command line"


def _form(row: GateRow) -> dict[str, Any]:
    return shown_gate(row) | {
        "state": row.state,
        "owner": row.owner,
        "created_at": row.created_at.isoformat(),
        "decided_by": row.decided_by,
        "decided_at": None if row.decided_at is None else row.decided_at.isoformat(),
        "note": row.note,
        "result": row.result,
    }


def _entry(row: GateRow) -> str:
    return f"{row.id}  {row.state}  expires {_time(row.expires_at)}\n    {_call(row)}"


def _call(row: GateRow) -> str:
    """Return tool and arguments on one line; the length is stated where they are cut."""
    arguments = escaped(row.arguments)[0]
    if len(arguments) > EXCERPT:
        arguments = f"{arguments[:EXCERPT]}... ({len(row.arguments):,} characters in all)"
    return f"{row.tool} {arguments}"


def _page(row: GateRow) -> str:
    arguments, hidden = escaped(row.arguments)
    length = f"{len(row.arguments):,} characters"
    lines = {
        "gate": row.id,
        "state": row.state,
        "tool": row.tool,
        "arguments": arguments,
        "length": f"{length}, {hidden:,} hidden ones shown as escapes" if hidden else length,
        "checksum": row.checksum,
        "run": f"{escaped(row.run)[0]}, step {row.step}",
        "owner": escaped(row.owner)[0],
        "asked": _time(row.created_at),
        "expires": _time(row.expires_at),
        "decided": "" if row.decided_at is None else _time(row.decided_at),
        "by": escaped(row.decided_by)[0],
        "note": escaped(row.note)[0],
        "result": escaped(row.result or "")[0],
        "warning": shown_gate(row)["warning"],
    }
    return "\n".join(f"{name:<10}{value}" for name, value in lines.items() if value)


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
