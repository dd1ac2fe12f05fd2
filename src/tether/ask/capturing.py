"""The stage that keeps the exact prompt, so that a person can read what a model was shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tether.ask.turn import AskTurn
from tether.batteries.budget.media import carry_nothing
from tether.core.canonical import canonical_json
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.pipeline import CallNext
from tether.runtime.tool import Tool
from tether.trust.loading import load_records
from tether.trust.prompt import Item, MessageItem, Part, Prompt, TextPart, ThoughtItem


@dataclass(frozen=True, slots=True)
class Capture:
    """Renders the prompt as the executor will; of several attempts the last one's is kept."""

    turn: AskTurn

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Keep the prompt, and go on."""
        model = self.turn.model
        records = await load_records(ctx, carries=carry_nothing, encoding=model.profile.encoding)
        prompt = prompt_text(model.renderer.render(records, turn_id=ctx.turn_id))
        self.turn.prompt = prompt + tools_text(ctx.tools.visible())
        await call_next()


def prompt_text(prompt: Prompt) -> str:
    """Return a prompt as one text, each part below a line that says whose it is."""
    parts = [("system", prompt.leading), *map(_item, prompt.timeline), ("system", prompt.trailing)]
    return "\n\n".join(f"--- {who} ---\n{text}" for who, text in parts if text)


def tools_text(tools: Sequence[Tool]) -> str:
    """Return what a model is told of its tools, one to a line, as the last part of a prompt."""
    told = "\n".join(canonical_json(tool.describe()) for tool in tools)
    return f"\n\n--- tools ---\n{told}" if told else ""


def _item(item: Item) -> tuple[str, str]:
    if isinstance(item, MessageItem):
        return item.role, "\n".join(_texts(item.parts))
    if isinstance(item, ThoughtItem):
        return "thought", item.text
    return f"tool {item.tool}", "\n".join((canonical_json(dict(item.args)), *_texts(item.parts)))


def _texts(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        yield part.text if isinstance(part, TextPart) else f"[{part.mime_type} {part.filename}]"
