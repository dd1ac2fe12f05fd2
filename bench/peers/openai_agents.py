"""The three cases on openai-agents, with a model that answers from a script."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from bench import work
from bench.peers.harness import report
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

set_tracing_disabled(True)


def message(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id=work.MESSAGE_ID, type="message", role="assistant", status="completed", content=[content]
    )


def call() -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        call_id=work.CALL_ID, name=work.TOOL, arguments=work.ARGUMENTS, type="function_call"
    )


class Scripted(Model):
    """Answers from the items it is given: calls the tool first if it has one."""

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,
        model_settings: Any,
        tools: Any,
        *rest: Any,
        **more: Any,
    ) -> ModelResponse:
        output = call() if tools and len(input) == 1 else message(work.REPLY)
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    async def stream_response(self, *rest: Any, **more: Any) -> AsyncIterator[Any]:
        for number, chunk in enumerate(work.CHUNKS):
            yield ResponseTextDeltaEvent(
                content_index=0,
                delta=chunk,
                item_id=work.MESSAGE_ID,
                logprobs=[],
                output_index=0,
                sequence_number=number,
                type="response.output_text.delta",
            )
        yield ResponseCompletedEvent(
            response=_response(), sequence_number=len(work.CHUNKS), type="response.completed"
        )


def _response() -> Response:
    return Response(
        id="response_1",
        created_at=0,
        model="scripted",
        object="response",
        output=[message("".join(work.CHUNKS))],
        tool_choice="auto",
        tools=[],
        parallel_tool_calls=False,
    )


def agent(tools: Sequence[Any] = ()) -> Agent:
    return Agent(name="bench", instructions=work.SYSTEM_PROMPT, model=Scripted(), tools=list(tools))


plain, with_tool = agent(), agent([function_tool(work.forecast)])


async def plain_turn() -> str:
    return (await Runner.run(plain, "How is the weather?")).final_output


async def tool_turn() -> str:
    return (await Runner.run(with_tool, "How is the weather?")).final_output


async def stream() -> int:
    count = 0
    async for event in Runner.run_streamed(plain, "How is the weather?").stream_events():
        if event.type == "raw_response_event" and event.data.type.endswith("text.delta"):
            count += 1
    return count


if __name__ == "__main__":
    report("openai-agents", "import agents", plain_turn, tool_turn, stream)
