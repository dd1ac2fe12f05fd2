"""The key of an endpoint, in the variable that the settings name."""

from __future__ import annotations

from collections.abc import Mapping

from tether.app.settings.values import shown_variable
from tether.ask.errors import InvalidSettings
from tether.core.errors import Problem


def api_key(name: str, environ: Mapping[str, str], *, setting: str = "api_key_env") -> str:
    """Return the key; "" if no variable is named. Raises `InvalidSettings` for an empty one."""
    key = environ.get(name, "").strip() if name else ""
    if name and not key:
        problem = f"{shown_variable(name)!r} names a variable that is empty or not set"
        problem += "; export the key in it, and name the variable, not the key"
        raise InvalidSettings([Problem(setting, problem)])
    return key
