"""Artifacts with a format: JSON, Markdown and delimited tables."""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.batteries.artifacts.csv import SpooledCsvArtifact as SpooledCsvArtifact
    from tether.batteries.artifacts.json import SpooledJsonArtifact as SpooledJsonArtifact
    from tether.batteries.artifacts.markdown import (
        SpooledMarkdownArtifact as SpooledMarkdownArtifact,
    )

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.batteries.artifacts.csv: SpooledCsvArtifact
        tether.batteries.artifacts.json: SpooledJsonArtifact
        tether.batteries.artifacts.markdown: SpooledMarkdownArtifact
        """,
    )
