"""`tether logs` and `tether conversations`: what was asked and answered, and only the owner's."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.shell import run, typed
from support.gates import gate_row
from support.turns import message
from tether.app.ids import short_ids
from tether.batteries.storage.records import Exchange
from tether.batteries.storage.sqlite import SqliteStore

QUOTE = "A volume can grow, and never shrinks."


@pytest.fixture
def place(alone: Path, monkeypatch: pytest.MonkeyPatch, shelf: Path, unjudged: None) -> Path:
    monkeypatch.setenv("TETHER_INDEX", str(shelf / "words"))
    monkeypatch.setenv("TETHER_STORE", str(alone / "store.db"))
    return alone


def ask(question: str, *words: str) -> Any:
    return run("ask", question, *words, "--json").json


def test_turns_are_listed_newest_first_with_verdict_and_sources(place: Path) -> None:
    assert run("logs").succeeded().out.startswith("No turn is stored.")
    first = ask("Can a volume shrink?")
    second = ask("zzzqqq xyzzy")
    listed = run("logs").succeeded().out.splitlines()
    assert listed[0].startswith(second["id"][:8])
    assert listed[0].endswith("UTC  abstained  zzzqqq xyzzy")
    assert listed[1].startswith(first["id"][:8])
    assert listed[1].endswith("UTC  answered  Can a volume shrink?")
    assert listed[2] == "    volumes.md#size"
    (latest,) = run("logs", "list", "--limit", "1", "--json").succeeded().json["turns"]
    assert (latest["turn"], latest["verdict"]) == (second["id"], "abstained")
    (only,) = run("logs", "--conversation", first["conversation"][:12], "--json").json["turns"]
    assert only["sources"] == [{"title": "Volumes", "link": "volumes.md#size"}]


def test_a_turn_is_shown_with_its_answer_by_the_beginning_of_its_id(place: Path) -> None:
    first = ask("Can a volume shrink?")
    ask("zzzqqq xyzzy")
    shown = run("logs", "show", first["id"][:6]).succeeded().out
    assert shown.startswith("Can a volume shrink?\n")
    assert ", answered, extractive\n\n" in shown
    assert QUOTE in shown
    assert "[1] Volumes\n    volumes.md#size\n" in shown
    other = run("logs", "show", first["id"][:6], env={"TETHER_INDEX": "another"}).succeeded()
    assert other.out == shown, "whatever index is used now, nothing is said about its files"
    assert run("logs", "show").succeeded().out.startswith("zzzqqq xyzzy\n")
    form = run("logs", "show", first["id"], "--json").succeeded().json
    assert (form["turn"], form["citations"][0]["document"]) == (first["id"], "volumes.md")
    assert run("prompt", first["id"][:6]).succeeded().out == run("prompt", first["id"]).out


def test_the_beginning_of_an_id_has_to_be_of_one_only(place: Path) -> None:
    async def main() -> None:
        store = await SqliteStore.open(place / "store.db")
        for id in ("abc1", "abc2", "abc"):
            await store.begin(id=id)
        for id in ("gate-1", "gate-2"):
            await store.open_gate(gate_row(id=id, run=id))
        await store.aclose()

    asyncio.run(main())
    several = run("conversations", "show", "ab")
    assert (several.code, several.out) == (1, "")
    assert "several ids of a conversation begin with 'ab'" in several.err
    assert "abc1, abc2" in several.err
    assert run("conversations", "show", "abc").succeeded().out.startswith("abc  ")
    assert "E_RECORD_MISSING" in run("conversations", "show", "nobody's").err
    assert "several ids of a gate" in run("gates", "show", "gate").err
    assert "gate-2" in run("gates", "show", "gate-2").succeeded().out
    assert run("gates", "deny", "gate-1").succeeded().out.startswith("Denied: ")


def test_a_gate_is_decided_by_the_beginning_of_its_id(place: Path) -> None:
    async def main() -> None:
        store = await SqliteStore.open(place / "store.db")
        await store.open_gate(gate_row(id="abcdef", run="r"))
        await store.aclose()

    asyncio.run(main())
    assert run("gates", "deny", "abc").succeeded().out.startswith("Denied: ")
    assert "denied" in run("gates", "show", "ab").succeeded().out


def test_a_conversation_goes_on_by_the_beginning_of_its_id(place: Path) -> None:
    first = ask("Can a volume shrink?")
    again = ask("Can a volume grow?", "--conversation", first["conversation"][:10])
    assert again["conversation"] == first["conversation"]
    told = typed("/history\n", "chat", "--conversation", first["conversation"][:10])
    assert "answered  Can a volume grow?" in told.out


def test_conversations_are_listed_searched_shown_renamed_and_deleted(place: Path) -> None:
    assert run("conversations").succeeded().out == "There is none.\n"
    first = ask("Can a volume shrink?")["conversation"]
    ask("Can a volume grow?", "--conversation", first)
    other = ask("When is a pod restarted?")["conversation"]
    listed = run("conversations").succeeded().out.splitlines()
    assert [line.split("  ")[-1] for line in listed] == [
        "When is a pod restarted?",
        "Can a volume shrink?",
    ]
    assert other.startswith(listed[0].split()[0])
    (found,) = run("conversations", "search", "NEVER", "shrinks", "--json").json["conversations"]
    assert (found["id"], found["exchanges"]) == (first, 2)
    assert run("conversations", "search", "never", "doubles").out == "There is none.\n"
    shown = run("conversations", "show", first).succeeded().out
    assert shown.index("Can a volume shrink?") < shown.index("\n\nCan a volume grow?\n")
    assert QUOTE in shown
    form = run("conversations", "show", first, "--json").json
    assert [turn["question"] for turn in form["turns"]] == [
        "Can a volume shrink?",
        "Can a volume grow?",
    ]
    renamed = run("conversations", "rename", first, "About", "sizes").succeeded().out
    assert renamed.startswith(f"Renamed: {first}  ")
    (titled,) = run("conversations", "search", "about", "sizes", "--json").json["conversations"]
    assert titled["title"] == "About sizes"
    refused = typed("n\n", "conversations", "delete", first)
    assert refused.code == 1
    assert typed("y\n", "conversations", "delete", first).out == f"Deleted: {first}\n"
    assert "E_RECORD_MISSING" in run("conversations", "delete", first, "--yes").err
    assert run("conversations", "delete", other, "--yes", "--json").json == {"deleted": other}


def test_a_conversation_is_exported_with_its_quotes(place: Path) -> None:
    made = ask("Can a volume shrink?")
    text = run("conversations", "export", made["conversation"]).succeeded().out
    assert text.startswith("# Can a volume shrink?\n\n## Can a volume shrink?\n\n")
    assert "[1](volumes.md#size)" in text
    given = run("conversations", "export", made["conversation"], "--format", "json").succeeded()
    (answer,) = json.loads(given.out)["answers"]
    assert answer["citations"][0]["quote"] == made["citations"][0]["quote"]


def test_everything_is_the_owners_alone(place: Path) -> None:
    made = ask("Can a volume shrink?", "--owner", "ada")
    for words in (("logs",), ("conversations",), ("conversations", "search", "volume")):
        assert made["id"][:8] not in run(*words, "--owner", "bob").succeeded().out
    for only in (
        ("logs", "show", made["id"][:8]),
        ("conversations", "show", made["conversation"]),
        ("conversations", "rename", made["conversation"], "Mine"),
        ("conversations", "delete", made["conversation"], "--yes"),
        ("conversations", "export", made["conversation"]),
    ):
        ran = run(*only, "--owner", "bob")
        assert (ran.code, ran.out) == (1, "")
    assert run("logs", "--owner", "ada").succeeded().out.startswith(made["id"][:8])


def test_turns_that_another_program_stored_are_shown_as_they_are(place: Path) -> None:
    foreign = Exchange(
        turn="t",
        conversation="c",
        question=message("q", "Which\x1b one?", role="user"),
        answer=message("a", "That\x1b one."),
    )

    async def main() -> None:
        store = await SqliteStore.open(place / "store.db")
        await store.store_exchange(foreign, begins="A title")
        await store.aclose()

    asyncio.run(main())
    assert run("logs").succeeded().out.endswith("UTC    Which\\x1b one?\n")
    assert run("logs", "show", "t").succeeded().out.endswith("\n\nThat\\x1b one.\n")
    assert "That\x1b one." in run("conversations", "export", "c").succeeded().out


def test_a_search_reads_all_pages(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for question in ("Can a volume shrink?", "When is a pod restarted?", "What is a pod?"):
        ask(question)
    monkeypatch.setattr("tether.app.commands.conversations.PAGE", 1)
    found = run("conversations", "search", "shrink?", "--json").json["conversations"]
    assert [one["title"] for one in found] == ["Can a volume shrink?"]


def test_help_of_a_listing_group_is_that_of_the_group() -> None:
    assert "search" in run("conversations", "--help").succeeded().out
    assert "show" in run("logs", "-h").succeeded().out


def test_short_ids_are_as_long_as_they_have_to_be() -> None:
    assert short_ids(["abcdefgh1", "abcdefgh2", "short"]) == {
        "abcdefgh1": "abcdefgh1",
        "abcdefgh2": "abcdefgh2",
        "short": "short",
    }
    assert short_ids(["abcdefghijk"]) == {"abcdefghijk": "abcdefgh"}
