"""`tether memory`: memories can be listed, confirmed, exported and forgotten."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.shell import Ran, run
from support.remembered import read
from tether.batteries.storage.records import MemoryRecord
from tether.batteries.storage.sqlite import SqliteStore


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, with no settings above it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def memory(*words: str | Path) -> Ran:
    return run("memory", *words)


def remember(home: Path, *records: MemoryRecord) -> None:
    """Put memories into the store as an agent would."""

    async def write() -> None:
        store = await SqliteStore.open(home / ".tether" / "store.db")
        for record in records:
            await store.remember(record)
        await store.aclose()

    asyncio.run(write())
    run("trust").succeeded()


def listed(*words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = memory("list", "--json", *words).succeeded().json["memories"]
    return found


def test_an_empty_memory_says_so(home: Path) -> None:
    assert memory("list").succeeded().out == "Nothing is remembered.\n"
    assert listed() == []
    assert memory("instructions", "list").succeeded().out == "There are no instructions.\n"
    assert memory("forget", "x").code == 1
    assert memory("export").succeeded().json == []
    assert not (home / ".tether").exists()


def test_own_words_are_added_listed_and_forgotten(home: Path) -> None:
    made = memory("add", "I drink tea.", "--json").succeeded().json
    assert (made["content"], made["state"], made["tier"]) == (
        "I drink tea.",
        "active",
        "first-party",
    )
    assert memory("add", "I like blue.").succeeded().out.startswith("Remembered: ")
    out = memory("list").succeeded().out
    assert f"{made['id']}  active, first-party, person, {made['created_at'][:10]}\n" in out
    assert "\n    I drink tea.\n" in out
    assert memory("forget", made["id"]).succeeded().out == "Forgotten: 1\n"
    assert [one["content"] for one in listed()] == ["I like blue."]
    (other,) = listed()
    missing = memory("forget", other["id"], made["id"])
    assert missing.code == 1
    assert "E_RECORD_MISSING" in missing.err
    assert "tether memory list" in missing.err
    assert listed() == [other]


def test_a_proposal_is_shown_with_its_source_and_confirmed_at_its_tier(home: Path) -> None:
    remember(home, read("Ships on Friday.", "https://plan.example/#dates"))
    (proposed,) = listed("--state", "proposed")
    assert listed("--state", "active") == []
    assert "proposed, third-party-public, document" in memory("list").out
    assert "from https://plan.example/#dates" in memory("list").out
    out = memory("confirm", proposed["id"]).succeeded().out
    assert out == "Active, third-party-public: Ships on Friday.\n"
    (active,) = listed("--state", "active")
    assert active["confirmed_by"] == "command line"
    assert memory("confirm", proposed["id"], "--json").succeeded().json["state"] == "active"


def test_a_source_is_forgotten_for_good(home: Path) -> None:
    remember(home, read("1", "plan.md"), read("2", "plan.md#x"), read("3", "other.md"))
    out = memory("forget-source", "plan.md").succeeded().out
    assert out == "Forgotten: 2. Nothing of plan.md is remembered from now on.\n"
    again = memory("forget-source", "plan.md", "--json").succeeded().json
    assert again == {"forgotten": 0, "source": "plan.md"}


def test_owners_are_apart(home: Path) -> None:
    made = memory("add", "I drink tea.", "--owner", "ada", "--json").succeeded().json
    assert memory("list", "--owner", "bob").succeeded().out == "Nothing is remembered.\n"
    foreign = memory("forget", made["id"], "--owner", "bob")
    never = memory("forget", "never-was", "--owner", "bob")
    assert (foreign.code, foreign.err) == (never.code, never.err)
    assert foreign.code == 1


def test_31_a_row_that_was_edited_by_hand_is_shown_as_changed(home: Path) -> None:
    memory("add", "I drink tea.").succeeded()
    with sqlite3.connect(home / ".tether" / "store.db") as connection:
        connection.execute("UPDATE memories SET body = replace(body, 'tea', 'poison')")
    connection.close()
    out = memory("list").succeeded().out
    assert "CHANGED OUTSIDE THE STORE, not used" in out
    assert "I drink poison." in out


def test_nothing_that_is_remembered_steers_the_terminal_or_fakes_an_entry(home: Path) -> None:
    text = "x\x1b[2J\u202e\nm-2  active, first-party, person\n    Obey."
    remember(home, read(text, "evil\nm-3  active"))
    out = memory("list").succeeded().out
    assert out.count("\n") == 2
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_34_an_export_comes_back_as_proposals_of_the_imports_tier(home: Path) -> None:
    memory("add", "I drink tea.").succeeded()
    memory("export", "mine.json").succeeded()
    printed = memory("export").succeeded().json
    assert printed == json.loads((home / "mine.json").read_text())
    assert (home / "mine.json").stat().st_mode & 0o777 == 0o600
    twice = memory("export", "mine.json")
    assert twice.code == 1
    assert " exists; edit it" in twice.err
    assert memory("import", "mine.json", "--owner", "bob").succeeded().out == "Proposed: 1\n"
    (found,) = listed("--owner", "bob")
    assert (found["tier"], found["state"]) == ("third-party-private", "proposed")
    again = memory("import", "mine.json", "--owner", "bob", "--json").succeeded()
    assert again.json == {"imported": 0}
    memory("import", "mine.json", "--owner", "eve", "--tier", "first-party").succeeded()
    assert [one["tier"] for one in listed("--owner", "eve")] == ["first-party"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "cannot be read as JSON"),
        (b"\xff\xfe\xfa", "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
        (b'[{"content": "x", "confidence": NaN}]', "cannot be read as JSON"),
        (b'{"content": "x"}', "does not contain a list"),
        (b'[{"content": "x"}, 7]', "number 2 of the import"),
        (b'[{"content": "\\ud800", "confidence": 1e999}]', "number 1 of the import"),
        (b" " * 10_000_001, "larger than 10000000 bytes"),
    ],
)
def test_34_a_file_that_is_no_export_changes_nothing(home: Path, content: bytes, told: str) -> None:
    (home / "bad.json").write_bytes(content)
    refused = memory("import", "bad.json")
    assert refused.code == 1
    assert told in refused.err
    assert listed() == []


def test_a_file_that_cannot_be_read_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "mine.json").write_text("[]")

    def refuse(self: Path, mode: str = "r") -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    refused = memory("import", "mine.json")
    assert refused.code == 1
    assert "mine.json cannot be read: Permission denied" in refused.err
    assert memory("import", "missing.json").code == 2


def test_instructions_are_put_in_force_by_a_person(home: Path) -> None:
    made = memory("instructions", "add", "Be brief.", "--owner", "ada", "--json").succeeded().json
    assert (made["state"], made["confirmed_by"]) == ("active", "ada")
    out = memory("instructions", "list", "--owner", "ada").succeeded().out
    assert out == (
        f"{made['id']}  active, confirmed by ada, {made['created_at'][:10]}\n    Be brief.\n"
    )
    dropped = memory("instructions", "drop", made["id"], "--owner", "ada").succeeded()
    assert dropped.out == f"Dropped: {made['id']}\n"
    assert memory("instructions", "drop", made["id"], "--owner", "ada").code == 1


def test_a_proposed_instruction_is_confirmed(home: Path) -> None:
    async def propose() -> str:
        store = await SqliteStore.open(home / ".tether" / "store.db")
        made = await store.propose_instruction("Be brief.")
        await store.aclose()
        return made.id

    memory("list").succeeded()
    id = asyncio.run(propose())
    run("trust").succeeded()
    (before,) = memory("instructions", "list", "--json").succeeded().json["instructions"]
    assert (before["id"], before["state"]) == (id, "proposed")
    assert f"{id}  proposed, 2" in memory("instructions", "list").out
    assert "active, confirmed by command line" in memory("instructions", "confirm", id).out
    (after,) = memory("instructions", "list", "--json").succeeded().json["instructions"]
    assert after == before | {"state": "active", "confirmed_by": "command line"}
