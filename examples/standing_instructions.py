"""Rules per tenant: read from storage, put into the turn, seen by the executor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lifecycle import Trace
from tether import NoopStorage, Tokenizable, TurnInput, TurnRunner, new_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether import CallNext, Context, DispatchContext, Helpers, TurnContext

RULES = {
    "bank": ("Never give investment advice.", "Answer in one sentence."),
    "school": ("Explain every step.",),
}
HOUSE_RULE = "Be polite."


async def rules_of_tenant(ctx: Context) -> Sequence[str]:
    """Read the rules of the tenant that the turn is for."""
    return RULES[ctx.stash.get("tenant.id")]


async def load_rules(ctx: TurnContext, call_next: CallNext) -> None:
    """Add the tenant's rules to those that the turn came with."""
    for rule in await ctx.refresh_standing_instructions():
        ctx.standing_instructions.add(rule if isinstance(rule, Tokenizable) else Tokenizable(rule))
    await call_next()


async def recite(ctx: DispatchContext, helpers: Helpers) -> None:
    """Say which rules are in force, where a model would follow them."""
    rules = " ".join(str(rule) for rule in ctx.standing_instructions)
    helpers.report_message(new_id(), f"My rules: {rules}", is_complete=True)
    ctx.ack()


async def main() -> None:
    """Run one turn for each tenant."""
    runner = TurnRunner(
        storage=NoopStorage(),
        refresh_standing_instructions=rules_of_tenant,  # overrides one operation of the storage
        executor=recite,
        turn_input_pipeline=[load_rules],
    )
    runner.on("message", lambda chunk: print(chunk.full))
    trace = Trace(runner)
    for tenant in RULES:
        print(f"Tenant {tenant!r}:")
        turn = TurnInput(
            system_prompt="You help people.",
            standing_instructions=[HOUSE_RULE],
            stash={"tenant": {"id": tenant}},
        )
        await runner.run(turn)
        trace.show()


if __name__ == "__main__":
    asyncio.run(main())
