"""The key of an endpoint, in the variable that the settings name, or among the kept ones."""

from __future__ import annotations

from collections.abc import Mapping

from tether.app.kept_keys import found_key, key_name
from tether.app.settings.values import shown_variable
from tether.ask.errors import InvalidSettings
from tether.core.errors import Problem


def api_key(name: str, environ: Mapping[str, str], *, setting: str = "api_key_env") -> str:
    """Return the key in a variable, or the one kept for it; "" if no variable is named.

    Raises `InvalidSettings` if there is neither.
    """
    key = found_key(name, environ)
    if name and not key:
        problem = f"{shown_variable(name)!r} names a variable that is empty or not set"
        problem += "; export the key in it, and name the variable, not the key"
        problem += f"; or keep it with `tether keys set {shown_variable(key_name(name))}`"
        raise InvalidSettings([Problem(setting, problem)])
    return key
