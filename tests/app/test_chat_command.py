"""`tether chat`: one conversation, commands with a slash, and decisions that are asked at once."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.shell import Ran
from ask.volumes import answered
from tether.app.cli import cli
from tether.app.event_loop import EventLoop
from tether.app.terminal.decisions import Decisions, gate_lines
from tether.app.terminal.steps import StepLines
from tether.app.terminal.typist import Typist, history_file, typist
from tether.ask.answer import Answer
from tether.ask.events import Step
from tether.batteries.storage.records import GateRow
from tether.batteries.storage.sqlite import SqliteStore
from tether.batteries.tools.durable_steps import AGAIN
from tether.core.plain_data import canonical_json, tool_checksum

QUOTE = "A volume can grow, and never shrinks."
ASK = "Can a volume shrink?"
CALL = {"url": "https://ok.example/\u202egnp"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shelf: Path, unjudged: None) -> Path:
    monkeypatch.setenv("TETHER_INDEX", str(shelf / "words"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def chat(*lines: str, flags: tuple[str, ...] = ()) -> Ran:
    text = "".join(f"{line}\n" for line in lines)
    result = CliRunner().invoke(cli, ["chat", *flags], input=text, prog_name="tether")
    return Ran(result.exit_code, result.stdout, result.stderr)


def test_every_line_is_a_question_of_one_conversation(place: Path) -> None:
    ran = chat(ASK, "", "When is a pod restarted?", "/history").succeeded()
    assert ran.out.startswith(f"Ask for a size with `storage: 5Gi`. {QUOTE} [1]\n")
    assert "restarted after a pause that doubles each time. [1]" in ran.out
    history = ran.out.splitlines()[-2:]
    assert [line.split("  ")[1:] for line in history] == [
        ["answered", ASK],
        ["answered", "When is a pod restarted?"],
    ]
    assert ran.told == ""


def test_a_conversation_goes_on_or_begins_anew(place: Path) -> None:
    chat(ASK)
    assert ASK in chat("/history", flags=("--continue",)).out
    fresh = chat(ASK, "/new", "/history", flags=("--continue",)).out
    assert fresh.endswith("starts a new conversation.\nThis conversation has no questions yet.\n")
    assert "no questions yet" in chat("/history").out


def test_sources_and_explanations_of_the_last_answer(place: Path) -> None:
    ran = chat("/sources", "/explain", ASK, "/sources", "/explain", "zzqx", "/sources").succeeded()
    assert ran.out.startswith("There is no answer yet.\nThere is no answer yet.\n")
    assert ran.out.count(f'    "Ask for a size with `storage: 5Gi`. {QUOTE}"\n') == 1
    assert "Read but not cited:\n    Volumes  volumes.md\n" in ran.out
    assert "\nbudget in tokens: window " in ran.out
    assert ran.out.endswith("Nothing was cited.\n")


def test_what_is_remembered_is_listed_and_instructions_only_proposed(place: Path) -> None:
    ran = chat(
        "/memory", "My name is Ada. Can a volume shrink?", "From now on, be brief.", "/memory"
    )
    assert ran.out.startswith("Nothing is remembered.\n")
    assert "From now on, be brief.  (instruction, proposed)\n" in ran.out
    assert ran.out.endswith("The user's name is Ada.  (person, active)\n")
    assert "tether memory instructions confirm " in ran.err


def test_help_names_every_command_and_unknown_ones_are_told(place: Path) -> None:
    ran = chat("/help", "/nothing like it", "/quit", ASK).succeeded()
    assert ran.out.count("\n/") == 6
    assert "There is no /nothing. /help lists" in ran.out
    assert QUOTE not in ran.out


def test_what_fails_is_told_and_the_session_goes_on(place: Path) -> None:
    ran = chat("x" * 30_000, ASK).succeeded()
    assert "20000 characters are allowed" in ran.err
    assert QUOTE in ran.out
    lost = chat(ASK, "/history", flags=("--conversation", "nobody's")).succeeded()
    assert lost.err.count("E_RECORD_MISSING") == 2
    assert QUOTE not in lost.out


def test_a_missing_index_ends_it_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = chat(ASK)
    assert (ran.code, ran.out) == (1, "")
    assert "tether index apply" in ran.err


def test_an_interrupt_outside_of_prompt_and_turn_ends_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tether.app.commands.chat.Chat.run", interrupted)
    ran = chat(ASK)
    assert (ran.code, ran.told) == (130, "Interrupted.\n")


def test_ctrl_c_between_lines_of_a_pipe_ends_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Typist, "line", interrupted)
    ran = chat(ASK)
    assert (ran.code, ran.told) == (130, "Interrupted.\n")


def gate(turn: str, reason: str = "") -> GateRow:
    now = datetime.now(UTC)
    return GateRow(
        id=f"gate-{turn}",
        owner="",
        run=turn,
        step=0,
        tool="fetch_url",
        arguments=canonical_json(CALL),
        checksum=tool_checksum("fetch_url", CALL),
        reason=reason,
        state="open",
        created_at=now,
        expires_at=now + timedelta(hours=1),
    )


class Desk:
    """A store with a turn that opens a gate and waits until it is settled."""

    def __init__(self, running: EventLoop, folder: Path) -> None:
        self.running = running
        self.store = running.run(SqliteStore.open(folder / "store.db"))
        self.states: list[str] = []

    async def ask(self, turn: str) -> Answer:
        row = await self.store.open_gate(gate(turn))
        while row.state == "open":
            await asyncio.sleep(0.01)
            row = await self.store.gate(row.id)
        self.states.append(f"{row.state} by {row.decided_by}")
        return replace(answered(), id=turn)

    def decided(
        self, typist: Typist, ask: Callable[[str], Coroutine[Any, Any, Answer]] | None = None
    ) -> Answer:
        decisions = Decisions(store=self.store, owner="", typist=typist)
        return self.running.run(decisions.during(ask or self.ask, StepLines(shown=False)))


@contextmanager
def desk(folder: Path) -> Generator[Desk]:
    with EventLoop() as running:
        made = Desk(running, folder)
        yield made
        running.run(made.store.aclose())


@pytest.mark.parametrize(
    ("typed", "state"), [("y\n", "approved"), ("n\n", "denied"), ("\n", "denied"), ("", "denied")]
)
def test_an_open_gate_is_asked_while_the_turn_waits(
    typed: str,
    state: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(typed))
    with desk(tmp_path) as made:
        made.decided(Typist(is_person=True))
    assert made.states == [f"{state} by chat"]
    shown = capsys.readouterr().err
    assert 'fetch_url {"url":"https://ok.example/\\u202egnp"}' in shown
    assert "1 hidden ones shown as escapes" in shown


def test_ctrl_c_at_a_gate_denies_it_and_stops_the_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    turns: list[str] = []
    with desk(tmp_path) as made:

        async def noted(turn: str) -> Answer:
            turns.append(turn)
            return await made.ask(turn)

        with pytest.raises(KeyboardInterrupt):
            made.decided(Typist(is_person=True), noted)
        row = made.running.run(made.store.gate(f"gate-{turns[0]}"))
    assert row.state == "denied"


def test_a_gate_without_a_person_waits_for_another_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with desk(tmp_path) as made:

        async def settled_elsewhere(turn: str) -> Answer:
            asking = asyncio.ensure_future(made.ask(turn))
            while "It waits" not in (said := capsys.readouterr().err):
                await asyncio.sleep(0.01)
            assert f"tether gates approve gate-{turn}" in said
            checksum = gate(turn).checksum
            await made.store.settle_gate(f"gate-{turn}", approved=True, by="ada", checksum=checksum)
            return await asking

        made.decided(Typist(is_person=False), settled_elsewhere)
    assert made.states == ["approved by ada"]


def test_a_gate_that_somebody_else_settled_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with desk(tmp_path) as made:

        def late(_: str) -> str:
            """Type a yes while another process says no."""
            other = asyncio.new_event_loop()

            async def deny() -> None:
                store = await SqliteStore.open(tmp_path / "store.db")
                (row,) = await store.gates()
                await store.settle_gate(row.id, approved=False, by="ada", checksum=row.checksum)
                await store.aclose()

            thread = threading.Thread(target=other.run_until_complete, args=(deny(),))
            thread.start()
            thread.join()
            other.close()
            return "y"

        monkeypatch.setattr("builtins.input", late)
        made.decided(Typist(is_person=True))
    assert made.states == ["denied by ada"]
    assert "E_GATE_SETTLED" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "states"), [("yes\n", ["active"]), ("no\n", [])])
def test_a_proposed_instruction_stands_after_a_yes_and_is_dropped_after_a_no(
    typed: str, states: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(typed))
    with desk(tmp_path) as made:
        proposed = made.running.run(made.store.propose_instruction("Be brief."))
        other = made.running.run(made.store.propose_instruction("Be loud."))
        told = Step("propose", "done", proposed.text, {"id": proposed.id}, 0)
        typist = Typist(is_person=True)
        decisions = Decisions(store=made.store, owner="", typist=typist)
        decisions.about_instructions([told], made.running)
        left = made.running.run(made.store.instructions(state=None))
    assert [each.state for each in left if each.id != other.id] == states
    assert [each.state for each in left if each.id == other.id] == ["proposed"]


def test_a_gate_that_may_have_run_says_so() -> None:
    assert "may have run already" in gate_lines(gate("turn", AGAIN))[-1]


def test_lines_that_are_no_text_are_questions_all_the_same(place: Path) -> None:
    words = ["chat", "--verbose"]
    result = CliRunner().invoke(cli, words, input=b"volume shrinks caf\xe9\n/history\n")
    assert result.exit_code == 0
    assert result.stdout.endswith("answered  volume shrinks caf\ufffd\n")
    assert "(skipped)" in result.stderr


def test_a_history_that_cannot_be_kept_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: True, raising=False)
    with typist(tmp_path / "file" / "history") as lines:
        assert lines.is_person
    monkeypatch.setitem(sys.modules, "readline", None)
    with typist(tmp_path / "history") as lines:
        assert lines.is_person
    assert not (tmp_path / "history").exists()


def test_the_history_lies_in_the_users_state_folder(tmp_path: Path) -> None:
    assert history_file({"XDG_STATE_HOME": str(tmp_path)}) == tmp_path / "tether" / "chat_history"
    assert history_file({}).parts[-4:] == (".local", "state", "tether", "chat_history")
