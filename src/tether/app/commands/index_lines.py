"""Lines that several commands of an index print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.app.printing import shown

if TYPE_CHECKING:
    from tether.retrieval.state import DocumentState


def state_line(state: DocumentState) -> str:
    """Return what became of a document, with the reason."""
    return shown(f"{state.state}: {state.key}: {state.reason}")
