"""`tether doctor`: missing and broken parts, each with advice."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.pages import put
from app.shell import Ran, run
from support.stores import open_sqlite
from tether.app import checkup
from tether.app.models import model_of
from tether.app.settings.values import Settings
from tether.ask.verification.scripted import ScriptedVerifier
from tether.batteries.budget.profiles import ModelProfile
from tether.retrieval.dense.model_file import ModelFile
from tether.retrieval.index.index import Index

pytestmark = pytest.mark.usefixtures("cheap")


class Usage(NamedTuple):
    """What `shutil.disk_usage` returns."""

    total: int
    used: int
    free: int


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith("TETHER_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TETHER_VERIFIER", "none")  # the included one takes a second to load
    monkeypatch.chdir(tmp_path)
    return tmp_path


def findings(ran: Ran, name: str) -> list[dict[str, Any]]:
    return [finding for finding in ran.json if finding["name"] == name]


def looked(*words: str | Path, name: str) -> dict[str, Any]:
    """Return the finding of that name; each finding that is not fine must have advice."""
    ran = run("doctor", "--json", *words)
    assert ran.code == int(any(finding["state"] == "problem" for finding in ran.json))
    for finding in ran.json:
        assert finding["state"] == "fine" or finding["advice"], finding
    return findings(ran, name)[0]


def test_a_sound_place_exits_with_0_and_a_line_for_each_thing(calibrated: Path) -> None:
    ran = run("doctor", "--index", calibrated).succeeded()
    for name in ("settings", "python", "sqlite", "disk", "terminal", "index", "store", "model"):
        assert f"  {name}: " in ran.out
    assert "ok       floor: calibrated" in ran.out
    assert "PROBLEM" not in ran.out
    assert "extra local: " in ran.out


def test_the_files_of_the_search_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked("--docs", "docs", name="embedder")["text"].startswith("minilm.int8:")
    lost = ModelFile(Path("judge.int8.onnx"), "tether-models")
    monkeypatch.setattr("tether.retrieval.judge.included", lambda *_, **__: lost)
    found = looked("--docs", "docs", name="judge")
    assert found["state"] == "problem"
    assert found["text"].endswith(
        "comes with tether-models, which is not installed: pip install tether"
    )


def test_without_an_index_it_says_how_to_make_one_unless_documents_are_named() -> None:
    ran = run("doctor")
    assert ran.code == 1
    assert "PROBLEM  index: not found in " in ran.out
    assert "`tether index apply FOLDER`" in ran.out
    assert looked("--docs", "docs", name="index")["state"] == "fine"


def test_an_index_without_a_floor_is_noted(index: Path) -> None:
    found = looked("--index", index, name="floor")
    assert found["state"] == "note"
    assert "tether index apply" in found["advice"]
    assert looked("--index", index, name="index")["text"] == "generation 1, 2 documents, 4 passages"


def test_an_index_in_trouble(tmp_path: Path, docs: Path, index: Path, calibrated: Path) -> None:
    words = tmp_path / "words"
    run("index", "apply", docs, "--index", words, "--no-embeddings").succeeded()
    assert "4 of them without vectors" in looked("--index", words, name="index")["text"]
    (docs / "cut.ipynb").write_text('{"cells": [')
    assert run("index", "apply", docs, "--index", words, "--no-embeddings").code == 1
    assert "1 document could not be read" in looked("--index", words, name="index")["text"]
    bare = tmp_path / "bare"
    blank = put(tmp_path / "blank", {"a.md": "\n"})
    run("index", "apply", blank, "--index", bare).succeeded()
    assert looked("--index", bare, name="index")["state"] == "problem"
    run("index", "apply", docs, "--index", calibrated)
    assert "changed since" in looked("--index", calibrated, name="floor")["text"]


def test_an_index_that_is_damaged(index: Path, tmp_path: Path) -> None:
    large = max((path for path in index.rglob("*") if path.is_file()), key=os.path.getsize)
    arrays = [path for path in index.rglob("*") if path.is_file() and path.suffix != ".sqlite"]
    hurt = next(path for path in arrays if path != large and path.stat().st_size > 40)
    data = bytearray(hurt.read_bytes())
    data[-1] ^= 255
    hurt.write_bytes(data)
    ran = run("doctor", "--json", "--index", index)
    assert ran.code == 1
    assert any("damaged" in finding["text"] for finding in findings(ran, "index"))
    other = tmp_path / "other"
    shutil.copytree(index, other)
    for path in other.iterdir():
        if path.is_file():
            path.write_bytes(b"no database at all, only this")
    assert looked("--index", other, name="index")["state"] == "problem"


def test_a_floor_for_another_search_is_a_problem(
    calibrated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tether.app.search.SearchParts.floor_parts",
        property(lambda _: checkup),  # not the parts it was fitted for
    )
    monkeypatch.setattr(Index, "check", lambda _: ())
    monkeypatch.setattr("tether.retrieval.floor.calibration.Calibration.check", mismatched)
    found = looked("--index", calibrated, name="floor")
    assert (found["state"], found["text"]) == ("problem", "another judge")


def mismatched(*_: object) -> None:
    from tether.retrieval.errors import CalibrationMismatch

    raise CalibrationMismatch("another judge")


async def test_a_store_that_is_sound_and_one_that_others_can_read(tmp_path: Path) -> None:
    await (await open_sqlite(tmp_path)).aclose()
    path = tmp_path / "store" / "tether.db"
    found = findings(run("doctor", "--json", "--store", path), "store")
    assert [finding["state"] for finding in found] == ["fine"]
    assert found[0]["text"].endswith("no damage found")
    path.chmod(0o644)
    found = findings(run("doctor", "--json", "--store", path), "store")
    assert [finding["state"] for finding in found] == ["fine", "note"]
    assert f"chmod 600 {path}" in found[1]["advice"]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO tether_schema (version) VALUES (99)")
    newer = looked("--store", path, name="store")
    assert newer["state"] == "problem"
    assert "newer version (schema 99" in newer["text"]


async def test_a_store_that_is_damaged_or_none_at_all(tmp_path: Path) -> None:
    await (await open_sqlite(tmp_path)).aclose()
    path = tmp_path / "store" / "tether.db"
    data = bytearray(path.read_bytes())
    data[36:40] = (3).to_bytes(4, "big")  # a wrong number of free pages
    path.write_bytes(data)
    assert "is damaged" in looked("--store", path, name="store")["text"]
    (tmp_path / "text.db").write_text("this is no database but a text that is long enough" * 20)
    found = looked("--store", tmp_path / "text.db", name="store")
    assert "cannot be read as a store: " in found["text"]
    assert "File name too long" in looked("--store", "x" * 300, name="store")["text"]


def test_a_server_that_does_not_answer() -> None:
    found = looked("--store", "postgresql://me:hunter2@127.0.0.1:1/x", name="store")
    assert found["state"] == "problem"
    assert "hunter2" not in str(found)


class Endpoint(BaseHTTPRequestHandler):
    """Answers like an endpoint that wants a key, or that is broken, and records the requests."""

    def do_GET(self) -> None:
        self.server.heard.append((self.path, self.headers.get("Authorization")))  # type: ignore[attr-defined]
        self.send_response(500 if self.path.startswith("/broken") else 401)
        self.end_headers()

    def log_message(self, format: str, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.heard = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_an_endpoint_is_asked_for_a_sign_and_never_given_the_key(
    endpoint: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sesame")
    base = f"http://127.0.0.1:{endpoint.server_address[1]}"
    words = ["--model-name", "gpt-4o", "--api-key-env", "MY_KEY"]
    found = looked("--model", f"{base}/v1", *words, name="model")
    assert (found["state"], found["text"]) == ("fine", f"{base}/v1 answers")
    assert endpoint.heard == [("/v1/models", None)]  # type: ignore[attr-defined]
    broken = looked("--model", f"{base}/broken", *words, name="model")
    assert broken["text"].endswith("answers with status 500")
    unknown = looked("--model", f"{base}/v1", "--model-name", "house", name="model")
    assert unknown["state"] == "note"
    assert "house is unknown" in unknown["text"]
    said = ["--model-name", "house", "--set", "window=9000"]
    assert looked("--model", f"{base}/v1", *said, name="model")["state"] == "fine"


def test_an_endpoint_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--model-name", "gpt-4o"]
    silent = looked("--model", "http://127.0.0.1:1/v1", *words, name="model")
    assert "does not answer" in silent["text"]
    closed = looked("--model", "https://127.0.0.1:1/v1", *words, name="model")
    assert "does not answer" in closed["text"]
    offline = looked("--model", "http://127.0.0.1:1/v1", "--offline", *words, name="model")
    assert (offline["state"], "was not called" in offline["text"]) == ("fine", True)


def test_a_model_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    found = run("doctor", "--json", "--model", tmp_path / "gone.gguf")
    assert "cannot be read: No such file" in findings(found, "model")[0]["text"]


def test_a_local_model_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    made = replace(model_of(Settings()), profile=ModelProfile(name="m", window=512))
    monkeypatch.setattr(checkup, "model_of", lambda *_, **__: made)
    assert checkup.model_finding(Settings(model="/m.gguf")).text == "/m.gguf, 512 tokens"


def test_a_verifier_is_named_with_its_fingerprint_and_thresholds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = ScriptedVerifier()
    monkeypatch.setattr("tether.app.verifier.OnnxVerifier", lambda **_: made)
    found = looked("--verifier", "shipped", name="verifier")
    assert (found["state"], found["text"]) == (
        "fine",
        "scripted, supported from 0.5, denied from 0.5",
    )
    assert len(made.claims) == 1, "it has read something"


def test_the_included_verifier_can_be_used() -> None:
    found = checkup.verifier_finding("shipped")
    assert found.state == "fine"
    assert found.text.startswith("verifier:")


@pytest.mark.parametrize(
    ("name", "state", "told"),
    [
        ("none", "note", "none: an answer shows only sentences that stand in the documents"),
        ("broken.onnx", "note", "is not a model that can be run"),
        ("gone.onnx", "problem", "there is no file"),
    ],
)
def test_a_verifier_that_cannot_be_used_is_told(
    name: str, state: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"nothing")
    found = looked("--verifier", name, name="verifier")
    assert found["state"] == state
    assert told in found["text"]


def test_wrong_settings_exit_with_2(tmp_path: Path) -> None:
    (tmp_path / "tether.toml").write_text("stroe = 1\n")
    ran = run("doctor")
    assert ran.code == 2
    assert "did you mean store?" in ran.err


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ((3, 11, 7), "note"),
        ((3, 11, 14), "fine"),
        ((3, 12, 11), "note"),
        ((3, 13, 6), "fine"),
        ((3, 14, 0), "fine"),
    ],
)
def test_pythons(version: tuple[int, int, int], state: str) -> None:
    assert checkup.python_finding(version).state == state


@pytest.mark.parametrize(
    ("version", "state"), [((3, 40, 1), "note"), ((3, 51, 2), "note"), ((3, 51, 3), "fine")]
)
def test_sqlites(version: tuple[int, ...], state: str) -> None:
    assert checkup.sqlite_finding(version).state == state


def test_extras_that_are_missing_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "find_spec", lambda _: None)
    found = {finding.name: finding for finding in checkup.extra_findings()}
    assert found["extra pdf"].state == "note"
    assert "pip install 'tether[pdf]'" in found["extra pdf"].advice


@pytest.mark.parametrize(
    ("free", "state"), [(10**6, "problem"), (5 * 10**8, "note"), (10**10, "fine")]
)
def test_disks(free: int, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(10**12, 0, free))
    assert checkup.disk_finding(tmp_path / "not" / "yet").state == state


def test_a_disk_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "cannot be written to" in checkup.disk_finding(tmp_path).text


@pytest.mark.parametrize(
    ("environ", "is_terminal", "encoding", "told"),
    [
        ({"TERM": "xterm"}, True, "utf-8", "with colours"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, "UTF8", "without colours"),
        ({"TERM": "dumb"}, True, "utf-8", "without colours"),
        ({}, False, "utf-8", "not a terminal: plain output"),
        ({}, True, "ascii", "encoded as ascii"),
    ],
)
def test_terminals(environ: dict[str, str], is_terminal: bool, encoding: str, told: str) -> None:
    found = checkup.terminal_finding(environ, is_terminal=is_terminal, encoding=encoding)
    assert told in found.text
