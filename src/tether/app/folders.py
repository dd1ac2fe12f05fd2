"""Where things lie when nobody says otherwise."""

from __future__ import annotations

from pathlib import Path

DEFAULT_FOLDER = Path(".tether/index")
