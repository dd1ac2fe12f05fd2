"""An executor without a language model: it answers with units of the turn's passages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tether.ask.citations.draft import compose
from tether.ask.citations.passage import LONGEST_PASSAGE, Passage
from tether.ask.evidence import Evidence
from tether.ask.quoting.inlines import addresses_as_code
from tether.ask.quoting.links import markdown_link, title_of
from tether.ask.quoting.selection import MOST_PASSAGES, Selected, Selection
from tether.ask.quoting.windows import quoted
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.tokenizable import Tokenizable
from tether.retrieval.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers

NOTHING_FOUND = "The passages at hand do not answer this question."

Link = Callable[[Retrievable, str], str]
"""Makes the reference to a source from its record and its title; "" leaves it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractive:
    """Answers the last user message with units of the turn's retrievables, and links to them.

    The order of the retrievables is their rank, best first. Each quote is a whole unit (see
    `tether.text.units`); the log entry of kind `extraction` has its record, its span and its score.
    Where nothing answers, the answer is `nothing_found`. The same turn always gives the same
    answer. Raises `InputRefused` if `nothing_found` is empty.
    """

    auto_ack: bool = False
    nothing_found: str = NOTHING_FOUND
    link: Link = markdown_link

    def __post_init__(self) -> None:
        if not self.nothing_found.strip():
            raise InputRefused("nothing_found is empty: give the sentence to say instead")

    def executor(self, **overrides: Any) -> Extractive:
        """Return an executor with other options."""
        return replace(self, **overrides)

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        """Answer the last user message, show the answer quote by quote, and store it."""
        records = list(ctx.turn_retrievables)[:MOST_PASSAGES]
        texts = [await _text(ctx, record) for record in records]
        work = asyncio.to_thread(_selected, _question(ctx), records, texts)
        chosen = await ctx.abort_signal.guard(work)
        _log(helpers, chosen, records)
        pieces = self._pieces(chosen, records)
        id = new_id()
        for number, piece in enumerate(pieces, start=1):
            helpers.report_message(id, piece, is_complete=number == len(pieces))
        now = ctx.clock.now()
        await ctx.store_message(
            Message(id=id, role="assistant", content="".join(pieces), created_at=now)
        )
        if self.auto_ack and not ctx.is_signalled:
            ctx.ack()

    def _pieces(self, chosen: Sequence[Selected], records: Sequence[Retrievable]) -> list[str]:
        """Return the answer in the pieces that are shown one by one; a link ends each source."""
        written: list[str] = []
        for at, one in enumerate(chosen):
            draft = compose([quoted(one.window, 0)[1]])
            text = addresses_as_code(draft.text[: draft.statements[0].end])
            is_last = at + 1 == len(chosen) or chosen[at + 1].window.number != one.window.number
            link = self._link(one, records[one.window.number]) if is_last else ""
            gap = "\n\n" if text.endswith("```") else " "
            written.append(("\n\n" if written else "") + text + (f"{gap}{link}" if link else ""))
        return written or [self.nothing_found]

    def _link(self, one: Selected, record: Retrievable) -> str:
        path = one.window.units[0].path
        return self.link(record, title_of(record.source, path[0] if path else None))


async def say_nothing(ctx: DispatchContext, helpers: Helpers) -> None:
    """Do nothing: the executor of an agent that answers by quotation.

    The agent's gate chooses the quotes itself, from passages with their headings and pages, which
    an executor does not see.
    """


def _selected(
    question: str, records: Sequence[Retrievable], texts: Sequence[str]
) -> list[Selected]:
    chunks = [
        Chunk.whole(text[:LONGEST_PASSAGE], id=record.id, document=record.source or record.id)
        for record, text in zip(records, texts, strict=True)
    ]
    evidence = [Evidence(number=at, chunk=one, version="") for at, one in enumerate(chunks)]
    passages = [Passage(one) for one in evidence]
    return Selection(question, passages).chosen()


def _question(ctx: DispatchContext) -> str:
    asked = [message.content for message in ctx.turn_messages if message.role == "user"]
    return asked[-1].render(ctx) if asked and asked[-1] is not None else ""


async def _text(ctx: DispatchContext, record: Retrievable) -> str:
    if isinstance(record.content, Tokenizable):
        return record.content.render(ctx)
    return await record.read_text()


def _log(helpers: Helpers, chosen: Sequence[Selected], records: Sequence[Retrievable]) -> None:
    quotes = [
        {
            "retrievable": records[one.window.number].id,
            "trust_tier": records[one.window.number].trust_tier,
            "start": one.window.start,
            "end": one.window.end,
            "score": round(one.probability, 4),
            "text": one.window.reading,
        }
        for one in chosen
    ]
    helpers.log.info("extraction", f"quoted {len(quotes)} units", {"quotes": quotes})
