"""Settings: what the agent is put together from, and where each value came from."""

from tether.app.settings.loading import Loaded, Origin, load_settings
from tether.app.settings.values import Settings

__all__ = ["Loaded", "Origin", "Settings", "load_settings"]
