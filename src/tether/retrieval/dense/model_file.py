"""Where a model lies: beside the code in a checkout, otherwise in a distribution of its own."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

VOCABULARY = Path(str(files("tether.retrieval").joinpath("models", "vocab.txt")))
"""The vocabulary of the included models; it comes with the code."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model's file, and the distribution that brings it: "" for a file of the user's."""

    path: Path
    distribution: str = ""


def included(name: str, *, beside: str, distribution: str) -> ModelFile:
    """Return an included model: in the folder `models` of a package, else in a distribution.

    The code installs without the models, which are large, so the file may be in neither place. It
    is missed when it is read.
    """
    own = Path(str(files(beside).joinpath("models", name)))
    if own.is_file():
        return ModelFile(own, distribution)
    try:
        brought = files(distribution.replace("-", "_"))
    except ModuleNotFoundError:
        return ModelFile(own, distribution)
    return ModelFile(Path(str(brought.joinpath(name))), distribution)
