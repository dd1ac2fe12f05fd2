"""The table of settings with key, kind and help, and the file that `tether config init` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from tether.app.settings.kinds import (
    Address,
    Choice,
    Decimal,
    Documents,
    Folder,
    Hosts,
    IndexPlace,
    Kind,
    Line,
    ModelPlace,
    Names,
    StorePlace,
    Switch,
    Variable,
    VerifierPlace,
    Whole,
)
from tether.app.settings.remote import (
    RemoteEmbedder,
    RemoteReranker,
    RemoteSearch,
    RemoteTelemetry,
)
from tether.app.settings.values import JudgeChoice, Settings, StyleChoice, WireName
from tether.ask.settings import AskSettings, CodePolicy
from tether.batteries.retrieval.judge import RerankShape
from tether.batteries.retrieval.web_search import SearchShape
from tether.batteries.tools import COMPUTING
from tether.core.tiers import TRUST_TIERS

TABLES: dict[str, type[Any]] = {
    "embedder": RemoteEmbedder,
    "reranker": RemoteReranker,
    "web_search": RemoteSearch,
    "telemetry": RemoteTelemetry,
    "ask": AskSettings,
}
"""The tables of a file, such as that of `ask.retries`."""

PREFIX = "TETHER_"

HEAD = """\
# Settings of `tether` for this project. Flags and TETHER_* variables override this file;
# unset settings come from the user's file, or have the default shown in the comments.
# Paths are relative to this file. Never write a key here: `api_key_env` NAMES a variable.
"""
EXAMPLES = {
    "docs": '["docs"]',
    "index": '"handbook"',
    "data": '"/var/lib/tether"',
    "web": '["docs.example.org"]',
    "tools": '["math", "unit_conversion"]',
    "temperature": "0.2",
    "timeout": "120.0",
}
"""Shown instead of a default that does not show the form."""


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
        """The flag that sets it, in commands that have it."""
        return "--" + self.key.rpartition(".")[2].replace("_", "-")


SETTINGS: tuple[Setting, ...] = (
    Setting("docs", Documents(), "A folder, a file or an address to answer from."),
    Setting("index", IndexPlace(), "The name or the folder of the index."),
    Setting("data", Folder(), "The folder of the indexes that have names."),
    Setting("wait", Switch(), "Wait for the vectors of a new index before the first answer."),
    Setting("store", StorePlace(), "Where conversations are kept: a file, or postgresql://…"),
    Setting(
        "model",
        ModelPlace(),
        "extractive, a .gguf file, an endpoint's base address, or ollama/NAME and the like.",
    ),
    Setting("model_name", Line(), "The endpoint's name for the model."),
    Setting("api_key_env", Variable(), "The NAME of the variable with the endpoint's key."),
    Setting("wire", Choice(get_args(WireName)), "The protocol of the endpoint."),
    Setting("style", Choice(get_args(StyleChoice)), "How the model has to cite."),
    Setting("web", Hosts(), "A host whose pages a model with tools may read."),
    Setting("tools", Names(COMPUTING), "Categories of the toolbox for a model with tools."),
    Setting(
        "window", Whole(0, 10_000_000), "The model's window in tokens; 0: as its profile says."
    ),
    Setting("temperature", Decimal(0, 2), "How freely the model writes; unset: its default."),
    Setting("timeout", Decimal(1, 86_400), "Seconds for one answer; unset: 120, of a file 900."),
    Setting("threads", Whole(0, 1_024), "Threads of a model in a file; 0: as many as fit."),
    Setting("gpu_layers", Whole(0, 1_000), "Layers of a model in a file that a GPU runs."),
    Setting("judge", Choice(get_args(JudgeChoice)), "Let the judge read the first passages."),
    Setting(
        "verifier", VerifierPlace(), "What verifies statements: shipped, none, or an .onnx file."
    ),
    Setting("offline", Switch(), "Refuse every connection except to model and store."),
    Setting("owner", Line(), "Whose conversations and memories these are."),
    Setting("embedder.url", Address(), "An embedder at an endpoint, in place of the included."),
    Setting("embedder.model", Line(), "The endpoint's name for it."),
    Setting("embedder.dimensions", Whole(0, 100_000), "The length of its vectors."),
    Setting("embedder.api_key_env", Variable(), "The NAME of the variable with its key."),
    Setting("embedder.question_prefix", Line(), "Put before each question."),
    Setting("embedder.passage_prefix", Line(), "Put before each passage."),
    Setting("reranker.url", Address(), "A judge of passages at a rerank endpoint."),
    Setting("reranker.shape", Choice(get_args(RerankShape)), "The form of its requests."),
    Setting("reranker.model", Line(), "The endpoint's name for it; tei needs none."),
    Setting("reranker.api_key_env", Variable(), "The NAME of the variable with its key."),
    Setting("web_search.url", Address(), "A web search for a model with tools."),
    Setting("web_search.shape", Choice(get_args(SearchShape)), "The form of its requests."),
    Setting("web_search.api_key_env", Variable(), "The NAME of the variable with its key."),
    Setting("telemetry.url", Address(), "A collector that turns are reported to, by OTLP."),
    Setting("telemetry.content", Switch(), "Report texts, too."),
    Setting("ask.retries", Whole(0, 10), "How often a failed answer is retried."),
    Setting("ask.passages", Whole(0, 64), "How many passages a model is shown at most; 0: as fit."),
    Setting(
        "ask.evidence_tokens",
        Whole(0, 10_000_000),
        "How many tokens they may take at most; 0: as fit.",
    ),
    Setting(
        "ask.patience", Decimal(0, 86_400), "Seconds for a local model to read them; 0: any time."
    ),
    Setting("ask.rewrite", Switch(), "Resolve the references of a follow-up before the search."),
    Setting("ask.hypothesis", Switch(), "Search also by a made-up paragraph of the model."),
    Setting("ask.variants", Whole(0, 8), "Search also by this many variants of the question."),
    Setting("ask.follow_ups", Switch(), "Consider the passages that the last answer cited."),
    Setting("ask.address_check", Switch(), "Check that the quotes address the question."),
    Setting(
        "ask.second_opinion", Switch(), "Let the model confirm each statement beside its quote."
    ),
    Setting("ask.code", Choice(get_args(CodePolicy)), "Whether an answer may contain code."),
    Setting("ask.neighbours", Whole(0, 64), "How many passages beside the best ones are added."),
    Setting("ask.seconds", Decimal(0, 86_400), "When no further attempt begins; 0: any time."),
    Setting("ask.tool_calls", Whole(0, 1_000), "How many calls a turn may make; 0: any number."),
    Setting(
        "ask.output_tokens", Whole(0, 10_000_000), "How much a model may write; 0: any amount."
    ),
    Setting("ask.rounds", Whole(0, 20), "How many rounds of tool calls a turn may have."),
    Setting("ask.history", Whole(0, 100), "How many earlier exchanges the model sees."),
    Setting("ask.memories", Whole(0, 100), "How many memories the model sees."),
    Setting("ask.remember", Switch(), "Remember facts that people state about themselves."),
    Setting("ask.tier", Choice(TRUST_TIERS), "The trust tier of the documents."),
)

BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}


def defaults() -> dict[str, Any]:
    """Return the default of every setting, by key."""
    return values_of(Settings())


def values_of(settings: Settings) -> dict[str, Any]:
    """Return every value by its key."""
    own = {item.name: getattr(settings, item.name) for item in fields(settings)}
    tables = {name: own.pop(name) for name in TABLES}
    return own | {
        f"{name}.{item.name}": getattr(table, item.name)
        for name, table in tables.items()
        for item in fields(table)
    }


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Return the settings with these values by key."""
    own = {key: value for key, value in values.items() if "." not in key}
    tables = {name: make(**_below(name, values)) for name, make in TABLES.items()}
    return replace(Settings(), **own, **tables)


def _below(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    before = f"{table}."
    return {key.removeprefix(before): it for key, it in values.items() if key.startswith(before)}


def unknown(key: str) -> str:
    """Return the problem of an unknown key, with the most similar setting."""
    if key in TABLES:
        return f"must be a table: write [{key}] and its settings below"
    near = get_close_matches(key, BY_KEY, n=1, cutoff=0.5)
    if not near:
        last = {name.rpartition(".")[2]: name for name in BY_KEY}
        near = [last[name] for name in get_close_matches(key.rpartition(".")[2], last, n=1)]
    hint = f"did you mean {near[0]}?" if near else "`tether config show` lists them all"
    return f"is not a setting; {hint}"


def template(docs: Iterable[str] = ()) -> str:
    """Return the text of a project's file, with `docs` set if there are any."""
    given = list(docs)
    own = [setting for setting in SETTINGS if "." not in setting.key]
    lines = [HEAD]
    for setting in own:
        if setting.key == "docs" and given:
            lines += [f"# {setting.help}", f"docs = {_toml(given)}"]
        else:
            lines += _commented(setting)
    for name in TABLES:
        lines += ["", f"[{name}]"]
        for setting in SETTINGS:
            if setting.key.startswith(f"{name}."):
                lines += _commented(setting)
    return "\n".join(lines) + "\n"


def _commented(setting: Setting) -> list[str]:
    name = setting.key.rpartition(".")[2]
    value = EXAMPLES.get(setting.key) or _toml(defaults()[setting.key])
    return [f"# {setting.help}", f"# {name} = {value}"]


def _toml(value: Any) -> str:
    """Return a value as TOML; JSON writes these kinds the same way, in ASCII."""
    return json.dumps(str(value) if isinstance(value, Path) else value)
