"""From ranked passages to a prompt's context: within a budget, cited, and each text once."""

from __future__ import annotations

from tether.retrieval.assembly.assembling import assemble
from tether.retrieval.assembly.assembly import Admitted, Assembly, Citation, Dropped, DropReason
from tether.retrieval.assembly.estimating import prudent_estimate
from tether.retrieval.assembly.numbered import HEADING, Renderer, frame_of, numbered_block
from tether.retrieval.assembly.retrievables import to_retrievables
from tether.retrieval.assembly.settings import AssemblySettings

__all__ = [
    "assemble",
    "AssemblySettings",
    "Assembly",
    "Admitted",
    "Citation",
    "Dropped",
    "DropReason",
    "prudent_estimate",
    "Renderer",
    "numbered_block",
    "frame_of",
    "HEADING",
    "to_retrievables",
]
