"""A model that asks for a page of the web: a person is asked first, in `ask` and in `chat`."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from app.shell import run
from app.terminals import served
from support.chat_replies import called, said
from support.faulty_endpoint import FaultyEndpoint, Script, http_response
from tether.app.cli import cli
from tether.app.terminal.typist import Typist
from tether.batteries.storage.sqlite import SqliteStore

ASK = "Can a volume shrink?"
WRITTEN = "A volume can grow, and never shrinks. [Volumes](volumes.md#size)"
PAGE = http_response(200, {"Content-Type": "text/plain"}, b"The page says that lanterns glow.")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shelf: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TETHER_INDEX", str(shelf / "words"))
    monkeypatch.setenv("TETHER_STORE", str(tmp_path / "store.db"))
    return tmp_path


def typing(answer: str) -> Callable[[], Typist]:
    """A person who answers everything with one word."""

    class Person(Typist):
        def line(self, prompt: str) -> str:
            return answer

    return lambda: Person(is_person=True)


def wanting(url: str) -> Script:
    """A model that asks for a page."""
    return called(("1", "fetch_url", json.dumps({"url": url})))


def flags(model: FaultyEndpoint, site: FaultyEndpoint) -> tuple[str, ...]:
    web = urlsplit(site.url).netloc
    return ("--model", f"{model.url}/v1", "--model-name", "tiny", "--web", web)


def results(model: FaultyEndpoint) -> str:
    """What the model was told about its call."""
    return json.dumps(model.requests[-1].json()["messages"])


@pytest.mark.parametrize(("typed", "pages"), [("y", 1), ("n", 0)])
def test_a_page_is_read_after_a_yes_and_never_after_a_no(
    typed: str, pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Typist, "of_process", typing(typed))
    with served(PAGE) as site, served(wanting(f"{site.url}/page"), said(WRITTEN)) as model:
        ran = run("ask", ASK, *flags(model, site))
        assert len(site.requests) == pages
        assert ("lanterns glow" in results(model)) is bool(pages)
    assert ran.code == 0, ran.err
    assert "never shrinks. [1]" in ran.out
    assert "A call waits for a decision" in ran.err
    assert '"url":"http://127.0.0.1' in ran.err
    states = [
        each["state"] for each in run("gates", "list", "--state", "all", "--json").json["gates"]
    ]
    assert states == ["done" if pages else "denied"]


def test_nobody_is_asked_about_a_host_that_is_not_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Person(Typist):
        def line(self, prompt: str) -> str:
            asked.append(prompt)
            return "y"

    monkeypatch.setattr(Typist, "of_process", lambda: Person(is_person=True))
    with served(PAGE) as site, served(wanting("https://evil.example/?q=1"), said(WRITTEN)) as model:
        ran = run("ask", ASK, *flags(model, site)).succeeded()
        assert "evil.example" in results(model)
        assert "lanterns" not in results(model)
    assert asked == []
    assert "A call waits for a decision" not in ran.err
    assert run("gates", "list", "--state", "all", "--json").json["gates"] == []


def test_chat_asks_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    said_yes = iter((ASK, "y"))

    class Person(Typist):
        def line(self, prompt: str) -> str:
            try:
                return next(said_yes)
            except StopIteration:
                raise EOFError from None

    monkeypatch.setattr(Typist, "of_process", lambda: Person(is_person=True))
    with served(PAGE) as site, served(wanting(f"{site.url}/page"), said(WRITTEN)) as model:
        words = ["chat", *flags(model, site)]
        result = CliRunner().invoke(cli, words, prog_name="tether")
        assert len(site.requests) == 1
    assert "A call waits for a decision" in result.stderr
    assert "never shrinks. [1]" in result.stdout


async def approve_elsewhere(path: Path) -> None:
    """Say yes to the first gate that is open, as another process would."""
    store = await SqliteStore.open(path)
    while not (rows := await store.gates(states=("open",))):
        await asyncio.sleep(0.05)
    await store.settle_gate(rows[0].id, approved=True, by="ada", checksum=rows[0].checksum)
    await store.aclose()


def test_without_a_person_another_terminal_decides(place: Path) -> None:
    with served(PAGE) as site, served(wanting(f"{site.url}/page"), said(WRITTEN)) as model:
        work = approve_elsewhere(place / "store.db")
        thread = threading.Thread(target=asyncio.run, args=(work,))
        thread.start()
        run("ask", ASK, *flags(model, site)).succeeded()
        thread.join()
        assert len(site.requests) == 1


def test_offline_no_page_is_offered() -> None:
    with served(said(WRITTEN)) as model:
        words = ("--model", f"{model.url}/v1", "--model-name", "tiny", "--offline")
        run("ask", ASK, *words, "--web", "docs.example.org").succeeded()
        offered = [tool["function"]["name"] for tool in model.requests[0].json()["tools"]]
    assert offered == ["retrieve", "search_documents", "list_documents"]


def test_a_host_that_is_none_is_told_before_anything_is_read() -> None:
    with served() as model:
        words = ("--model", f"{model.url}/v1", "--model-name", "tiny")
        for host in ("https://docs.example.org/", "*.org", "a b"):
            ran = run("ask", ASK, *words, "--web", host)
            assert ran.code == 2
            assert "web" in ran.err


def test_hosts_without_a_model_that_uses_tools_are_told() -> None:
    ran = run("ask", ASK, "--web", "docs.example.org").succeeded()
    assert "--style tools" in ran.err
