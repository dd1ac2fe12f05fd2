"""The verifier of the settings: the included model, a file, or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tether.app.settings.values import NO_VERIFIER, SHIPPED
from tether.ask.errors import InvalidSettings, VerifierFailed
from tether.ask.verification.onnx import OnnxVerifier
from tether.core.errors import Problem

if TYPE_CHECKING:
    from tether.ask.verification.port import Verifier

VOCABULARY = "vocab.txt"
"""A file beside a model, with its word pieces; without one, it has those of the included models."""


def verifier_of(name: str, *, threads: int = 0) -> Verifier | None:
    """Return the verifier that a setting names. Nothing is read yet.

    It is `shipped`, `none`, or the path of an ONNX file. `threads` 0 is one for each core. Raises
    `InvalidSettings` where the file is missing; one that cannot be used fails when it has to read.
    """
    if name == NO_VERIFIER:
        return None
    if name == SHIPPED:
        return OnnxVerifier(threads=threads)
    path = Path(name)
    if not path.is_file():
        raise InvalidSettings([Problem("verifier", f"there is no file {name}")])
    words = path.with_name(VOCABULARY)
    return OnnxVerifier(path=path, vocabulary=words if words.exists() else None, threads=threads)


def fingerprint_of(verifier: Verifier | None) -> str:
    """Return the fingerprint of a verifier; "" without one, or where it cannot be read."""
    try:
        return "" if verifier is None else verifier.fingerprint
    except VerifierFailed:
        return ""
