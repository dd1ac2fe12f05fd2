"""The units of a passage: the whole parts of it that may be quoted."""

from tether.text.units.units import Unit, units_of

__all__ = ["Unit", "units_of"]
