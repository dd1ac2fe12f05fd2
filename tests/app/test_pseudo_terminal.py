"""The commands in a real process at a pseudo-terminal, with somebody at the keyboard."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.pages import DOCS, put
from app.shell import NO_FLOOR, run
from app.terminals import SECONDS, ended, interrupt_typing, served, terminal
from retrieval.index.made import environment, parts
from support.chat_replies import delta, said
from support.faulty_endpoint import Forever, Script, chunk, chunked_head, sse
from tether.retrieval.index.index import Index
from tether.retrieval.sources.discovery import source_for

QUOTE = "A volume can grow, and never shrinks."
LINK = re.compile(r"\x1b\]8;;([^\x1b]*)\x1b\\")
WRITTEN = "A volume can grow, and never shrinks. [Volumes](volumes.md#size)"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents and their index, by words alone."""
    docs = put(tmp_path / "docs", DOCS)
    index = Index.create(tmp_path / ".tether" / "index", parts())
    index.apply(index.plan(source_for(str(docs))))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run("trust").succeeded()
    return tmp_path


def endless() -> Script:
    """An answer that is being written, and written, and written."""
    return (chunked_head(), Forever(chunk(sse(delta(content="A volume "))), seconds=0.05))


def model(url: str) -> tuple[str, ...]:
    return ("--model", f"{url}/v1", "--model-name", "tiny")


def test_a_terminal_sees_steps_then_the_answer_with_links_to_its_files(place: Path) -> None:
    with terminal("ask", "Can a volume shrink?", cwd=place) as child:
        child.expect("Store: stored as ")
        code, text = ended(child)
    assert code == 0
    assert "- s" not in text
    assert set(LINK.findall(text)) == {"", (place / "docs" / "volumes.md").as_uri() + "#size"}
    assert f"{QUOTE} " in text
    assert "\x1b[1m[1]" in text


def test_a_narrow_terminal_gets_lines_that_end_with_words(place: Path) -> None:
    with terminal("ask", "Can a volume shrink?", cwd=place, columns=40) as child:
        child.expect("Store: stored as ")
        _, text = ended(child)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", LINK.sub("", text)).split("\r\n")[1:]
    assert max(map(len, shown)) <= 40
    assert shown[:2] == ["\rA volume can grow, and never", "shrinks. [1]"]


def test_ctrl_c_stops_an_answer_that_is_being_written(place: Path) -> None:
    with served(endless()) as endpoint:
        words = ("ask", "Can a volume shrink?", *model(endpoint.url))
        with terminal(*words, cwd=place, NO_COLOR="1") as child:
            child.expect("Unchecked draft: A volume")
            assert not re.search(r"\x1b\[[0-9;]*m", child.before or "")
            child.sendintr()
            child.expect(
                "Interrupted. The turn was stopped: neither the question nor an answer was"
            )
            code, _ = ended(child)
    assert code == 130
    assert "E_RECORD_MISSING" in run("prompt").err


def test_a_reader_that_leaves_early_is_no_error(place: Path) -> None:
    words = [sys.executable, "-m", "tether.app", "ask", "Can a volume shrink?"]
    with subprocess.Popen(
        words, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert NO_FLOOR.sub("", process.stderr.read().decode()) == ""
        assert process.wait(SECONDS) == 1


def test_a_chat_survives_ctrl_c_and_ends_with_ctrl_d(place: Path) -> None:
    rewriting = ("--set", "ask.rewrite=off")
    with (
        served(said(WRITTEN), said(WRITTEN), endless()) as endpoint,
        terminal("chat", *model(endpoint.url), *rewriting, cwd=place) as child,
    ):
        child.expect("/help lists the commands")
        child.expect("> ")
        child.send("half a line")
        child.expect("half a line")
        interrupt_typing(child)
        child.sendline("Can a volume shrink?")
        child.expect("never shrinks")
        child.expect("> ")
        child.sendline("From now on, answer briefly. Can a volume grow?")
        child.expect(r'standing instruction: "From now on, answer briefly."\? \[y/N\] ')
        child.sendline("y")
        child.expect("> ")
        child.sendline("And why can it never shrink?")
        child.expect("Unchecked draft")
        child.sendintr()
        child.expect("Stopped. The turn was stopped: neither the question nor an answer was stored")
        child.expect("> ")
        child.sendline("/history")
        child.expect("answered  Can a volume shrink")
        child.expect("answered  From now on")
        child.expect("> ")
        child.sendline("/memory")
        child.expect(r"answer briefly\.  \(instruction, active\)")
        child.expect("> ")
        child.sendeof()
        code, text = ended(child)
    assert code == 0
    assert "never shrink?" not in text
    history = place / "state" / "tether" / "chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "And why can it never shrink?" in history.read_text()
