"""The stage that puts the passages before the model: verbatim, in their tier, with their link."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tether.ask.evidence import Evidence
from tether.ask.model import Style
from tether.ask.turn import AskTurn
from tether.core.retrievable import Retrievable
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext

KIND = "documentation"

_NEEDS_ANGLES = re.compile(r"[\s()<>\\]")


@dataclass(frozen=True, slots=True)
class Inject:
    """Adds the evidence of the turn as retrievables, best first; nothing of it is stored."""

    turn: AskTurn

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Add them, and go on."""
        turn = self.turn
        ctx.turn_retrievables.update(
            Retrievable(
                id=item.chunk.id,
                content=passage_text(item, turn.model.style),
                trust_tier=item.tier,
                source=item.link,
                kind=KIND,
                score=1 / item.number,
                created_at=turn.started_at,
            )
            for item in turn.evidence
        )
        await call_next()


def passage_text(item: Evidence, style: Style) -> str:
    """Return a passage as a model of a style reads it: behind the link that it is to copy.

    Small models copy a link that they see in front of the text, and cite nothing otherwise. What
    answers by quotation gets the text alone, because it quotes whatever it is given.
    """
    chunk = item.chunk
    if style == "quotes":
        return chunk.text
    text = f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text
    return f"[{_link_text(chunk.title)}]({_destination(item.link)}): {text}"


def _link_text(title: str) -> str:
    return " ".join(re.sub(r"[\[\]\\]", " ", title).split()) or "Source"


def _destination(link: str) -> str:
    if _NEEDS_ANGLES.search(link) is None:
        return link
    return "<" + re.sub(r"([<>\\])", r"\\\1", " ".join(link.split())) + ">"
