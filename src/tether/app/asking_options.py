"""The flags that everything shares which asks: `ask`, `chat`, `doctor`, `config` and others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from tether.app.settings.kinds import Choice, Documents, Hosts, Switch
from tether.app.settings.loading import Loaded, load_settings
from tether.app.settings.table import BY_KEY, Setting

Command = TypeVar("Command", bound=Callable[..., Any])

FLAGS = (
    "docs",
    "index",
    "store",
    "model",
    "model_name",
    "api_key_env",
    "wire",
    "style",
    "web",
    "judge",
    "offline",
    "owner",
    "ask.passages",
    "ask.retries",
    "ask.code",
)
"""The settings with a flag of their own; `--set KEY=VALUE` sets any."""

METAVARS = {"docs": "FOLDER|URL", "index": "FOLDER", "store": "FILE|URL", "web": "HOST"}

_META = "tether.flags"


def asking_options(command: Command) -> Command:
    """Add the shared flags. The command's function is not given them: see `settings_from`."""
    decorated = _any_setting()(command)
    for key in reversed(FLAGS):
        decorated = _option(BY_KEY[key])(decorated)
    return decorated


def settings_from(context: click.Context) -> Loaded:
    """Return the settings under the flags that a command was given; raises `InvalidSettings`."""
    flags = cast("dict[str, object]", context.meta.get(_META, {}))
    return load_settings(flags, environ=os.environ, folder=Path.cwd())


def _option(setting: Setting) -> Callable[[Command], Command]:
    """Return the decorator for the flag of one setting."""

    def keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
        if context.get_parameter_source(parameter.name or "") is not _DEFAULT:
            given = list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
            _flags(context)[setting.key] = given

    shared: dict[str, Any] = {"callback": keep, "expose_value": False, "help": setting.help}
    if isinstance(setting.kind, Switch):
        return click.option(f"{setting.flag}/--no-{setting.flag[2:]}", default=None, **shared)
    if isinstance(setting.kind, Choice):
        return click.option(setting.flag, type=click.Choice(setting.kind.words), **shared)
    many = isinstance(setting.kind, Documents | Hosts)
    return click.option(setting.flag, multiple=many, metavar=_metavar(setting), **shared)


_DEFAULT = click.core.ParameterSource.DEFAULT


def _any_setting() -> Callable[[Command], Command]:
    def keep(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> None:
        for text in value:
            key, sign, given = text.partition("=")
            if not sign:
                raise click.BadParameter(f"{text!r} is not KEY=VALUE", context, parameter)
            _flags(context)[key.strip()] = given.strip()

    return click.option(
        "--set",
        "set_values",
        multiple=True,
        metavar="KEY=VALUE",
        callback=keep,
        expose_value=False,
        help="Set anything that `tether config show` lists; repeatable.",
    )


def _flags(context: click.Context) -> dict[str, object]:
    return cast("dict[str, object]", context.meta.setdefault(_META, {}))


def _metavar(setting: Setting) -> str:
    return METAVARS.get(setting.key, "TEXT")
