"""`tether config`: what holds, where it came from, and a file to begin with."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest

from app.shell import run
from tether.app.files import write_new
from tether.app.settings.table import BY_KEY, TABLES
from tether.core.errors import InputRefused


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder and a home without any settings."""
    for name in list(os.environ):
        if name.startswith("TETHER_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def test_every_value_is_shown_with_its_origin(alone: Path) -> None:
    (alone / "tether.toml").write_text('judge = "off"\n')
    environ = {"TETHER_ASK_HISTORY": "2"}
    words = ["--docs", "a", "--docs", "b", "--no-offline", "--style", "auto", "--set", "window=900"]
    ran = run("config", "show", "--origin", *words, env=environ).succeeded()
    lines = {line.split()[0]: line for line in ran.out.splitlines()}
    assert set(lines) == set(BY_KEY)
    assert lines["docs"].endswith(f'["{alone}/a", "{alone}/b"]  (flag)')
    assert lines["judge"].endswith(f'"off"  (project file {alone}/tether.toml:1)')
    assert lines["ask.history"].endswith("2  (variable TETHER_ASK_HISTORY)")
    assert lines["window"].endswith("900  (flag)")
    assert lines["offline"].endswith("false  (flag)")
    assert lines["style"].endswith('"auto"  (flag)')
    assert lines["timeout"].endswith("null  (default)")
    assert lines["ask.patience"].endswith("20.0  (default)")
    assert "(" not in run("config", "show").succeeded().out


def test_as_json_and_without_secrets(alone: Path) -> None:
    words = ["--store", "postgresql://me:hunter2@db.example/tether", "--model", "https://k@h/v1"]
    ran = run("config", "show", "--json", *words).succeeded()
    assert "hunter2" not in ran.out
    assert ran.json["store"] == {
        "value": "postgresql://me:***@db.example/tether",
        "origin": "flag",
        "place": "",
        "variable": "TETHER_STORE",
    }
    assert ran.json["model"]["value"] == "https://***@h/v1"
    assert ran.json["docs"]["value"] == []
    assert "hunter2" not in run("config", "show", *words).succeeded().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--set", "ask.retrys=1"], "did you mean ask.retries?"),
        (["--set", "window=wide"], "window: must be a whole number"),
        (["--set", "window"], "'window' is not KEY=VALUE"),
        (["--passages", "none"], "ask.passages: must be a whole number"),
        (["--model", "gpt"], "model: must be 'extractive'"),
        (["--style", "haiku"], "'haiku' is not one of"),
    ],
)
def test_wrong_flags_exit_with_2(words: list[str], told: str) -> None:
    ran = run("config", "show", *words)
    assert ran.code == 2
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_an_unknown_key_exits_with_2_and_steers_no_terminal(alone: Path) -> None:
    (alone / "tether.toml").write_text('"\\u001b[31mred" = 1\n')
    ran = run("config", "show")
    assert ran.code == 2
    assert "E_INVALID_SETTINGS" in ran.err
    assert str(alone / "tether.toml") in ran.err
    assert "\x1b" not in ran.err


def test_paths_are_told_whether_files_are_there_or_not(alone: Path, tmp_path: Path) -> None:
    user = tmp_path / "config" / "tether" / "config.toml"
    ran = run("config", "path").succeeded()
    assert ran.out == f"user     {user}  (missing)\nproject  {alone}/tether.toml  (missing)\n"
    (alone / "tether.toml").touch()
    found = run("config", "path", "--json").succeeded().json
    assert found["project"] == {"path": str(alone / "tether.toml"), "exists": True}
    nobody = {"XDG_CONFIG_HOME": "", "HOME": ""}
    assert "user" not in run("config", "path", "--json", env=nobody).succeeded().json


def test_init_writes_a_file_that_holds_and_never_over_another(alone: Path) -> None:
    ran = run("config", "init", "docs").succeeded()
    place = alone / "tether.toml"
    assert str(place) in ran.out
    assert tomllib.loads(place.read_text()) == {
        "docs": ["docs"],
        **{name: {} for name in TABLES},
    }
    assert stat.S_IMODE(place.stat().st_mode) == 0o644
    shown = run("config", "show", "--json").succeeded().json
    assert shown["docs"]["value"] == [str(alone / "docs")]
    assert {it["origin"] for key, it in shown.items() if key != "docs"} == {"default"}
    place.write_text("mine")
    again = run("config", "init")
    assert again.code == 1
    assert " exists; edit it" in again.err
    assert place.read_text() == "mine"
    assert list(alone.iterdir()) == [place]


def test_a_folder_that_refuses_is_told_and_left_clean(alone: Path) -> None:
    with pytest.raises(InputRefused, match=r"gone/tether\.toml cannot be written: No such file"):
        write_new(alone / "gone" / "tether.toml", "text")
    assert list(alone.iterdir()) == []
