"""What the tools that write records take, and how they check what cannot be said in a schema."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Protocol, TypeVar

from pydantic import Field

from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused

Score = Annotated[float, Field(ge=0, le=1)]
Id = Annotated[str, Field(min_length=1, max_length=200)]
Label = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""One line of text."""


class Record(Protocol):
    """Something that is kept under an id."""

    @property
    def id(self) -> str:
        """Its key."""
        ...


R = TypeVar("R", bound=Record)


def existing(records: Iterable[R], id: str, kind: str, listed_by: str) -> R:
    """Return the record with that id; raise `InputRefused`, naming the tool that shows the ids."""
    for record in records:
        if record.id == id:
            return record
    raise InputRefused(f"there is no {kind} with the id {id!r}; {listed_by} shows the ids")


def said(name: str, text: str, wanted: str) -> str:
    """Return the text as it can be kept; raise `InputRefused` where nothing is left of it."""
    cleaned = clean_text(text)
    if not cleaned.strip():
        raise InputRefused(f"{name} is empty: {wanted}")
    return cleaned
