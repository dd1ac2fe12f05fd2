"""Two tools, fetched from storage, called in one iteration, their results used in the next."""

from __future__ import annotations

import ast
import asyncio
import operator
from typing import TYPE_CHECKING

from lifecycle import Trace
from tether import DispatchContext, SpooledArtifact, TurnInput, TurnRunner, new_id, tool
from tether.batteries.models.call_tool import call_tool
from tether.batteries.storage.memory import MemoryStorage

if TYPE_CHECKING:
    from tether import CallNext, Helpers, ToolCall, TurnContext

OPERATORS = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul}
CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("get_time", {}),
    ("calculate", {"expression": "(17 + 4) * 2"}),
    ("calculate", {"expression": "open('secrets')"}),
)


@tool(trusted=True)
def get_time(ctx: DispatchContext) -> str:
    """Return the current time in UTC."""
    return ctx.clock.now().strftime("%Y-%m-%d %H:%M UTC")


@tool(trusted=True)
def calculate(expression: str) -> str:
    """Work out an expression of numbers, + - * and brackets, such as "2 * (3 + 4)"."""
    if len(expression) > 100:
        raise ValueError("the expression is too long")
    return f"{value_of(ast.parse(expression, mode='eval').body):g}"


def value_of(node: ast.expr) -> float:
    """Return what a piece of arithmetic is worth. Anything that is not arithmetic is refused."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -value_of(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op).__name__ in OPERATORS:
            return float(OPERATORS[type(op).__name__](value_of(left), value_of(right)))
        case _:
            raise ValueError(f"not arithmetic: {ast.unparse(node)}")


async def offer_tools(ctx: TurnContext, call_next: CallNext) -> None:
    """Put the stored tools on offer: like every read, `fetch_tools` is called by a middleware."""
    for fetched in await ctx.fetch_tools():
        ctx.tools.register(fetched)
    await call_next()


async def use_tools(ctx: DispatchContext, helpers: Helpers) -> None:
    """Call three times in the first iteration; in the second, say what came back."""
    if ctx.iteration == 0:
        for name, args in CALLS:
            await call_tool(ctx, helpers, id=new_id(), name=name, args=args)
        return  # no signal, so the loop goes on
    lines = [f"{call.tool}: {await text_of(call)}" for call in ctx.turn_tool_calls]
    helpers.report_message(new_id(), "\n".join(lines), is_complete=True)
    ctx.ack()


async def text_of(call: ToolCall) -> str:
    """Read a result: an artifact where the tool succeeded, plain text where it failed."""
    results = call.results
    return await results.as_string() if isinstance(results, SpooledArtifact) else str(results)


async def main() -> None:
    """Run one turn of two iterations."""
    storage = MemoryStorage(tools=[get_time, calculate])
    runner = TurnRunner(storage=storage, executor=use_tools, turn_input_pipeline=[offer_tools])
    runner.on("message", lambda chunk: print(chunk.full, end="\n\n"))
    trace = Trace(runner)
    await runner.run(TurnInput(system_prompt="You use tools."))
    trace.show()


if __name__ == "__main__":
    asyncio.run(main())
