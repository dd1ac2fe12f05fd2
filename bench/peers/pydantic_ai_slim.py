"""The three cases on pydantic-ai-slim, with its own model for tests: a function that answers."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from bench import work
from bench.peers.harness import report


def say(messages, info):
    return ModelResponse(parts=[TextPart(work.REPLY)])


def call_then_say(messages, info):
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart(work.TOOL, work.ARGUMENTS, work.CALL_ID)])
    return ModelResponse(parts=[TextPart(work.REPLY)])


async def say_in_chunks(messages, info):
    for chunk in work.CHUNKS:
        yield chunk


def agent(model, tools=()):
    return Agent(model, system_prompt=work.SYSTEM_PROMPT, tools=tools, instrument=False)


plain = agent(FunctionModel(say))
with_tool = agent(FunctionModel(call_then_say), [work.forecast])
streaming = agent(FunctionModel(stream_function=say_in_chunks))


async def plain_turn():
    return (await plain.run("How is the weather?")).output


async def tool_turn():
    return (await with_tool.run("How is the weather?")).output


async def stream():
    count = 0
    async with streaming.run_stream("How is the weather?") as reply:
        async for _ in reply.stream_text(delta=True, debounce_by=None):
            count += 1
    return count


if __name__ == "__main__":
    report("pydantic-ai-slim", "import pydantic_ai", plain_turn, tool_turn, stream)
