"""The loop's decisions, as a table."""

from __future__ import annotations

import pytest

from tether.runtime.decide import (
    Verdict,
    after_output,
    before_output,
    end_status,
    is_worth_a_warning,
)

GO_ON, FLUSH, DISCARD = Verdict.GO_ON, Verdict.STOP_AND_FLUSH, Verdict.STOP_AND_DISCARD


@pytest.mark.parametrize(
    ("aborted", "acked", "nacked", "verdict"),
    [
        (False, False, False, GO_ON),
        (False, True, False, FLUSH),
        (False, False, True, DISCARD),
        (True, False, False, DISCARD),
        (True, True, False, DISCARD),
        (True, False, True, DISCARD),
    ],
)
def test_before_the_output_pipeline_a_signal_ends_the_iteration(
    *, aborted: bool, acked: bool, nacked: bool, verdict: Verdict
) -> None:
    assert before_output(aborted=aborted, acked=acked, nacked=nacked) is verdict


def test_after_the_output_pipeline_only_an_abort_takes_the_iteration_back() -> None:
    assert after_output(aborted=False) is GO_ON
    assert after_output(aborted=True) is DISCARD


@pytest.mark.parametrize(
    ("failed", "acked", "cancelled", "status"),
    [
        (True, True, False, "nack"),
        (True, False, False, "nack"),
        (False, True, False, "ack"),
        (False, False, False, "aborted"),
        (False, True, True, "aborted"),
        (False, False, True, "aborted"),
    ],
)
def test_how_a_dispatch_ended(*, failed: bool, acked: bool, cancelled: bool, status: str) -> None:
    assert end_status(failed=failed, acked=acked, cancelled=cancelled) == status


def test_a_warning_comes_early_and_then_ever_more_rarely() -> None:
    assert [n for n in range(100) if is_worth_a_warning(n)] == [5, 10, 20, 40, 80]
