"""`tether gates`: the calls that wait for a person, exactly as they will run, and the decisions."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

import click

from tether.app.display import shown
from tether.app.ids import whole_id
from tether.app.options import COUNT, as_json
from tether.app.settings import Settings
from tether.app.store import store_options, tell, with_store
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import GateRow, GateState
from tether.batteries.tools.durable_steps import escaped, shown_gate

EXCERPT = 200
STATES: Mapping[str, tuple[GateState, ...]] = {
    "open": ("open",),
    "unknown": ("unknown",),
    "all": ("open", "approved", "denied", "expired", "running", "done", "failed", "unknown"),
}

_gate_options = store_options("Only the gates of this owner.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    """The options of a decision about one gate."""

    id: str
    checksum: str | None
    by: str | None
    note: str
    settings: Settings

    def gate(self) -> GateRow:
        return _read(self.id, self.settings)

    def settle(self, *, approved: bool, checksum: str) -> GateRow:
        owner = self.settings.owner or None

        async def work(store: Store) -> GateRow:
            return await store.settle_gate(
                await whole_id(store, "gate", self.id, owner=owner),
                approved=approved,
                by=_login() if self.by is None else self.by,
                checksum=checksum,
                note=self.note,
                owner=owner,
            )

        return with_store(self.settings, work)


def _decision_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a decision; the command receives it as one value."""

    @wraps(command)
    def decide(*, as_json: bool, **given: Any) -> None:
        command(_Decision(**given), as_json=as_json)

    decorated = _gate_options(as_json(decide))
    for decorate in (
        click.option(
            "--note", metavar="TEXT", default="", help="The reason; a model is shown it for a no."
        ),
        click.option("--by", metavar="NAME", help="Who decides.  [default: the login name]"),
        click.option(
            "--checksum",
            metavar="SHA256",
            help="The checksum of the call that you saw. Without it you are asked to confirm.",
        ),
        click.argument("id"),
    ):
        decorated = decorate(decorated)
    return decorated


@click.group("gates")
def command() -> None:
    """Decide about calls that wait for a person.

    A gate is a call of a tool that runs only after somebody has approved it. Only people decide:
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
@click.option("--limit", type=COUNT, default=100, show_default=True)
@_gate_options
@as_json
def list_gates(*, state: str, limit: int, settings: Settings, as_json: bool) -> None:
    """Print the gates, oldest first; a gate that has expired counts as denied."""
    owner, states = settings.owner or None, STATES[state]
    rows = with_store(settings, lambda store: store.gates(owner=owner, states=states, limit=limit))
    text = "\n".join(map(_entry, rows)) or "Nothing waits for a decision."
    tell({"gates": [_form(row) for row in rows]}, text, as_json=as_json)


@command.command("show")
@click.argument("id")
@_gate_options
@as_json
def show(*, id: str, settings: Settings, as_json: bool) -> None:
    """Print the gate ID in full: the exact call that will be made."""
    row = _read(id, settings)
    tell(_form(row), _page(row), as_json=as_json)


@command.command("approve")
@_decision_options
def approve(decision: _Decision, *, as_json: bool) -> None:
    """Approve the call of the gate ID. It runs once, when its run goes on.

    The call is shown first and you are asked; with --checksum you have looked already.
    """
    checksum = decision.checksum or _confirmed(decision.gate())
    row = decision.settle(approved=True, checksum=checksum)
    tell(_form(row), f"Approved: {_call(row)}", as_json=as_json)


@command.command("deny")
@_decision_options
def deny(decision: _Decision, *, as_json: bool) -> None:
    """Deny the call of the gate ID; it never runs."""
    checksum = decision.checksum or decision.gate().checksum
    row = decision.settle(approved=False, checksum=checksum)
    tell(_form(row), f"Denied: {_call(row)}", as_json=as_json)


def _read(id: str, settings: Settings) -> GateRow:
    owner = settings.owner or None

    async def work(store: Store) -> GateRow:
        return await store.gate(await whole_id(store, "gate", id, owner=owner), owner=owner)

    return with_store(settings, work)


def _confirmed(row: GateRow) -> str:
    """Show a gate on standard error and ask; return the checksum of the call that was shown."""
    if row.state == "open":  # otherwise the error of settling explains best
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
