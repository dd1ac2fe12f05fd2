"""The index of an agent, brought in step with its documents before it answers."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tether.app.commands.index_report import left_out_lines
from tether.app.index_floor import fit_if_due, no_floor
from tether.app.indexes import no_index, only_with_documents
from tether.app.progress import progress_of_steps
from tether.app.search import AT_ONCE, SearchParts, is_behind, make_index, open_index
from tether.app.search_models import SearchModels
from tether.app.settings.places import identity
from tether.app.settings.values import Settings, is_web_address
from tether.app.sources import Check, OpenSources, never, state_line, with_sources
from tether.app.terminal.screen import notify
from tether.app.vector_note import failure, running, stop
from tether.app.vector_process import start
from tether.core.errors import InputRefused
from tether.retrieval.errors import IndexLocked, IndexMissing, SourceUnavailable
from tether.retrieval.index.index import ApplyReport, Index
from tether.retrieval.index.parts import Step
from tether.retrieval.index.status import Status, is_left_out
from tether.text.numbers import counted

PATIENCE_S = 10.0
"""So long the documents wait for a process that adds vectors, which writes for moments."""

PAUSE_S = 0.1
BEHIND = "Note: vectors are still being added; later answers may be better."
HOW_FAR = "`tether index status` shows how far they are."
MOST_FAILURES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSync:
    """Keeps one index in step. `check` is called repeatedly and raises to stop the work.

    With `floor=False` a new index gets no floor, because the caller fits a better one.
    """

    settings: Settings
    check: Check = never
    floor: bool = True

    def index(self) -> Index:
        """Return the index, created or brought in step if the settings name documents.

        If that is not possible now (a site is down, another process writes to the index), standard
        error says so and the index stays as it is. Raises `IndexMissing` if there are neither
        documents nor an index, `InputRefused` for an index of other documents.
        """
        status = self._status()
        if status is None and not self.settings.docs:
            raise no_index(self.settings)
        if self.settings.docs:
            addresses = _addresses(self.settings, () if status is None else status.sources)
            try:
                self._sync_patiently(addresses, status)
            except (IndexLocked, SourceUnavailable) as error:
                if status is None:
                    raise
                notify(f"The documents were not checked for changes: {error.message}")
        return open_index(self.settings.index)

    def refresh(self, addresses: Sequence[str]) -> None:
        """Bring the index in step with some of its sources, whatever the settings name.

        Raises `IndexMissing`, `IndexLocked` and `SourceUnavailable`.
        """
        self._sync_patiently(addresses, open_index(self.settings.index).status())

    def _sync_patiently(self, addresses: Sequence[str], status: Status | None) -> None:
        """Sync, and try again while the process that adds vectors writes."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self._sync(addresses, status)
            except IndexLocked:
                if running(self.settings.index) is None or time.monotonic() > until:
                    raise
                self.check()
                time.sleep(PAUSE_S)

    def _status(self) -> Status | None:
        try:
            return open_index(self.settings.index).status()
        except IndexMissing:
            return None

    def _sync(self, addresses: Sequence[str], status: Status | None) -> None:
        if not addresses:
            return
        models = SearchModels.of(self.settings)
        embedder = models.embedder()
        index = make_index(self.settings.index)
        if self._waits:
            stop(index.folder)  # this process does its work
        is_settled = status is not None and self._is_settled(status)
        with progress_of_steps() as progress:

            def hear_step(step: Step) -> None:
                self.check()
                progress(step)

            def work(opened: OpenSources) -> ApplyReport | None:
                hear = opened.checked(hear_step)
                plan = index.plan(*opened.sources, progress=hear)
                if plan.is_empty and not plan.outcomes and is_settled:
                    index.mark_in_step()
                    return None
                most = None if self._waits else AT_ONCE
                return index.apply(plan, embedder=embedder, most=most, progress=hear)

            with only_with_documents(index):
                report = with_sources(index, addresses, work)
        if report is not None:
            before = () if status is None else (*status.troubled, *status.left_out)
            _tell_report(report, {state.key for state in before})
        if self.floor:
            fit_if_due(index, self.settings.judge, models, check=self.check)
        if not self._waits:
            self._leave_vectors(index)

    @property
    def _waits(self) -> bool:
        """Whether all vectors are added here: in CI the machine goes away after the command."""
        return self.settings.wait or bool(os.environ.get("CI"))

    def _is_settled(self, status: Status) -> bool:
        """Return whether this process has no vectors to add."""
        is_left = is_behind(status.chunks, status.embedded) and not self._waits
        return status.embedded == status.chunks or is_left

    def _leave_vectors(self, index: Index) -> None:
        """Let vectors that many passages lack be added by a process behind the answer."""
        found = index.generation()
        if not is_behind(found.size, found.embedded):
            return
        if why := failure(index.folder):
            notify(f"Note: vectors could not be added: {why}. Try `tether index embed`.")
            return
        try:
            start(self.settings)
        except OSError as error:
            notify(f"Note: no process adds vectors: {error}. `tether index embed` does.")
        else:
            notify(f"{BEHIND} {HOW_FAR}")


@contextmanager
def opened_search(settings: Settings, *, check: Check = never) -> Generator[SearchParts]:
    """Yield the parts that search the index, first brought in step if the settings name documents.

    `check` is called repeatedly and raises to stop the work. If no floor decides, standard
    error says so. Raises `IndexMissing`, which names the two commands that make an index, and the
    errors of opening one.
    """
    with searched(IndexSync(settings=settings, check=check).index(), settings) as search:
        yield search


@contextmanager
def searched(index: Index, settings: Settings) -> Generator[SearchParts]:
    """Yield the parts that search an index as it is; raises the errors of opening it."""
    with index.snapshot() as snapshot:
        search = SearchParts.of(snapshot, settings.judge, SearchModels.of(settings))
        if search.floor is None:
            is_fitted = snapshot.calibration is not None
            notify(f"Note: {no_floor(snapshot.size, is_fitted=is_fitted)}.")
        yield search


def _addresses(settings: Settings, known: Sequence[str]) -> list[str]:
    """Return the addresses to read, by the names that the index has for them.

    Offline, indexed pages of the web stay as they are. Raises `InputRefused` if the index contains
    only other documents, because answers would come from those too.
    """
    names = {identity(name): name for name in known}
    wanted = {identity(address): address for address in settings.docs}
    if known and not wanted.keys() & names.keys():
        found = f"the index in {settings.index} contains {', '.join(known)}"
        raise InputRefused(f"{found}, not {settings.docs[0]}; name another folder with --index")
    return [
        names.get(place, address)
        for place, address in wanted.items()
        if not (settings.offline and is_web_address(address) and place in names)
    ]


def _tell_report(report: ApplyReport, known: Collection[str]) -> None:
    """Count the documents that failed, and name those not in the index that are new."""
    failed = [state for state in report.states if state.state == "failed"]
    for state in [it for it in failed if it.key not in known][:MOST_FAILURES]:
        notify(state_line(state))
    if failed:
        count = counted(len(failed), "document")
        notify(f"{count} could not be read; `tether index status` lists the reasons.")
    left_out = [it for it in report.states if is_left_out(it) and it.key not in known]
    for line in (*left_out_lines(left_out), *report.notes):
        notify(line)
