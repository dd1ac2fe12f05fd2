"""The names of the package, which load when they are used."""

from __future__ import annotations

import pytest

from tether.batteries import artifacts


def test_the_names_are_there_and_no_others() -> None:
    for name in artifacts.__all__:
        assert getattr(artifacts, name).__name__ == name
        assert name in dir(artifacts)
    with pytest.raises(AttributeError, match="no attribute 'SpooledXmlArtifact'"):
        _ = artifacts.SpooledXmlArtifact  # type: ignore[attr-defined]
