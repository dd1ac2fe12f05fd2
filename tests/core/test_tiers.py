"""Trust tiers: a closed set."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tether.core.tiers import TRUST_TIERS, TrustTier, lower_tier


def test_there_are_three_tiers_and_no_unknown() -> None:
    # CONTRACT 2.9, 2.10, 69
    assert set(TRUST_TIERS) == {"first-party", "third-party-public", "third-party-private"}
    assert len(TRUST_TIERS) == 3


tiers = st.sampled_from(TRUST_TIERS)


@given(tiers, tiers, tiers)
def test_the_lower_of_several_tiers_does_not_depend_on_their_order(
    one: TrustTier, two: TrustTier, three: TrustTier
) -> None:
    assert lower_tier(one, one) == one
    assert lower_tier(one, two) == lower_tier(two, one)
    assert lower_tier(one, two) in (one, two)
    assert lower_tier(lower_tier(one, two), three) == lower_tier(one, lower_tier(two, three))


def test_nothing_is_ours_unless_all_of_it_is() -> None:
    # SECURITY 26: what is made of several texts has the least authority among them
    for one, two in product(TRUST_TIERS, repeat=2):
        is_ours = lower_tier(one, two) == "first-party"
        assert is_ours == ((one, two) == ("first-party", "first-party"))


def test_somebodys_private_material_has_less_authority_than_the_open_web() -> None:
    # CONTRACT 1.4
    assert lower_tier("third-party-private", "third-party-public") == "third-party-private"
