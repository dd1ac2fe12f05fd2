"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import update_wrapper, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from tether.app.project import Data, require_trust
from tether.app.settings.kinds import Choice, Documents, Hosts, Switch
from tether.app.settings.layers import Loaded, Origin, load_settings
from tether.app.settings.table import BY_KEY, Setting
from tether.app.settings.values import JudgeChoice, Settings
from tether.core.errors import InputRefused

Command = TypeVar("Command", bound=Callable[..., Any])

COUNT = click.IntRange(min=1)
INDEX = "The name or the folder of the index.  [default: that of the documents]"

FLAGS = (
    "docs",
    "index",
    "wait",
    "store",
    "model",
    "model_name",
    "api_key_env",
    "wire",
    "style",
    "web",
    "window",
    "timeout",
    "threads",
    "gpu_layers",
    "judge",
    "verifier",
    "offline",
    "owner",
    "ask.passages",
    "ask.patience",
    "ask.retries",
    "ask.code",
    "ask.second_opinion",
)
"""The settings with their own flag; `--set KEY=VALUE` sets any."""

METAVARS = {
    "docs": "FOLDER|URL",
    "index": "NAME|FOLDER",
    "store": "FILE|URL",
    "web": "HOST",
    "verifier": "NAME|FILE",
}

DOCS = "The documents that the index was made from."

_META = "tether.flags"
_DEFAULT = click.core.ParameterSource.DEFAULT


def settings_under(*data: Data, **flags: object) -> Settings:
    """Return the settings of this folder with a few flags; None means not given.

    `data` are the places that will be used. Raises `InvalidSettings`, and `ProjectUntrusted`.
    """
    loaded = load_settings(flags, environ=os.environ, folder=working_folder())
    require_trust(loaded, os.environ, data)
    return loaded.settings


def settings_with(place: str) -> Settings:
    """Return the settings of this folder with an index that a file names, such as a receipt.

    Nobody typed it: one in the project's folder has to be made or trusted by this user.
    """
    loaded = load_settings({"index": place}, environ=os.environ, folder=working_folder())
    origins = {**loaded.origins, "index": Origin("receipt", place)}
    require_trust(replace(loaded, origins=origins), os.environ, ("index",))
    return loaded.settings


def working_folder() -> Path:
    """Return the working folder; raises `InputRefused` if it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        problem = "the working folder does not exist any more"
        raise InputRefused(problem, help="Change to another one, with `cd`.") from error


def index_place(command: Command) -> Command:
    """Add `--index`: the name or the folder of an index, None if it was not given."""
    return click.option("--index", metavar="NAME|FOLDER", help=INDEX)(command)


def one_index(command: Command) -> Command:
    """Add `--index` and `--docs`, which choose one index; the command receives its `settings`."""

    @wraps(command)
    def chosen(*, index: str | None, docs: tuple[str, ...], **others: object) -> Any:
        return command(settings=settings_under("index", index=index, docs=docs or None), **others)

    named = click.option("--docs", multiple=True, metavar="FOLDER|URL", help=DOCS)(chosen)
    return cast("Command", index_place(named))


def as_json(command: Command) -> Command:
    """Add `--json`: print one object instead of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def judge(command: Command) -> Command:
    """Add `--judge`, by default that of the settings."""

    def choice(
        _context: click.Context, _parameter: click.Parameter, value: str | None
    ) -> JudgeChoice:
        loaded = load_settings({"judge": value}, environ=os.environ, folder=working_folder())
        return loaded.settings.judge

    return click.option(
        "--judge",
        type=click.Choice(["auto", "on", "off"]),
        callback=choice,
        help="Let the judge read the first passages; auto: as many as fit into 0.8 s.",
    )(command)


def docs(command: Command) -> Command:
    """Add `--docs`, as in `ask`."""
    return click.option(
        "--docs",
        multiple=True,
        metavar="FOLDER|URL",
        help="Documents to bring the index in step with first.  [default: those of the settings]",
    )(command)


def agent_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the flags of the settings; the command receives the settings under them as `loaded`.

    The project has to be trusted.
    """

    def trusting(*, loaded: Loaded, **others: object) -> None:
        require_trust(loaded, os.environ)
        command(loaded=loaded, **others)

    return looking_options(update_wrapper(trusting, command))


def looking_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the same for a command that only looks at the settings of any project."""

    @click.pass_context
    def under_flags(context: click.Context, /, **others: object) -> None:
        loaded = load_settings(_flags(context), environ=os.environ, folder=working_folder())
        command(loaded=loaded, **others)

    decorated: Callable[..., None] = _any_setting()(update_wrapper(under_flags, command))
    for key in reversed(FLAGS):
        decorated = _option(BY_KEY[key])(decorated)
    return decorated


def conversation_options(command: Command) -> Command:
    """Add the options of a conversation at the terminal, which `ask` and `chat` share."""
    for option in (
        click.option("--verbose", is_flag=True, help="Report the steps without a terminal, too."),
        click.option(
            "--continue", "latest", is_flag=True, help="Go on with the latest conversation."
        ),
        click.option(
            "--conversation", metavar="ID", default="", help="Go on with this conversation."
        ),
    ):
        command = option(command)
    return command


def _option(setting: Setting) -> Callable[[Command], Command]:
    """Return the decorator that adds the flag of one setting."""

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
    metavar = METAVARS.get(setting.key, "TEXT")
    return click.option(setting.flag, multiple=many, metavar=metavar, **shared)


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
        help="Set any setting that `tether config show` lists; repeatable.",
    )


def _flags(context: click.Context) -> dict[str, object]:
    return cast("dict[str, object]", context.meta.setdefault(_META, {}))
