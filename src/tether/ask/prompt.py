"""The prompt: the system prompt, and the material that the model is shown.

The system prompts, one for each style of model, are short: long ones are not obeyed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tether.ask.citations.phrases import EXAMPLE
from tether.ask.context import context_record
from tether.ask.evidence import Evidence
from tether.ask.model import AskModel, Style
from tether.ask.pointing.form import MOST_POINTS
from tether.ask.pointing.numbered import Numbering
from tether.ask.refusal import DECLINE
from tether.ask.values import Material
from tether.ask.way import Slot
from tether.batteries.budget.meter import carry_nothing
from tether.batteries.storage.records import MemoryRecord
from tether.core.plain_data import canonical_json
from tether.core.retrievable import Retrievable
from tether.core.tokenizable import Tokenizable
from tether.retrieval.chunk import Chunk
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.forge import offered_tools
from tether.runtime.pipeline import CallNext
from tether.runtime.tool import Tool
from tether.runtime.turn_context import TurnContext
from tether.text.passages import readable_passage
from tether.trust.loader import load_records
from tether.trust.prompt import Item, MessageItem, Part, Prompt, TextPart, ThoughtItem

_TASK = (
    "You answer questions about documents. Passages from them are given to you. Answer from these"
    " passages and from nothing else, in a few plain sentences. Keep to the wording of the"
    " passages."
)
_LINKS = (
    "End every sentence with the link of the passage it was taken from, in brackets, copied exactly"
    f" as it stands in front of the passage: {EXAMPLE}\n"
    "Where the question asks for it, begin with Yes or No."
)
_POINTS = (
    "You find answers in documents. Passages from them are given to you with numbered lines. Do not"
    " write the answer: point at it, in JSON.\n"
    '"answered" says whether a line answers the question. Passages that are only about something'
    " similar do not answer it: then it is false.\n"
    f'"units" are the numbers of the lines that answer it, as few as possible, {MOST_POINTS} at'
    ' most; if "answered" is false, that of the nearest line.'
)
_TOOLS = (
    "Where the passages do not suffice, look further with the tools, at most a few times. Cite only"
    " what you were shown."
)
_DECLINE = f"If the passages do not answer the question, write only: {DECLINE}"
_NO_CODE = "Write no code: the link leads to it."

_PARTS: Mapping[Style, tuple[str, ...]] = MappingProxyType(
    {
        "quotes": (_TASK,),
        "links": (_TASK, _LINKS, _DECLINE),
        "points": (_POINTS,),
        "tools": (_TASK, _LINKS, _TOOLS, _DECLINE),
    }
)


def system_prompt(style: Style, *, code: bool) -> str:
    """Return who the assistant is and how it has to answer. Nothing relies on its being obeyed."""
    parts = _PARTS[style]
    if not code and style in ("links", "tools"):
        parts = (*parts, _NO_CODE)
    return "\n\n".join(parts)


_NEEDS_ANGLES = re.compile(r"[\s()<>\\]")


@dataclass(frozen=True, slots=True)
class Show:
    """Puts the material into the turn: instructions, messages, passages, memories. Stores nothing.

    Passages stand in their tier, best first. Only the person's own words are memories to the model;
    a memory from elsewhere keeps its tier and stands among the retrieved content, where it is data.
    It is never evidence. Nor is the text that accompanies a question, which stands there, too; an
    executor that quotes whatever it is given is not given it.
    """

    model: AskModel
    numbering: Numbering = field(default_factory=Numbering)

    async def __call__(self, material: Material, ctx: TurnContext) -> Material:
        """Fill the collections of the turn, and return the same material."""
        gathered, prepared = material.gathered, material.gathered.found.prepared
        texts = await asyncio.to_thread(self._texts, gathered.passages)
        scores = {hit.chunk.id: round(hit.score, 3) for hit in gathered.found.findings.hits}
        created_at = prepared.talk.asked.started_at
        ctx.standing_instructions.update(map(Tokenizable, prepared.talk.instructions))
        ctx.turn_messages.update((*prepared.talk.messages, prepared.message))
        ctx.turn_retrievables.update(
            Retrievable(
                id=item.chunk.id,
                content=text,
                trust_tier=item.tier,
                source=item.link,
                kind="documentation",
                score=scores.get(item.chunk.id),
                created_at=created_at,
            )
            for item, text in zip(gathered.passages, texts, strict=True)
        )
        if prepared.talk.asked.context and self.model.style != "quotes":
            ctx.turn_retrievables.add(context_record(prepared.talk.asked, self.model.profile))
        for record in material.memories:
            if record.tier == "first-party":
                ctx.turn_memories.add(record.memory)
            else:
                ctx.turn_retrievables.add(_from_elsewhere(record))
        return material

    def _texts(self, passages: Sequence[Evidence]) -> list[str]:
        return [passage_text(item, self.model.style, self.numbering) for item in passages]


def passage_text(item: Evidence, style: Style, numbering: Numbering | None = None) -> str:
    """Return a passage as a model of a style reads it: after the link that it has to copy.

    Small models copy a link that they see before the text, and cite nothing otherwise. A model that
    points is given numbers, and no link. An executor that answers by quotation gets the text alone,
    as the document writes it, because it quotes whatever it is given.
    """
    chunk = item.chunk
    if style == "quotes":
        return chunk.text
    if style == "points":
        return (numbering or Numbering()).text(item)
    return f"[{_link_text(chunk.title)}]({link_destination(item.link)}): {text_of(chunk)}"


def text_of(chunk: Chunk) -> str:
    """Return the text of a passage as a model reads it, without link targets and anchors."""
    return readable_passage(chunk.text, chunk.plain, header=chunk.header)


def link_destination(link: str) -> str:
    """Return an address as the destination of a Markdown link, in angle brackets if need be."""
    if _NEEDS_ANGLES.search(link) is None:
        return link
    return "<" + re.sub(r"([<>\\])", r"\\\1", " ".join(link.split())) + ">"


@dataclass(frozen=True, slots=True)
class Capture:
    """Prepares the executor, and renders the prompt as it will, for a person to read later."""

    model: AskModel
    prompt: Slot[str]

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Hand the prompt of this attempt on, and continue."""
        model = self.model
        model.prepare(ctx)
        records = await load_records(ctx, carries=carry_nothing, encoding=model.profile.encoding)
        text = prompt_text(model.renderer.render(records, turn_id=ctx.turn_id))
        self.prompt.put(text + tools_text(offered_tools(ctx)))
        await call_next()


def prompt_text(prompt: Prompt) -> str:
    """Return a prompt as one text, each part below a line that says whose it is."""
    parts = [("system", prompt.leading), *map(_item, prompt.dialogue), ("system", prompt.trailing)]
    return "\n\n".join(f"--- {who} ---\n{text}" for who, text in parts if text)


def tools_text(tools: Sequence[Tool]) -> str:
    """Return the descriptions of tools, one to a line, as the last part of a prompt."""
    described = "\n".join(canonical_json(tool.describe()) for tool in tools)
    return f"\n\n--- tools ---\n{described}" if described else ""


def _link_text(title: str) -> str:
    return " ".join(re.sub(r"[\[\]\\]", " ", title).split()) or "Source"


def _from_elsewhere(record: MemoryRecord) -> Retrievable:
    memory = record.memory
    return Retrievable(
        id=f"memory-{memory.id}",
        content=memory.content,
        trust_tier=record.tier,
        source=record.source or None,
        kind="memory",
        score=0.0,
        created_at=memory.created_at,
    )


def _item(item: Item) -> tuple[str, str]:
    if isinstance(item, MessageItem):
        return item.role, "\n".join(_texts(item.parts))
    if isinstance(item, ThoughtItem):
        return "thought", item.text
    return f"tool {item.tool}", "\n".join((canonical_json(dict(item.args)), *_texts(item.parts)))


def _texts(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        yield part.text if isinstance(part, TextPart) else f"[{part.mime_type} {part.filename}]"
