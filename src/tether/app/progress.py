"""Progress bars on a terminal while the work lasts, and nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from rich.progress import TaskID

    from tether.retrieval.index.parts import Step

STAGES = {
    "scan": "Looking for documents",
    "read": "Reading documents",
    "words": "Indexing words",
    "grams": "Indexing parts of words",
    "write": "Writing",
    "embed": "Embedding passages",
}


@contextmanager
def _bars() -> Generator[Progress]:
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    is_hidden = not console.is_terminal
    with Progress(*columns, console=console, disable=is_hidden, transient=True) as bars:
        yield bars


@contextmanager
def progress_of_steps() -> Generator[Callable[[Step], None]]:
    """Yield a listener for the steps of indexing that draws a bar for each stage."""
    with _bars() as bars:
        tasks: dict[str, TaskID] = {}

        def hear(step: Step) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bars.add_task(STAGES.get(step.stage, step.stage), total=None)
            bars.update(tasks[step.stage], completed=step.done, total=step.total or None)

        yield hear


@contextmanager
def progress_of_questions(what: str) -> Generator[Callable[[int, int], None]]:
    """Yield a listener for the number of questions done, and their total."""
    with _bars() as bars:
        task = bars.add_task(what, total=None)

        def hear(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        yield hear
