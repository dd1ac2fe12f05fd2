"""The index of an agent, brought in step with its documents before it is asked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import click

from tether.app.addresses import identity
from tether.app.parts import Searching, open_index
from tether.app.printing import shown
from tether.app.progress import progress_of_questions, progress_of_steps
from tether.app.reading_sources import Reading, with_sources
from tether.app.settings.values import Settings, is_endpoint
from tether.core.errors import (
    CalibrationImpossible,
    IndexLocked,
    IndexMissing,
    InputRefused,
    SourceUnavailable,
)
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.floor.asking import questions_from_corpus
from tether.retrieval.floor.calibrate import calibrate
from tether.retrieval.index.defaults import default_parts
from tether.retrieval.index.index import ApplyReport, Index
from tether.retrieval.index.parts import Step
from tether.retrieval.index.status import Status
from tether.retrieval.search.settings import SearchSettings

QUESTIONS = 40
"""So many questions fit the first floor: enough for a threshold, few enough to be quick."""

LEAST_PASSAGES = 20
"""Below this a floor is not tried: each passage makes one question at most, and it needs 20."""

HOW = "Make one with `tether index apply FOLDER`, or ask with `--docs FOLDER`."

Check = Callable[[], None]


def never() -> None:
    """Go on: what stops work in this thread is a signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """Keeps one index in step. `check` is called now and then and raises to stop the work.

    Without `floor` a new index gets none: somebody is about to fit a better one.
    """

    settings: Settings
    check: Check = never
    floor: bool = True

    def index(self) -> Index:
        """Return the index, made or brought in step where the settings name documents.

        What cannot be looked at now (a site that is down, an index that another process writes)
        is told on standard error, and what is there answers. Raises `IndexMissing` where neither
        documents nor an index are there, `InputRefused` for an index of other documents.
        """
        status = self._status()
        if status is None and not self.settings.docs:
            raise IndexMissing(f"there is no index in {self.settings.index}", help=HOW)
        if self.settings.docs:
            addresses = _addresses(self.settings, () if status is None else status.sources)
            try:
                self._sync(addresses, status)
            except (IndexLocked, SourceUnavailable) as error:
                if status is None:
                    raise
                _tell(f"The documents were not looked at again: {error.message}")
        return open_index(self.settings.index)

    def _status(self) -> Status | None:
        try:
            return open_index(self.settings.index).status()
        except IndexMissing:
            return None

    def _sync(self, addresses: Sequence[str], status: Status | None) -> None:
        if not addresses:
            return
        index = Index.create(self.settings.index, default_parts())
        is_embedded = status is not None and status.embedded == status.chunks
        with progress_of_steps() as progress:

            def work(reading: Reading) -> ApplyReport | None:
                def hear(step: Step) -> None:
                    self.check()
                    reading.check()
                    progress(step)

                plan = index.plan(*reading.sources, progress=hear)
                if plan.is_empty and not plan.outcomes and is_embedded:
                    return None
                return index.apply(plan, embedder=MiniLm(), progress=hear)

            report = with_sources(index, addresses, work)
        if report is not None:
            _tell_report(report)
            if self.floor and (status is None or not status.is_calibrated):
                self._calibrate(index)

    def _calibrate(self, index: Index) -> None:
        """Fit a first floor, quickly: `tether calibrate` takes its time and fits a better one."""
        judged = SearchSettings().judged if self.settings.judge == "on" else 0
        with index.snapshot() as snapshot, progress_of_questions("Fitting the floor") as progress:
            if snapshot.size < LEAST_PASSAGES:
                return

            def hear(done: int, total: int) -> None:
                self.check()
                progress(done, total)

            searching = Searching.uncalibrated(snapshot, judged=judged)
            asked = questions_from_corpus(snapshot, count=QUESTIONS, seed=0)
            retriever, parts = searching.retriever(), searching.floor_parts
            try:
                fitted = calibrate(retriever, asked, parts, source="corpus", progress=hear)
            except CalibrationImpossible as error:
                _tell(f"The floor was not fitted: {error.message}")
                return
            text = replace(fitted, judged=judged).to_json()
            index.store_calibration(text, generation=snapshot.generation)


@contextmanager
def opened_searching(settings: Settings, *, check: Check = never) -> Generator[Searching]:
    """Yield what searches the index, brought in step first where the settings name documents.

    `check` is called now and then meanwhile, and raises to stop it. Raises `IndexMissing` with the
    two commands that make one, and what opening an index raises.
    """
    index = Keeping(settings=settings, check=check).index()
    with index.snapshot() as snapshot:
        yield Searching.of(snapshot, settings.judge)


def _addresses(settings: Settings, known: Sequence[str]) -> list[str]:
    """Return what to look at, under the names that the index knows it by.

    Offline, what is on the web stays as it is where it is known. Raises `InputRefused` where the
    index holds other documents only: answers would come from those too.
    """
    names = {identity(name): name for name in known}
    wanted = {identity(address): address for address in settings.docs}
    if known and not wanted.keys() & names.keys():
        told = f"the index in {settings.index} holds {', '.join(known)}"
        raise InputRefused(f"{told}, not {settings.docs[0]}; name another folder with --index")
    return [
        names.get(place, address)
        for place, address in wanted.items()
        if not (settings.offline and is_endpoint(address) and place in names)
    ]


def _tell_report(report: ApplyReport) -> None:
    failed = sum(state.state == "failed" for state in report.states)
    if failed:
        _tell(f"{failed} documents could not be read; `tether index status` names them.")
    for note in report.notes:
        _tell(note)


def _tell(text: str) -> None:
    click.echo(shown(text), err=True)
