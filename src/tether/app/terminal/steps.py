"""The steps of a turn on standard error while it runs."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from tether.app.display import one_line
from tether.app.terminal.screen import Screen
from tether.ask.events import AskEvent, Provisional, Retracted, Step, Working

TAIL = 200
"""How many characters of an unchecked draft are shown."""

SPINNER = 3
"""The columns beside the text of the line."""


class StepLines:
    """Listens to a turn and keeps its steps; with `whole` it also prints them line by line.

    With `shown` or `whole`, the begin of each phase of a model at work is printed: it may take
    minutes.
    """

    def __init__(self, *, shown: bool, whole: bool = False) -> None:
        self.steps: list[Step] = []
        self._shown = shown or whole
        self._whole = whole
        self._phase = ""

    def hear(self, event: AskEvent) -> None:
        """Handle an event."""
        if isinstance(event, Step):
            self.steps.append(event)
            self._phase = ""
            if self._whole:
                self._print(step_line(event))
        elif isinstance(event, Working):
            self._work(event)
        elif isinstance(event, Retracted) and self._whole:
            self._print(retracted_line(event))

    @contextmanager
    def paused(self) -> Generator[None]:
        """Leave the terminal to other output in a block."""
        yield

    def _work(self, event: Working) -> None:
        if event.phase != self._phase:
            self._phase = event.phase
            self._print(f"- model: {event.label}")

    def _print(self, line: str) -> None:
        if self._shown:
            click.echo(line, err=True)


class LiveSteps(StepLines):
    """The same on a lively terminal, in one line: the last step, or the model's progress and draft.

    The line is removed when the turn ends. Unchecked text is faint and called a draft. With `whole`
    the steps stay above the line.
    """

    def __init__(self, live: Live, *, style: str, whole: bool = False) -> None:
        super().__init__(shown=True, whole=whole)
        self._live = live
        self._style = style
        self._draft = ""
        self._doing = ""
        self._last = ""
        self._draw()

    def hear(self, event: AskEvent) -> None:
        """Handle an event."""
        if isinstance(event, Provisional):
            self._draft = f"{self._draft}{event.delta}"[-TAIL:]
        elif isinstance(event, Retracted):
            self._draft, self._last = "", retracted_line(event).removeprefix("- ")
        elif isinstance(event, Step) and event.state != "skipped":
            self._doing, self._last = "", step_line(event).removeprefix("- ")
        super().hear(event)
        self._draw()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Leave the terminal to other output in a block."""
        self._live.stop()
        yield
        self._live.start()

    def _work(self, event: Working) -> None:
        self._doing = event.label

    def _draw(self) -> None:
        room = max(self._live.console.width - SPINNER, 1)
        text = Text(self._line(room), style=self._style)
        text.truncate(room, overflow="ellipsis")
        self._live.update(Spinner("dots", text=text))

    def _line(self, room: int) -> str:
        """Return the model's progress and the last words of its draft, or the last step."""
        doing = self._doing or ("" if self._draft else self._last or "working")
        doing = doing[:1].upper() + doing[1:]
        if not self._draft:
            return doing
        head = " | ".join(filter(None, (doing, "Unchecked draft: ")))
        return head + one_line(self._draft)[-max(room - len(head), 1) :]

    def _print(self, line: str) -> None:
        self._live.console.print(Text(line, style=self._style))


@contextmanager
def steps_on(screen: Screen, *, verbose: bool) -> Generator[StepLines]:
    """Yield the listener for a turn.

    A lively terminal gets a line that changes and goes away, a dumb one the phases of a model at
    work, and anything else gets nothing. With `verbose` every step is printed and stays.
    """
    if not screen.lively:
        yield StepLines(shown=screen.is_terminal, whole=verbose)
        return
    console = Console(stderr=True, highlight=False, markup=False, no_color=not screen.coloured)
    with Live(console=console, transient=True, refresh_per_second=10) as live:
        yield LiveSteps(live, style="dim" if screen.coloured else "", whole=verbose)


def step_line(step: Step) -> str:
    """Return the line of a step."""
    state = "" if step.state == "done" else f" ({step.state})"
    return f"- {step.kind}: {one_line(step.label)}{state}"


def retracted_line(event: Retracted) -> str:
    """Return the line of a retracted attempt."""
    return f"- attempt {event.attempt} was retracted: {one_line(event.reason)}"
