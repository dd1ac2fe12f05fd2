"""Standing instructions: rules of the conversation, which change only when a person agrees."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from tether.batteries.storage.confirmation import confirm
from tether.batteries.storage.port import OWNER
from tether.batteries.tools.approval import approved
from tether.batteries.tools.ready_made import ShortText, ready_made, said
from tether.core.errors import InputRefused
from tether.runtime.dispatch_context import DispatchContext

Instruction = Annotated[str, Field(min_length=1, max_length=2_000)]


@ready_made(example={})
async def list_standing_instructions(ctx: DispatchContext) -> list[dict[str, Any]]:
    """List the standing instructions, numbered from 1."""
    return [
        {"number": number, "instruction": instruction}
        for number, instruction in enumerate(await _texts(ctx), start=1)
    ]


@ready_made(example={"instruction": "Answer in French."})
async def add_standing_instruction(ctx: DispatchContext, instruction: Instruction) -> str:
    """Propose a rule that applies from now on; a person has to agree first.

    Args:
        instruction: The rule, in one sentence.
    """
    rule = said("instruction", instruction, "give the rule in one sentence")
    if rule in await _texts(ctx):
        raise InputRefused("this instruction is in force already")
    await approved(ctx, "add_standing_instruction", {"instruction": rule})
    confirm(ctx, rule, by=ctx.stash.get(OWNER) or "gate")
    await ctx.store_standing_instruction(rule)
    return f"In force from now on: {rule}"


@ready_made(example={"instruction": "Answer in French."})
async def remove_standing_instruction(ctx: DispatchContext, instruction: ShortText) -> str:
    """Propose to drop a rule; a person has to agree first.

    Args:
        instruction: The whole text of the rule, as list_standing_instructions shows it.
    """
    if instruction not in await _texts(ctx):
        hint = "list_standing_instructions shows them; give the whole text of one"
        raise InputRefused(f"there is no such instruction; {hint}")
    await approved(ctx, "remove_standing_instruction", {"instruction": instruction})
    await ctx.delete_standing_instruction(instruction)
    return f"No longer in force: {instruction}"


async def _texts(ctx: DispatchContext) -> list[str]:
    return [str(text) for text in await ctx.refresh_standing_instructions()]
