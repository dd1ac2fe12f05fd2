"""The steps of a turn on standard error while they happen."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from tether.app.terminal.answers import one_line
from tether.app.terminal.screen import Screen
from tether.ask.events import AskEvent, Provisional, Retracted, Step

TAIL = 200
"""So many characters of an answer that nobody has checked are shown while it is written."""


class StepLines:
    """Hears a turn: keeps its steps, and tells them line by line where `told`.

    What was skipped is told only where it is `whole`.
    """

    def __init__(self, *, told: bool, whole: bool = False) -> None:
        self.steps: list[Step] = []
        self._told = told
        self._whole = whole

    def hear(self, event: AskEvent) -> None:
        """Take an event."""
        if isinstance(event, Step):
            self.steps.append(event)
            if self._whole or event.state != "skipped":
                self._tell(step_line(event))
        elif isinstance(event, Retracted):
            self._tell(retracted_line(event))

    @contextmanager
    def paused(self) -> Generator[None]:
        """Leave the terminal to somebody else for a while."""
        yield

    def _tell(self, line: str) -> None:
        if self._told:
            click.echo(line, err=True)


class LiveSteps(StepLines):
    """The same on a lively terminal: finished steps above, what is being written below.

    Text that has not been checked is faint, called a draft, and gone once the turn is over.
    """

    def __init__(self, live: Live, *, style: str, whole: bool = False) -> None:
        super().__init__(told=True, whole=whole)
        self._live = live
        self._style = style
        self._draft = ""
        self._draw()

    def hear(self, event: AskEvent) -> None:
        """Take an event."""
        if isinstance(event, Provisional):
            self._draft = f"{self._draft}{event.delta}"[-TAIL:]
        elif isinstance(event, Retracted):
            self._draft = ""
        super().hear(event)
        self._draw()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Leave the terminal to somebody else for a while."""
        self._live.stop()
        yield
        self._live.start()

    def _draw(self) -> None:
        text = f"Unchecked draft: {one_line(self._draft)}" if self._draft else "Working"
        self._live.update(Spinner("dots", text=Text(text, style=self._style)))

    def _tell(self, line: str) -> None:
        self._live.console.print(Text(line, style=self._style))


@contextmanager
def steps_on(screen: Screen, *, verbose: bool) -> Generator[StepLines]:
    """Yield what hears a turn.

    A lively terminal gets a spinner with the steps above it, a dumb one and `verbose` get plain
    lines, and everything else gets nothing. With `verbose` skipped steps are told, too.
    """
    if not screen.lively:
        yield StepLines(told=verbose or screen.is_terminal, whole=verbose)
        return
    console = Console(stderr=True, highlight=False, markup=False, no_color=not screen.coloured)
    with Live(console=console, transient=True, refresh_per_second=10) as live:
        yield LiveSteps(live, style="dim" if screen.coloured else "", whole=verbose)


def step_line(step: Step) -> str:
    """Return the one line that tells a step."""
    state = "" if step.state == "done" else f" ({step.state})"
    return f"- {step.kind}: {one_line(step.label)}{state}"


def retracted_line(event: Retracted) -> str:
    """Return the one line that tells that an attempt is void."""
    return f"- attempt {event.attempt} was taken back: {one_line(event.reason)}"
