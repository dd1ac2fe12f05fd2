"""A key that is given where the name of a variable belongs is never repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.shell import run
from tether.app.settings.values import shown_variable

pytestmark = pytest.mark.usefixtures("alone")

ENDPOINT = ("--model", "http://127.0.0.1:9/v1", "--model-name", "tiny")
KEYS = [
    "sk-proj-Zk3xW9pQ0aLmN",
    "hf_AbCdEfGhIjKlMnOp",
    "AKIA2E0A8F3B244C9986",
    "0f8fad5bd9cb469fa165",
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_place_of_a_name_is_not_repeated(
    key: str, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_flag = run("ask", "Why?", *ENDPOINT, "--api-key-env", key)
    by_set = run("ask", "Why?", *ENDPOINT, "--set", f"api_key_env={key}")
    monkeypatch.setenv("TETHER_API_KEY_ENV", key)
    by_variable = run("ask", "Why?", *ENDPOINT)
    for ran in (by_flag, by_set, by_variable):
        assert ran.code == 2
        assert key not in ran.out + ran.err
        assert "***" in ran.err
        assert "variable" in ran.err
    shown = run("config", "show"), run("config", "show", "--json")
    assert all(key not in ran.out + ran.err for ran in shown)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "my_key_2", "_KEY", "A", ""])
def test_the_name_of_a_variable_is_shown(name: str) -> None:
    assert shown_variable(name) == name
    expected = f'"api_key_env": {{"value": "{name}"'
    assert expected in run("config", "show", "--json", "--api-key-env", name).succeeded().out
