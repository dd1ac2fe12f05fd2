"""Artifacts that know their form: JSON, Markdown, delimiter-separated tables."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.batteries.artifacts.csv import SpooledCsvArtifact
    from tether.batteries.artifacts.json import SpooledJsonArtifact
    from tether.batteries.artifacts.markdown import SpooledMarkdownArtifact

__all__ = ["SpooledCsvArtifact", "SpooledJsonArtifact", "SpooledMarkdownArtifact"]

_HOMES = {
    "SpooledCsvArtifact": "csv",
    "SpooledJsonArtifact": "json",
    "SpooledMarkdownArtifact": "markdown",
}

if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a class when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
