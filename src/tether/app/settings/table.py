"""The table of settings: key, kind, and what the help says. Everything else follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, get_args

from tether.app.settings.kinds import (
    Choice,
    Decimal,
    Documents,
    Folder,
    Hosts,
    Kind,
    Line,
    ModelPlace,
    StorePlace,
    Switch,
    Whole,
)
from tether.app.settings.values import JudgeChoice, Settings, StyleChoice, WireName
from tether.ask.settings import AskSettings, CodePolicy
from tether.core.tiers import TRUST_TIERS

TURN = "ask"
"""The table of a file that holds the settings of a turn, `ask.retries` and its neighbours."""

PREFIX = "TETHER_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. Its key is its path in a file; its variable is the key in capitals."""

    key: str
    kind: Kind
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.key.replace(".", "_").upper()

    @property
    def flag(self) -> str:
        """The flag that sets it, where a command has one for it."""
        return "--" + self.key.removeprefix(f"{TURN}.").replace("_", "-")


SETTINGS: tuple[Setting, ...] = (
    Setting("docs", Documents(), "A folder, a file or an address to answer from."),
    Setting("index", Folder(), "The folder of the index."),
    Setting("store", StorePlace(), "Where conversations are kept: a file, or postgresql://…"),
    Setting("model", ModelPlace(), "extractive, a .gguf file, or an endpoint's base address."),
    Setting("model_name", Line(), "What the endpoint calls the model."),
    Setting("api_key_env", Line(), "The NAME of the variable that holds the endpoint's key."),
    Setting("wire", Choice(get_args(WireName)), "What the endpoint speaks."),
    Setting("style", Choice(get_args(StyleChoice)), "How the model is asked to cite."),
    Setting("web", Hosts(), "A host whose pages a model with tools may ask for."),
    Setting("window", Whole(0, 10_000_000), "Tokens that the model takes; 0: what is known of it."),
    Setting("temperature", Decimal(0, 2), "How freely the model writes; unset: its own default."),
    Setting("timeout", Decimal(1, 86_400), "Seconds that an endpoint has for one answer."),
    Setting("judge", Choice(get_args(JudgeChoice)), "Let the judge read the first passages."),
    Setting("offline", Switch(), "Refuse every connection but those to model and store."),
    Setting("owner", Line(), "Whose conversations and memories these are."),
    Setting("ask.retries", Whole(0, 10), "How often a failed answer is written again."),
    Setting("ask.passages", Whole(1, 64), "How many passages the model is shown."),
    Setting("ask.evidence_tokens", Whole(0, 10_000_000), "What they may cost; 0: the window."),
    Setting("ask.rewrite", Switch(), "Resolve what a follow-up refers to before the search."),
    Setting("ask.hypothesis", Switch(), "Search also by a paragraph that the model makes up."),
    Setting("ask.variants", Whole(0, 8), "Search also by so many variants of the question."),
    Setting("ask.follow_ups", Switch(), "Consider the passages that the last answer cited."),
    Setting("ask.address_check", Switch(), "Check that the quotes address the question."),
    Setting("ask.code", Choice(get_args(CodePolicy)), "Whether an answer may hold code."),
    Setting("ask.rounds", Whole(0, 20), "How many rounds of tool calls a turn has."),
    Setting("ask.history", Whole(0, 100), "How many earlier exchanges the model sees."),
    Setting("ask.memories", Whole(0, 100), "How many memories the model sees."),
    Setting("ask.remember", Switch(), "Keep what the person says about themselves."),
    Setting("ask.tier", Choice(TRUST_TIERS), "The authority that the documents have."),
)

BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}


def defaults() -> dict[str, Any]:
    """Return the default of every setting, by key."""
    return values_of(Settings())


def values_of(settings: Settings) -> dict[str, Any]:
    """Return every value by its key."""
    own = {item.name: getattr(settings, item.name) for item in fields(settings)}
    turn = own.pop(TURN)
    return own | {f"{TURN}.{item.name}": getattr(turn, item.name) for item in fields(turn)}


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Return the settings that hold these values by key."""
    before = f"{TURN}."
    turn = {key.removeprefix(before): it for key, it in values.items() if key.startswith(before)}
    own = {key: value for key, value in values.items() if not key.startswith(before)}
    return replace(Settings(), **own, ask=AskSettings(**turn))


def unknown(key: str) -> str:
    """Return what to say of a key that is no setting, with the nearest that is one."""
    if key == TURN:
        return f"must be a table: write [{TURN}] and its settings below"
    near = get_close_matches(key, BY_KEY, n=1, cutoff=0.5)
    if not near:
        last = {name.rpartition(".")[2]: name for name in BY_KEY}
        near = [last[name] for name in get_close_matches(key.rpartition(".")[2], last, n=1)]
    hint = f"did you mean {near[0]}?" if near else "`tether config show` lists them all"
    return f"is no setting; {hint}"
