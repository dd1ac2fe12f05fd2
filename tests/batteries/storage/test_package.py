"""The names of the package, which load when they are used."""

from __future__ import annotations

import importlib

import pytest

import tether.batteries.storage as face


def test_the_names_are_those_of_their_homes_and_there_are_no_others() -> None:
    homes = face._HOMES  # pyright: ignore[reportPrivateUsage]
    assert sorted(homes) == sorted(face.__all__)
    for name, home in homes.items():
        module = importlib.import_module(f"tether.batteries.storage.{home}")
        assert getattr(face, name) is getattr(module, name)
        assert name in dir(face)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = face.Nothing  # type: ignore[attr-defined]
