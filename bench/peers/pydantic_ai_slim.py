"""The three cases on pydantic-ai-slim, with its own model for tests: a function that answers.

Instrumentation is off unless somebody switches it on, and nobody does here.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from bench import work
from bench.peers.harness import report
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


async def say(messages: list[Any], info: Any) -> ModelResponse:
    return ModelResponse(parts=[TextPart(work.REPLY)])


async def call_then_say(messages: list[Any], info: Any) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart(work.TOOL, work.ARGUMENTS, work.CALL_ID)])
    return ModelResponse(parts=[TextPart(work.REPLY)])


async def say_in_chunks(messages: list[Any], info: Any) -> AsyncIterator[str]:
    for chunk in work.CHUNKS:
        yield chunk


def agent(model: FunctionModel, tools: Sequence[Any] = ()) -> Agent:
    return Agent(model, system_prompt=work.SYSTEM_PROMPT, tools=tools)


plain = agent(FunctionModel(say))
with_tool = agent(FunctionModel(call_then_say), [work.forecast])
streaming = agent(FunctionModel(stream_function=say_in_chunks))


async def plain_turn() -> str:
    return (await plain.run("How is the weather?")).output


async def tool_turn() -> str:
    return (await with_tool.run("How is the weather?")).output


async def stream() -> int:
    count = 0
    async with streaming.run_stream("How is the weather?") as reply:
        async for _ in reply.stream_text(delta=True, debounce_by=None):
            count += 1
    return count


if __name__ == "__main__":
    report("pydantic-ai-slim", "import pydantic_ai", plain_turn, tool_turn, stream)
