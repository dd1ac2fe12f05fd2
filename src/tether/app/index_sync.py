"""The index of an agent, brought in step with its documents before it answers."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tether.app.commands.index_report import left_out_lines
from tether.app.index_floor import fit_if_due, no_floor
from tether.app.progress import progress_of_steps
from tether.app.search import SearchParts, make_index, open_index
from tether.app.search_models import SearchModels
from tether.app.settings.values import Settings, is_web_address
from tether.app.sources import Check, OpenSources, identity, never, state_line, with_sources
from tether.app.terminal.screen import notify
from tether.core.errors import InputRefused
from tether.retrieval.errors import IndexLocked, IndexMissing, SourceUnavailable
from tether.retrieval.index.index import ApplyReport, Index
from tether.retrieval.index.parts import Step
from tether.retrieval.index.status import Status, is_left_out
from tether.text.numbers import counted

MOST_FAILURES = 3
HOW = "Make one with `tether index apply FOLDER`, or ask with `--docs FOLDER`."


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
            raise IndexMissing(f"there is no index in {self.settings.index}", help=HOW)
        if self.settings.docs:
            addresses = _addresses(self.settings, () if status is None else status.sources)
            try:
                self._sync(addresses, status)
            except (IndexLocked, SourceUnavailable) as error:
                if status is None:
                    raise
                notify(f"The documents were not checked for changes: {error.message}")
        return open_index(self.settings.index)

    def _status(self) -> Status | None:
        try:
            return open_index(self.settings.index).status()
        except IndexMissing:
            return None

    def _sync(self, addresses: Sequence[str], status: Status | None) -> None:
        if not addresses:
            return
        index = make_index(self.settings.index)
        models = SearchModels.of(self.settings)
        is_embedded = status is not None and status.embedded == status.chunks
        with progress_of_steps() as progress:

            def hear_step(step: Step) -> None:
                self.check()
                progress(step)

            def work(opened: OpenSources) -> ApplyReport | None:
                hear = opened.checked(hear_step)
                plan = index.plan(*opened.sources, progress=hear)
                if plan.is_empty and not plan.outcomes and is_embedded:
                    return None
                return index.apply(plan, embedder=models.embedder(), progress=hear)

            report = with_sources(index, addresses, work)
        if report is not None:
            before = () if status is None else (*status.troubled, *status.left_out)
            _tell_report(report, {state.key for state in before})
        if self.floor:
            fit_if_due(index, self.settings.judge, models, check=self.check)


@contextmanager
def opened_search(settings: Settings, *, check: Check = never) -> Generator[SearchParts]:
    """Yield the parts that search the index, first brought in step if the settings name documents.

    `check` is called repeatedly and raises to stop the work. If no floor decides, standard
    error says so. Raises `IndexMissing`, which names the two commands that make an index, and the
    errors of opening one.
    """
    index = IndexSync(settings=settings, check=check).index()
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
