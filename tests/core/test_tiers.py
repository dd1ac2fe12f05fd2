"""Trust tiers: a closed set."""

from __future__ import annotations

from tether.core.tiers import TRUST_TIERS


def test_there_are_three_tiers_and_no_unknown() -> None:
    # CONTRACT 2.9, 2.10, 69
    assert set(TRUST_TIERS) == {"first-party", "third-party-public", "third-party-private"}
    assert len(TRUST_TIERS) == 3
