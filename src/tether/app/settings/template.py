"""The file that `tether config init` writes: every setting with its default, in comments."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tether.app.settings.table import SETTINGS, TURN, Setting, defaults

HEAD = """\
# Settings of `tether` for this project. Flags and TETHER_* variables go before what is said here;
# what is not said here comes from the user's file, or is the default, as the comments show it.
# Paths are relative to this file. Never write a key here: `api_key_env` NAMES a variable.
"""

EXAMPLES = {"docs": '["docs"]', "web": '["docs.example.org"]', "temperature": "0.2"}
"""Shown where the default says nothing about the form."""


def template(docs: Iterable[str] = ()) -> str:
    """Return the text of a project's file, with `docs` set where there are any."""
    given = list(docs)
    own = [setting for setting in SETTINGS if "." not in setting.key]
    turn = [setting for setting in SETTINGS if "." in setting.key]
    lines = [HEAD]
    for setting in own:
        if setting.key == "docs" and given:
            lines += [f"# {setting.help}", f"docs = {_toml(given)}"]
        else:
            lines += _commented(setting)
    lines += ["", f"[{TURN}]"]
    for setting in turn:
        lines += _commented(setting)
    return "\n".join(lines) + "\n"


def _commented(setting: Setting) -> list[str]:
    name = setting.key.rpartition(".")[2]
    value = EXAMPLES.get(setting.key) or _toml(defaults()[setting.key])
    return [f"# {setting.help}", f"# {name} = {value}"]


def _toml(value: Any) -> str:
    """Return a value as TOML; JSON writes these kinds the same way, in ASCII."""
    return json.dumps(str(value) if isinstance(value, Path) else value)
