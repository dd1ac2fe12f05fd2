"""One figure from a name and a value, with its floor where it has one."""

from __future__ import annotations

from bench.figures import Figure


def figure(name: str, value: float, unit: str, floor: float | None = None) -> Figure:
    """Return a figure; its ratio is how many times the floor it is."""
    ratio = value / floor if floor else None
    return Figure(name=name, value=value, unit=unit, baseline=floor, ratio=ratio)
