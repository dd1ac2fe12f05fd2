"""The checks of `tether doctor`: machine, index, store, model and verifier."""

from __future__ import annotations

import http.client
import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tether.app.index_floor import no_floor
from tether.app.indexes import HOW
from tether.app.model_list import absent_advice, listing_of, unknown_advice
from tether.app.models import model_of
from tether.app.search import SearchParts, open_index
from tether.app.settings.short_models import product_at
from tether.app.settings.values import EXTRACTIVE, Settings, hidden
from tether.app.store import opened_store
from tether.app.verifier import verifier_of
from tether.ask.errors import InvalidSettings, VerifierFailed
from tether.ask.verification.port import Claim
from tether.batteries.storage.sql.schema import MIGRATIONS
from tether.batteries.storage.sql.sqlite_connection import open_reader
from tether.core.errors import TetherError
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.errors import (
    CalibrationMismatch,
    EmbeddingFailed,
    IndexMissing,
    JudgeFailed,
)
from tether.retrieval.judge import OnnxJudge
from tether.text.numbers import counted

if TYPE_CHECKING:
    from tether.app.search_models import SearchModels
    from tether.retrieval.index.index import Index
    from tether.retrieval.index.status import Status

State = Literal["fine", "note", "problem"]
"""Nothing to do; worth knowing; prevents an answer."""


MENDED_PYTHONS = {(3, 11): 14, (3, 12): 12, (3, 13): 6}
"""The first releases in which the HTML parser is not quadratic on hostile pages."""

MENDED_SQLITE = (3, 51, 3)
NEWEST_SCHEMA = max(migration.version for migration in MIGRATIONS)
TRIED = "A volume keeps its data."
VERIFIER_HELP = "Install tether again, or name another file with --verifier."
SEARCH_HELP = "Install it, or search by words alone: `tether index apply --no-embeddings`."
LEAST_DISK = 100_000_000
LITTLE_DISK = 1_000_000_000

EXTRAS: dict[str, tuple[str, str]] = {
    "local": ("xllamacpp", "models in .gguf files"),
    "models": ("httpx2", "models behind an endpoint, and documents on the web"),
    "pdf": ("pypdf", "documents in PDF"),
    "postgres": ("psycopg", "a store on a PostgreSQL server"),
    "tools": ("babel", "the tools of the toolbox"),
    "otel": ("opentelemetry", "traces for OpenTelemetry"),
}
"""By the name of an extra: a package that belongs to it, and its purpose."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; `advice` says what to do, "" if nothing."""

    name: str
    state: State
    text: str
    advice: str = ""


def python_finding(version: tuple[int, int, int] = sys.version_info[:3]) -> Finding:
    """Check the interpreter."""
    text = ".".join(map(str, version))
    mended = MENDED_PYTHONS.get(version[:2], 0)
    if version[2] >= mended:
        return Finding("python", "fine", text)
    text = f"{text} has a slow HTML parser (CVE-2025-6069), which tether does not use"
    wanted = f"{version[0]}.{version[1]}.{mended}"
    return Finding("python", "note", text, f"Update to Python {wanted} or later.")


def sqlite_finding(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> Finding:
    """Check the SQLite of the interpreter."""
    text = ".".join(map(str, version))
    if version >= MENDED_SQLITE:
        return Finding("sqlite", "fine", text)
    text = f"{text} can damage a file that two connections write and checkpoint at once"
    done = "the store is safe, because a lock file lets one process write at a time"
    advice = "Nothing to do; do not open the store with another program while tether runs."
    return Finding("sqlite", "note", f"{text}; {done}", advice)


def extra_findings() -> Iterator[Finding]:
    """Check for the optional packages."""
    for name, (package, purpose) in EXTRAS.items():
        if find_spec(package) is not None:
            yield Finding(f"extra {name}", "fine", f"installed, for {purpose}")
        else:
            advice = f"If you need it: pip install 'tether[{name}]'."
            yield Finding(f"extra {name}", "note", f"not installed; for {purpose}", advice)


def search_findings() -> Iterator[Finding]:
    """Check the files of the included embedder and judge, which are installed by themselves."""
    for name, made in (("embedder", MiniLm()), ("judge", OnnxJudge())):
        try:
            yield Finding(name, "fine", made.fingerprint)
        except (EmbeddingFailed, JudgeFailed) as error:
            yield Finding(name, "problem", error.message, SEARCH_HELP)


def disk_finding(folder: Path) -> Finding:
    """Check the free space for a folder, which may not exist yet."""
    place = next(it for it in (folder.absolute(), *folder.absolute().parents) if it.exists())
    free = shutil.disk_usage(place).free
    text = f"{free / 1e9:.1f} GB free in {place}"
    if free < LEAST_DISK:
        return Finding(
            "disk", "problem", text, "Free some space: writing an index or a store will fail."
        )
    if free < LITTLE_DISK:
        return Finding("disk", "note", text, "Free some space before you index much.")
    if not os.access(place, os.W_OK):
        advice = "Name another place with --index and --store, or TETHER_DATA and TETHER_STORE."
        return Finding("disk", "problem", f"{place} cannot be written to", advice)
    return Finding("disk", "fine", text)


def terminal_finding(environ: Mapping[str, str], *, is_terminal: bool, encoding: str) -> Finding:
    """Check the output stream."""
    if encoding.lower().replace("-", "") != "utf8":
        text = f"the output is encoded as {encoding}, which lacks most characters"
        return Finding("terminal", "note", text, "Set PYTHONUTF8=1, or a locale with UTF-8.")
    if not is_terminal:
        return Finding("terminal", "fine", "not a terminal: plain output without colours and bars")
    plain = "NO_COLOR" in environ or environ.get("TERM", "") in ("", "dumb")
    return Finding("terminal", "fine", "without colours" if plain else "with colours")


def index_findings(
    folder: Path, *, docs: tuple[str, ...], models: SearchModels | None = None
) -> Iterator[Finding]:
    """Check every byte of the index in a folder, and its floor."""
    try:
        kept = open_index(folder)
        status = kept.status()
        damages = kept.check()
    except IndexMissing:
        if docs:
            yield Finding("index", "fine", f"not in {folder} yet; the first question creates it")
        else:
            yield Finding("index", "problem", f"not found in {folder}", HOW)
        return
    except TetherError as error:
        yield Finding("index", "problem", error.message, error.help)
        return
    for damage in damages:
        advice = "Run `tether index rollback`, or `tether index apply --recreate SOURCE`."
        yield Finding("index", "problem", f"{damage.file} is damaged: {damage.what}", advice)
    yield _content(status)
    yield _floor(kept, status, models)


def _content(status: Status) -> Finding:
    held = f"{counted(status.documents, 'document')}, {counted(status.chunks, 'passage')}"
    text = f"generation {status.generation}, {held}"
    if not status.chunks:
        return Finding("index", "problem", text, "Index something: `tether index apply FOLDER`.")
    if status.troubled:
        text = f"{text}; {counted(len(status.troubled), 'document')} could not be read"
        return Finding("index", "note", text, "`tether index status` names them, with reasons.")
    if status.embedded < status.chunks:
        text = f"{text}, {status.chunks - status.embedded} of them without vectors"
        return Finding("index", "note", text, "Run `tether index embed`.")
    return Finding("index", "fine", text)


def _floor(kept: Index, status: Status, models: SearchModels | None) -> Finding:
    if not status.is_calibrated:
        text = no_floor(status.chunks)
        return Finding("floor", "note", text, "`tether index apply` fits one where it can.")
    try:
        with kept.snapshot() as snapshot:
            SearchParts.of(snapshot, models=models)
    except CalibrationMismatch as error:
        return Finding("floor", "problem", error.message, error.help)
    if status.calibration_is_stale:
        text = "calibrated, but the documents have changed since"
        return Finding("floor", "note", text, "Run `tether calibrate` again if much has changed.")
    return Finding("floor", "fine", "calibrated")


async def server_finding(settings: Settings) -> Finding:
    """Check a store on a server by opening it."""
    place = hidden(settings.store)
    try:
        async with opened_store(settings):
            return Finding("store", "fine", f"{place} answers")
    except TetherError as error:
        advice = error.help or "Check the address, and whether the server runs."
        return Finding("store", "problem", error.message, advice)


def store_findings(path: Path) -> Iterator[Finding]:
    """Check every page of a store's file, without writing to it."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        yield Finding("store", "fine", f"not at {path} yet; the first answer creates it")
        return
    except OSError as error:
        yield _unreadable(path, error.strerror or type(error).__name__)
        return
    try:
        with closing(open_reader(path)) as connection:
            yield _checked(connection, path)
    except sqlite3.Error as error:
        yield _unreadable(path, str(error))
    if stat.S_IMODE(mode) & 0o077:
        text = f"others can read {path} (mode {stat.S_IMODE(mode):o})"
        yield Finding("store", "note", text, f"Run: chmod 600 {path}")


def _checked(connection: sqlite3.Connection, path: Path) -> Finding:
    damages = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    if damages != ["ok"]:
        advice = "Restore a backup, or move it away; `sqlite3 FILE .recover` saves most of it."
        return Finding("store", "problem", f"{path} is damaged: {'; '.join(damages)}", advice)
    (version,) = connection.execute("SELECT max(version) FROM tether_schema").fetchone()
    if version > NEWEST_SCHEMA:
        text = f"{path} was made by a newer version (schema {version}, supported: {NEWEST_SCHEMA})"
        return Finding("store", "problem", text, "Update tether, or name another --store.")
    return Finding("store", "fine", f"{path}, schema {version}, no damage found")


def _unreadable(path: Path, why: str) -> Finding:
    advice = "Check its permissions, restore a backup, or name another --store."
    return Finding("store", "problem", f"{path} cannot be read as a store: {why}", advice)


def model_finding(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> Finding:
    """Check the model of the settings; an endpoint only has to respond."""
    try:
        made = model_of(settings, environ=environ)
    except TetherError as error:
        return Finding("model", "problem", error.message, error.help)
    if settings.model == EXTRACTIVE:
        return Finding("model", "fine", "extractive: it quotes and needs no language model")
    if not settings.is_endpoint:
        return Finding("model", "fine", f"{settings.model}, {made.profile.window} tokens")
    answered = endpoint_finding(settings, environ=environ)
    if answered.state != "fine" or made.profile.known or settings.window:
        return answered
    text = f"{answered.text}; {made.name} is unknown, so a window of {made.profile.window} tokens"
    return Finding("model", "note", f"{text} is assumed", "Set its window in tokens: window = N.")


def verifier_finding(name: str) -> Finding:
    """Check the verifier of a name by letting it read a sentence beside itself."""
    try:
        verifier = verifier_of(name)
    except InvalidSettings as error:
        return Finding("verifier", "problem", error.message, VERIFIER_HELP)
    if verifier is None:
        text = "none: an answer shows only sentences that stand in the documents as they are"
        return Finding("verifier", "note", text, "If that is not meant: verifier = 'shipped'.")
    try:
        verifier.verify([Claim(TRIED, TRIED)])
        found = verifier.fingerprint
    except VerifierFailed as error:
        text = f"{error.message}; an answer shows only words of the documents"
        return Finding("verifier", "note", text, error.help or VERIFIER_HELP)
    bounds = f"supported from {verifier.supported_at:g}, denied from {verifier.contradicted_at:g}"
    return Finding("verifier", "fine", f"{found}, {bounds}")


def endpoint_finding(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> Finding:
    """Request the list of models from an endpoint: any response shows that it is there.

    The key is not sent, because it is not needed.
    """
    place, product = hidden(settings.model), product_at(settings.model, environ)
    if settings.offline:
        return Finding("model", "fine", f"{place} was not called, because of --offline")
    try:
        found = listing_of(settings.model, settings.wire)
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = str(error) or type(error).__name__
        advice = absent_advice(place, product, settings.model_name)
        return Finding("model", "problem", f"{place} does not answer: {why}", advice)
    if found.status >= 500:
        advice = "See the log of the server."
        return Finding("model", "problem", f"{place} answers with status {found.status}", advice)
    if not found.has(settings.model_name) and not (product is not None and product.single):
        advice = unknown_advice(place, product, settings.model_name, found)
        return Finding("model", "problem", f"{place} does not have the model", advice)
    return Finding("model", "fine", f"{place} answers")
