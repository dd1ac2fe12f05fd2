"""`tether gates`: everything that will be run is shown, and a decision is made once."""

from __future__ import annotations

import asyncio
import getpass
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.shell import Ran, run
from support.gates import gate_row
from tether.app.cli import cli
from tether.batteries.storage.records import GateRow
from tether.batteries.storage.sqlite import SqliteStore


class Desk:
    """A store with gates, and the commands about it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "store.db"

    def opened(self, **fields: Any) -> GateRow:
        async def main() -> GateRow:
            store = await SqliteStore.open(self.path)
            row = await store.open_gate(gate_row(**fields))
            await store.aclose()
            return row

        return asyncio.run(main())

    def gates(self, *words: str) -> Ran:
        return run("gates", *words, "--store", self.path)

    def answering(self, answer: str, *words: str) -> Ran:
        """Run a command of somebody who types."""
        given = ["gates", *words, "--store", str(self.path)]
        result = CliRunner().invoke(cli, given, input=answer, prog_name="tether")
        return Ran(result.exit_code, result.stdout, result.stderr)

    def state(self, row: GateRow) -> str:
        state: str = self.gates("show", row.id, "--json").succeeded().json["state"]
        return state


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)


def test_looking_makes_no_store(desk: Desk) -> None:
    listed = desk.gates("list").succeeded()
    assert listed.out == "Nothing waits for a decision.\n"
    assert listed.err == f"There is no store yet: {desk.path}\n"
    assert desk.gates("show", "x").code == 1
    assert list(desk.path.parent.iterdir()) == []


def test_what_waits_is_listed_oldest_first(desk: Desk) -> None:
    first, second = desk.opened(), desk.opened(step=1, owner="ada", args={"to": "x" * 300})
    lines = desk.gates("list").succeeded().out.splitlines()
    assert lines[0].startswith(f"{first.id}  open  expires {first.expires_at:%Y-%m-%d %H:%M:%S}")
    assert lines[1] == '    pay {"euros":5}'
    assert lines[3].endswith("x... (309 characters in all)")
    listed = desk.gates("list", "--owner", "ada", "--json").succeeded().json["gates"]
    assert [gate["gate"] for gate in listed] == [second.id]
    assert len(desk.gates("list", "--limit", "1", "--json").json["gates"]) == 1


def test_decided_and_unknown_gates_are_listed_on_demand(desk: Desk) -> None:
    row, over = desk.opened(), desk.opened(step=1, lasts=timedelta(microseconds=1))
    desk.gates("deny", row.id).succeeded()
    assert desk.gates("list", "--json").json == {"gates": []}
    listed = desk.gates("list", "--state", "all", "--json").succeeded().json["gates"]
    assert {gate["gate"]: gate["state"] for gate in listed} == {
        row.id: "denied",
        over.id: "expired",
    }
    assert desk.gates("list", "--state", "unknown").out == "Nothing waits for a decision.\n"


def test_a_gate_is_shown_to_the_letter(desk: Desk) -> None:
    row = desk.opened(
        args={"to": "b\u202eob\n\u3164" + "x" * 10_000}, run="job\nstate     approved", owner="ada"
    )
    shown = desk.gates("show", row.id).succeeded().out
    lines = dict(line.split(maxsplit=1) for line in shown.splitlines())
    assert list(lines) == [
        *("gate", "state", "tool", "arguments", "length", "checksum"),
        *("run", "owner", "asked", "expires"),
    ]
    assert lines["arguments"] == '{"to":"b\\u202eob\\n\\u3164' + "x" * 10_000 + '"}'
    assert lines["length"] == "10,016 characters, 2 hidden ones shown as escapes"
    assert (lines["state"], lines["checksum"]) == ("open", row.checksum)
    assert lines["run"] == "job\\nstate     approved, step 0"


def test_what_may_have_run_is_said(desk: Desk) -> None:
    row = desk.opened(reason="tool_approval_again")
    assert "may have run already" in desk.gates("show", row.id).succeeded().out


def test_an_approval_shows_the_call_and_asks(desk: Desk) -> None:
    row = desk.opened()
    refused = desk.answering("n\n", "approve", row.id)
    assert (refused.code, desk.state(row)) == (1, "open")
    assert f"checksum  {row.checksum}" in refused.err
    silent = desk.answering("", "approve", row.id)
    assert (silent.code, desk.state(row)) == (1, "open")
    approved = desk.answering("y\n", "approve", row.id)
    assert (approved.code, approved.out) == (0, 'Approved: pay {"euros":5}\n')
    form = desk.gates("show", row.id, "--json").json
    assert (form["state"], form["decided_by"]) == ("approved", getpass.getuser())


def test_an_approval_with_a_checksum_asks_nobody(desk: Desk) -> None:
    row = desk.opened()
    wrong = desk.gates("approve", row.id, "--checksum", "0" * 64)
    assert (wrong.code, desk.state(row)) == (1, "open")
    assert "E_GATE_SETTLED" in wrong.err
    words = ("--checksum", row.checksum, "--by", "grace", "--note", "fine", "--json")
    form = desk.gates("approve", row.id, *words).succeeded().json
    assert (form["state"], form["decided_by"], form["note"]) == ("approved", "grace", "fine")
    assert json.loads(form["arguments"]) == {"euros": 5}


def test_the_second_decision_and_the_late_one_fail(desk: Desk) -> None:
    row, late = desk.opened(), desk.opened(step=1, lasts=timedelta(microseconds=1))
    assert desk.gates("deny", row.id, "--note", "no").succeeded().out == (
        'Denied: pay {"euros":5}\n'
    )
    again = desk.gates("approve", row.id)
    assert (again.code, desk.state(row)) == (1, "denied")
    assert "it is denied" in again.err
    over = desk.gates("approve", late.id)
    assert (over.code, desk.state(late)) == (1, "expired")
    assert "which counts as a denial" in over.err
    page = desk.gates("show", row.id).out
    assert "note      no\n" in page
    assert f"by        {getpass.getuser()}\n" in page


def test_gates_of_others_are_as_missing_as_none(desk: Desk) -> None:
    row = desk.opened(owner="ada")
    for words in (("show", "gone"), ("approve", row.id, "--owner", "eve"), ("deny", "gone")):
        missing = desk.gates(*words)
        assert missing.code == 1
        assert "E_RECORD_MISSING" in missing.err
    assert desk.state(row) == "open"


@pytest.mark.parametrize("error", [KeyError, OSError])
def test_somebody_decides_even_where_nobody_has_a_name(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def nameless() -> str:
        raise error

    monkeypatch.setattr(getpass, "getuser", nameless)
    row = desk.opened()
    assert desk.gates("deny", row.id, "--json").succeeded().json["decided_by"] == "command line"
    assert desk.gates("deny", desk.opened(step=1).id, "--by", " ").code == 1
