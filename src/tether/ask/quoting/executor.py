"""An executor without a language model: it answers with sentences of the turn's passages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from tether.ask.quoting.extraction import extracting, write_paragraph
from tether.ask.quoting.links import markdown_link, title_of
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.core.message import Message
from tether.core.retrievable import Retrievable
from tether.core.tokenizable import Tokenizable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.ask.quoting.extraction import Extraction
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.reports import Helpers

NOTHING_FOUND = "The passages at hand do not answer this question."

Link = Callable[[Retrievable, str], str]
"""Makes the reference to a source from its record and its title; "" leaves it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractive:
    """Answers the last user message with quotes from the turn's retrievables, and links to them.

    The order of the retrievables is their rank, best first. Each quote is verbatim (see `shown`);
    the log entry of kind `extraction` has its record, its span and its score. Where nothing
    answers, the answer is `nothing_found`. The same turn always gives the same answer. Raises
    `InputRefused` if `nothing_found` is empty.
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
        """Answer the last user message, show the answer paragraph by paragraph, and store it."""
        records = list(ctx.turn_retrievables)
        passages = [await _text(ctx, record) for record in records]
        ctx.abort_signal.raise_if_aborted()
        extraction = await _extracted(ctx, passages)
        _log(helpers, extraction, records)
        pieces = self._pieces(extraction, records)
        id = new_id()
        for number, piece in enumerate(pieces, start=1):
            helpers.report_message(id, piece, is_complete=number == len(pieces))
        now = ctx.clock.now()
        await ctx.store_message(
            Message(id=id, role="assistant", content="".join(pieces), created_at=now)
        )
        if self.auto_ack and not ctx.is_signalled:
            ctx.ack()

    def _pieces(self, extraction: Extraction, records: Sequence[Retrievable]) -> list[str]:
        """Return the answer in the pieces that are shown one by one."""
        written: list[str] = []
        for paragraph in extraction.paragraphs:
            record = records[paragraph.passage]
            link = self.link(record, title_of(record.source, paragraph.heading))
            written.append(("\n\n" if written else "") + write_paragraph(paragraph, link))
        return written or [self.nothing_found]


def _question(ctx: DispatchContext) -> str:
    asked = [message.content for message in ctx.turn_messages if message.role == "user"]
    return asked[-1].render(ctx) if asked and asked[-1] is not None else ""


async def _extracted(ctx: DispatchContext, passages: Sequence[str]) -> Extraction:
    """Return the extraction; other tasks run between the passages."""
    steps = extracting(_question(ctx), passages)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return cast("Extraction", done.value)
        await asyncio.sleep(0)
        ctx.abort_signal.raise_if_aborted()


async def _text(ctx: DispatchContext, record: Retrievable) -> str:
    if isinstance(record.content, Tokenizable):
        return record.content.render(ctx)
    return await record.read_text()


def _log(helpers: Helpers, extraction: Extraction, records: Sequence[Retrievable]) -> None:
    quotes = [
        {
            "retrievable": records[quote.passage].id,
            "trust_tier": records[quote.passage].trust_tier,
            "start": quote.start,
            "end": quote.end,
            "score": quote.score,
            "text": quote.text,
        }
        for quote in extraction.quotes
    ]
    helpers.log.info(
        "extraction",
        f"quoted {len(quotes)} of {extraction.considered} sentences",
        {"quotes": quotes, "considered": extraction.considered},
    )
