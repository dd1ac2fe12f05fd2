"""What an answer by quotation costs, stage by stage, in milliseconds of processor time.

    python -m bench.quoting --index FOLDER --questions FILE [--every N] [--write]

FILE has questions as `tether eval answers` reads them, over the documents of the index. Each stage
is run by itself as the agent runs it; "whole answer" is the agent with everything that is left:
the turn, the store, the gate. The first question, which loads the models, is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, quantiles
from tempfile import TemporaryDirectory

from bench.page import line, write_section

from tether.app.agent import opened_agent
from tether.app.options import settings_under
from tether.app.search import SearchParts, open_index
from tether.ask.citations.address import JudgedAddress
from tether.ask.citations.passage import Passage
from tether.ask.evaluation.questions import load_questions
from tether.ask.evidence import Citable
from tether.ask.library import IndexLibrary
from tether.ask.quoting.selection import Selection
from tether.ask.settings import AskSettings
from tether.retrieval.query import Query

STAGES = ("search and floor", "reading the pages", "units", "features", "judge", "whole answer")


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.quoting", description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write docs/measurements.md")
    options = parser.parse_args()
    asked = [one.ask for one in load_questions(options.questions).questions]
    table = _table(asked[:: options.every], options.index)
    print(table)
    if options.write:
        write_section("quoting", table)


def _table(questions: Sequence[str], index: Path) -> str:
    whole = asyncio.run(_answers(questions, index))
    with open_index(index).snapshot() as snapshot:
        search = SearchParts.of(snapshot)
        library = IndexLibrary(snapshot, search.answering("quotes"))
        check = JudgedAddress(search.judge)
        stages = [list(_stages(question, library, check)) for question in questions][1:]
    rows = [[*stage, total] for stage, total in zip(stages, whole, strict=True)]
    lines = [line(("stage", "mean", "95 %")), line(("---",) * 3)]
    for name, found in zip(STAGES, zip(*rows, strict=True), strict=True):
        lines.append(line((name, f"{fmean(found):.0f}", f"{quantiles(found, n=20)[-1]:.0f}")))
    return "\n".join(
        [*lines, "", f"Questions: {len(rows)}; passages in the index: {snapshot.size}."]
    )


def _stages(question: str, library: IndexLibrary, check: JudgedAddress) -> Iterator[float]:
    """Yield the milliseconds of each stage for one question."""
    clock = _Clock()
    hits = library.search(Query(question=question), AskSettings().passages).hits
    yield clock.lap()
    evidence = Citable(library).add([hit.chunk for hit in hits], "first-party")
    passages = [Passage(item) for item in evidence]
    yield clock.lap()
    for passage in passages:
        passage.units  # noqa: B018  # read when first asked for
    yield clock.lap()
    selection = Selection(question, passages)
    yield clock.lap()
    selection.chosen(check=check)
    yield clock.lap()


async def _answers(questions: Sequence[str], index: Path) -> list[float]:
    """Return the milliseconds of each whole answer but the first."""
    with TemporaryDirectory() as folder:
        settings = settings_under(index=index, store=str(Path(folder) / "store.db"))
        async with opened_agent(settings) as agent:
            spent: list[float] = []
            for question in questions:
                clock = _Clock()
                await agent.ask(question)
                spent.append(clock.lap())
    return spent[1:]


class _Clock:
    """Processor time of all threads."""

    def __init__(self) -> None:
        self._last = time.process_time()

    def lap(self) -> float:
        """Return the milliseconds since the last lap."""
        now = time.process_time()
        spent, self._last = now - self._last, now
        return spent * 1000


if __name__ == "__main__":
    main()
