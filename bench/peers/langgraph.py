"""The three cases on LangGraph: plain functions as nodes, its own node for tools.

No chat model is involved, which favours LangGraph: its runnables and callbacks would come on top.
Chunks leave through the stream writer, the leanest way there is.
"""

import json
import os
from typing import Any

os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"

from bench import work
from bench.peers.harness import report
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


async def say(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(work.REPLY)]}


async def call_then_say(state: MessagesState) -> dict[str, Any]:
    if len(state["messages"]) > 2:
        return await say(state)
    call = {"name": work.TOOL, "args": json.loads(work.ARGUMENTS), "id": work.CALL_ID}
    return {"messages": [AIMessage("", tool_calls=[call])]}


async def say_in_chunks(state: MessagesState) -> dict[str, Any]:
    write = get_stream_writer()
    full = ""
    for chunk in work.CHUNKS:
        full += chunk
        write({"delta": chunk, "full": full})
    return {"messages": [AIMessage(full)]}


def one_node(node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("model", node)
    graph.add_edge(START, "model")
    graph.add_edge("model", END)
    return graph.compile()


def with_tools(node: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("model", node)
    graph.add_node("tools", ToolNode([tool(work.forecast)]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()


def begin() -> dict[str, Any]:
    return {"messages": [SystemMessage(work.SYSTEM_PROMPT), HumanMessage("How is the weather?")]}


plain, tools, streaming = one_node(say), with_tools(call_then_say), one_node(say_in_chunks)


async def plain_turn() -> str:
    return (await plain.ainvoke(begin()))["messages"][-1].content


async def tool_turn() -> str:
    return (await tools.ainvoke(begin()))["messages"][-1].content


async def stream() -> int:
    count = 0
    async for _ in streaming.astream(begin(), stream_mode="custom"):
        count += 1
    return count


if __name__ == "__main__":
    imports = "import langgraph.graph, langgraph.prebuilt"
    report("langgraph", imports, plain_turn, tool_turn, stream)
