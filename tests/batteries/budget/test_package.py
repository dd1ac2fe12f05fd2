"""The public names of the battery."""

from __future__ import annotations

import pytest

from tether.batteries import budget


def test_every_public_name_can_be_had_and_is_listed() -> None:
    for name in budget.__all__:
        assert getattr(budget, name) is not None
    assert set(budget.__all__) <= set(dir(budget))


def test_another_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Waste'"):
        getattr(budget, "Waste")  # noqa: B009  # checkers know that it is not there
