"""What a value of a project's file would reach outside the project's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
from tether.app.settings.values import (
    EXTRACTIVE,
    NO_VERIFIER,
    SHIPPED,
    hidden,
    is_postgres,
    is_web_address,
    shown_variable,
)

HARMLESS = (Choice, Decimal, Line, Names, Switch, Whole)
"""Kinds whose values never name a place."""

WITH_KEY = "(and the key, if you set one)"

VERBS: dict[type[Kind], str] = {
    Address: f"sends texts {WITH_KEY} to",
    Documents: "reads",
    Folder: "writes to",
    IndexPlace: "writes to",
    StorePlace: "keeps conversations in",
    Hosts: "lets a model read pages of",
    Variable: "sends the key in",
}


def reach(kind: Kind, value: Any, folder: Path) -> str:
    """Say what a value would read, write, run or call beyond a folder; "" for nothing.

    A kind that is not known here always reaches something: a new one has to be thought about. Model
    files count wherever they are, as they are programs for the engine that runs them.
    """
    if isinstance(kind, HARMLESS):
        return ""
    if isinstance(kind, ModelPlace | VerifierPlace):
        return _model(value)
    named = [str(each) for each in (value if isinstance(value, tuple) else (value,))]
    if isinstance(kind, Documents | Folder | IndexPlace | StorePlace):
        named = [_elsewhere(each, folder) for each in named]
    else:
        named = [(shown_variable if isinstance(kind, Variable) else hidden)(it) for it in named]
    return _named(VERBS.get(type(kind), "is set to"), *named)


def is_outside(path: Path, folder: Path) -> bool:
    """Return whether a path leads out of a folder, also through a link on its way."""
    return not path.resolve().is_relative_to(folder.resolve())


def _elsewhere(place: str, folder: Path) -> str:
    """Return an address, or where a path really leads, as it may be shown; "" within the folder."""
    if is_web_address(place) or is_postgres(place):
        return hidden(place)
    return str(Path(place).resolve()) if is_outside(Path(place), folder) else ""


def _named(what: str, *places: str) -> str:
    named = [place for place in places if place]
    return f"{what} {', '.join(named)}" if named else ""


def _model(value: str) -> str:
    if value in (EXTRACTIVE, SHIPPED, NO_VERIFIER):
        return ""
    if is_web_address(value):
        return _named(f"sends questions and passages {WITH_KEY} to", hidden(value))
    return _named("runs", str(Path(value).resolve()))
