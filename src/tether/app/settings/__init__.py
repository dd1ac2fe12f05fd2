"""The settings of an agent, and the origin of each value."""

from tether.app.settings.layers import Loaded, Origin, load_settings
from tether.app.settings.values import Settings

__all__ = ["Loaded", "Origin", "Settings", "load_settings"]
