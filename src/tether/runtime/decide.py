"""The decisions of the dispatch loop, as plain functions of its state."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.core.events import DispatchStatus


class Verdict(Enum):
    """The next step after a stage of an iteration."""

    GO_ON = auto()
    STOP_AND_FLUSH = auto()
    STOP_AND_DISCARD = auto()


def before_output(aborted: bool, acked: bool, nacked: bool) -> Verdict:
    """After the input pipeline or the executor: a signal or an abort ends the iteration here.

    After an ack the writes reach the turn; after a nack or an abort they do not.
    """
    if aborted or nacked:
        return Verdict.STOP_AND_DISCARD
    return Verdict.STOP_AND_FLUSH if acked else Verdict.GO_ON


def after_output(*, aborted: bool) -> Verdict:
    """After the output pipeline the iteration is complete, whatever the signal, unless aborted."""
    return Verdict.STOP_AND_DISCARD if aborted else Verdict.GO_ON


UNSIGNALLED = 5
"""Iterations in a row without a signal and without a tool call that are worth a warning."""


def is_worth_a_warning(unsignalled: int) -> bool:
    """Say whether to warn now, after so many such iterations: at 5, 10, 20, 40, and so on."""
    times, rest = divmod(unsignalled, UNSIGNALLED)
    return not rest and times.bit_count() == 1


def end_status(*, failed: bool, acked: bool, cancelled: bool) -> DispatchStatus:
    """Return how a dispatch ended: a failure beats an ack, and without either it was aborted."""
    if failed:
        return "nack"
    return "ack" if acked and not cancelled else "aborted"
