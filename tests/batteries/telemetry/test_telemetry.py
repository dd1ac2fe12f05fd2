"""Spans and metrics of real turns, read back from OpenTelemetry's own in-memory exporters."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from threading import Thread
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from support.chat_replies import said
from support.faulty_endpoint import FaultyEndpoint, http_response
from support.turns import TURN, Ran, add, fail
from tether import (
    BudgetLedger,
    CallNext,
    Context,
    DispatchContext,
    DispatchRunner,
    GateRequest,
    Helpers,
    InputRefused,
    NoopStorage,
    RawDispatch,
    TurnGate,
    TurnRunner,
    tool,
)
from tether.batteries.models.chat_completions import ChatCompletions
from tether.batteries.models.scripted import Script
from tether.batteries.telemetry import Telemetry
from tether.batteries.telemetry.signals import Attribute, Metric, Operation
from tether.batteries.testing import Call, FakeClock, Say, ScriptedModel

VOCABULARY = "opentelemetry.semconv._incubating"  # untyped, and private while it changes
CANARY = "canary-7f3a"
FINISHED: dict[str, Any] = {
    "wire": "chat-completions",
    "model": "gpt-x",
    "response_model": "gpt-x-2026",
    "response_id": "resp-1",
    "finish_reason": "stop",
    "usage": {"input_tokens": 12, "output_tokens": 3, "cached_tokens": 4, "reasoning_tokens": 1},
    "streamed": True,
    "attempts": 2,
    "duration_ms": 1_500.0,
    "time_to_first_delta_ms": 250.0,
}


class Observatory:
    """A telemetry with exporters in memory."""

    def __init__(self, **settings: Any) -> None:
        self.exporter = InMemorySpanExporter()
        tracing = TracerProvider()
        tracing.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = tracing.get_tracer("test")
        self.reader = InMemoryMetricReader()
        self.telemetry = Telemetry(
            tracer_provider=tracing,
            meter_provider=MeterProvider(metric_readers=[self.reader]),
            **settings,
        )

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    def span(self, name: str) -> ReadableSpan:
        (found,) = (span for span in self.spans if span.name == name)
        return found

    def parent_name(self, name: str) -> str | None:
        parent = self.span(name).parent
        if parent is None:
            return None
        (found,) = (s for s in self.spans if s.context and s.context.span_id == parent.span_id)
        return found.name

    def points(self, metric: str) -> list[Any]:
        data = self.reader.get_metrics_data()
        return [
            point
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for found in scope.metrics
            if found.name == metric
            for point in found.data.data_points
        ]

    def everything(self) -> str:
        data = self.reader.get_metrics_data()
        return "".join(span.to_json() for span in self.spans) + (data.to_json() if data else "")


def attributes(span: ReadableSpan) -> Mapping[str, Any]:
    return span.attributes or {}


def finishing(payload: Mapping[str, Any] | None) -> Any:
    """An executor that says how a request went, and acks."""

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        helpers.log.info("generation-finished", "done", payload)
        ctx.ack()

    return execute


async def test_a_turn_with_a_tool_is_a_tree_of_spans() -> None:
    script: Script = [[Call("add", {"a": 1, "b": 2})], [Say("3")]]
    seen = Observatory(agent_name="adder", provider_name="openai")
    run = Ran(ScriptedModel(script), tools=[add])
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)

    tool = "execute_tool add"
    names = [span.name for span in seen.spans]
    assert names == [tool, "iteration", "iteration", "dispatch", "invoke_agent adder"]
    assert seen.parent_name("dispatch") == "invoke_agent adder"
    assert seen.parent_name(tool) == "iteration"
    assert seen.parent_name("invoke_agent adder") is None
    turn = attributes(seen.span("invoke_agent adder"))
    assert turn[Attribute.OPERATION] == "invoke_agent"
    assert turn[Attribute.AGENT] == "adder"
    assert turn[Attribute.PROVIDER] == "openai"
    assert turn[Attribute.TURN] == run.turn.id
    dispatch = attributes(seen.span("dispatch"))
    assert (dispatch[Attribute.DISPATCH_STATUS], dispatch[Attribute.ITERATIONS]) == ("ack", 1)
    assert attributes(seen.span(tool))[Attribute.TOOL] == "add"
    assert seen.telemetry.open_spans == 0
    assert {span.status.status_code for span in seen.spans} == {StatusCode.UNSET}
    (point,) = seen.points(Metric.TURN_DURATION)
    assert (point.count, dict(point.attributes)) == (1, {Attribute.AGENT: "adder"})
    assert [p.attributes[Attribute.TOOL] for p in seen.points(Metric.TOOL_DURATION)] == ["add"]


async def test_a_request_to_the_model_is_a_client_span_with_the_common_names() -> None:
    seen = Observatory()
    clock = FakeClock()
    run = Ran(finishing(FINISHED), clock=clock)
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)

    span = seen.span("chat gpt-x")
    assert span.kind is SpanKind.CLIENT
    assert seen.parent_name("chat gpt-x") == "iteration"
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.end_time - span.start_time == 1_500_000_000
    assert dict(attributes(span)) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.response.id": "resp-1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.request.stream": True,
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.reasoning.output_tokens": 1,
        "tether.wire": "chat-completions",
        "gen_ai.response.time_to_first_chunk": 0.25,
        "tether.request.attempts": 2,
    }
    tokens = {p.attributes["gen_ai.token.type"]: p.sum for p in seen.points(Metric.TOKEN_USAGE)}
    assert tokens == {"input": 12, "output": 3}
    assert [p.sum for p in seen.points(Metric.OPERATION_DURATION)] == [1.5]
    assert [p.sum for p in seen.points(Metric.TIME_TO_FIRST_CHUNK)] == [0.25]


@pytest.mark.parametrize("payload", [None, {}, {"duration_ms": "long", "usage": None}])
async def test_a_request_that_says_little_of_itself_is_a_span_all_the_same(
    payload: Mapping[str, Any] | None,
) -> None:
    seen = Observatory()
    run = Ran(finishing(payload))
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)
    assert dict(attributes(seen.span("chat unknown"))) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "unknown",
    }
    assert seen.points(Metric.TOKEN_USAGE) == []


async def test_a_failing_tool_and_a_nack_mark_their_spans() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await ScriptedModel([[Call("fail", {"why": CANARY})]])(ctx, helpers)
        ctx.nack(ValueError(CANARY))

    seen = Observatory()
    run = Ran(execute, tools=[fail])
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)
    failed = {s.name: attributes(s).get("error.type") for s in seen.spans if not s.status.is_ok}
    assert failed == {
        "execute_tool fail": "tool_error",
        "dispatch": "E_LLM_EXECUTION_NACKED",
        "invoke_agent tether": "E_LLM_EXECUTION_NACKED",
    }
    (point,) = seen.points(Metric.TOOL_DURATION)
    assert point.attributes["error.type"] == "tool_error"


async def test_an_error_outside_the_dispatch_marks_the_turn_alone() -> None:
    async def broken(ctx: Context, call_next: CallNext) -> None:
        raise ValueError(CANARY)

    seen = Observatory()
    run = Ran(turn_input_pipeline=[broken])
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)
    assert [span.name for span in seen.spans] == ["invoke_agent tether"]
    assert attributes(seen.spans[0])["error.type"] == "E_INPUT_PIPELINE_ERROR"


def gated(result: str) -> Any:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        request = GateRequest(id="g", reason=CANARY, payload={}, created_at=ctx.clock.now())
        try:
            await ctx.wait_for(request)
        except ValueError:
            assert result == "rejected"
        ctx.ack()

    return execute


@pytest.mark.parametrize("result", ["resolved", "rejected"])
async def test_a_gate_is_a_span_from_its_opening_to_its_end(result: str) -> None:
    def settle(gate: TurnGate[Any]) -> None:
        if result == "resolved":
            gate.resolve(CANARY)
        else:
            gate.reject(ValueError("no"))

    seen = Observatory()
    run = Ran(gated(result))
    seen.telemetry.attach(run.runner)
    run.runner.observe("turn_gate_open", settle)
    await run.runner.run(TURN)
    assert dict(attributes(seen.span("gate"))) == {
        "tether.gate.id": "g",
        "tether.gate.result": result,
    }
    assert seen.parent_name("gate") == "invoke_agent tether"
    (point,) = seen.points(Metric.GATE_DURATION)
    assert dict(point.attributes) == {"tether.gate.result": result}


async def chatty(ctx: DispatchContext, helpers: Helpers) -> None:
    """An executor that puts the canary wherever content can be."""
    helpers.log.warn("helper-warning", CANARY, {"text": CANARY})
    helpers.log.debug("unimportant", CANARY)
    await ScriptedModel([[Call("fail", {"why": CANARY}), Say(CANARY)]], chunk_size=4)(ctx, helpers)
    request = GateRequest(id="g", reason=CANARY, payload=CANARY, created_at=ctx.clock.now())
    await ctx.wait_for(request)
    ctx.nack(ValueError(CANARY))


async def _run_chatty(seen: Observatory) -> None:
    run = Ran(chatty, tools=[fail])
    seen.telemetry.attach(run.runner)
    run.runner.observe("turn_gate_open", lambda gate: gate.resolve(CANARY))
    await run.runner.run(TURN)
    assert seen.telemetry.open_spans == 0


async def test_nothing_that_was_said_leaves_unless_it_is_asked_for() -> None:
    seen = Observatory()
    await _run_chatty(seen)
    assert CANARY not in seen.everything()
    warnings = [e for span in seen.spans for e in span.events]
    assert [(e.name, dict(e.attributes or {})) for e in warnings] == [
        ("helper-warning", {"tether.log.level": "warn"})
    ]


async def test_content_is_captured_on_request() -> None:
    seen = Observatory(capture_content=True)
    await _run_chatty(seen)
    turn = seen.span("invoke_agent tether")
    message = {"role": "assistant", "parts": [{"type": "text", "content": CANARY}]}
    (shown,) = (event for event in turn.events if event.name == "message")
    assert json.loads(str((shown.attributes or {})[Attribute.OUTPUT_MESSAGES])) == [message]
    (call,) = (event for event in turn.events if event.name == "tool_call")
    assert CANARY in str((call.attributes or {})[Attribute.TOOL_RESULT])
    assert CANARY in attributes(seen.span("execute_tool fail"))[Attribute.TOOL_ARGUMENTS]
    assert attributes(seen.span("gate"))[Attribute.GATE_REASON] == CANARY
    (raised,) = seen.span("dispatch").events
    told = raised.attributes or {}
    assert told["exception.type"] == "E_LLM_EXECUTION_NACKED"
    assert CANARY in str(told["exception.message"])


async def test_captured_content_is_cut_everywhere() -> None:
    long = "ü" * 100_000

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await ScriptedModel([[Say(long), Call("fail", {"why": long})]])(ctx, helpers)
        request = GateRequest(id="g", reason=long, payload={}, created_at=ctx.clock.now())
        await ctx.wait_for(request)
        helpers.log.warn("k", long)
        ctx.nack(ValueError(long))

    seen = Observatory(capture_content=True)
    run = Ran(execute, tools=[fail])
    seen.telemetry.attach(run.runner)
    run.runner.observe("turn_gate_open", lambda gate: gate.resolve("yes"))
    await run.runner.run(TURN)
    events = [event for span in seen.spans for event in span.events]
    values = [v for span in seen.spans for v in attributes(span).values()]
    values += [value for event in events for value in (event.attributes or {}).values()]
    assert max(len(str(value)) for value in values) in range(16_384, 16_600)
    assert {event.name for event in events} == {"message", "tool_call", "k", "exception"}


async def test_what_a_provider_calls_itself_is_cut() -> None:
    seen = Observatory()
    facts = ["model", "response_model", "response_id", "finish_reason"]
    essay: dict[str, Any] = dict.fromkeys(facts, "x" * 9_000)
    run = Ran(finishing(essay))
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)
    assert "x" * 201 not in seen.everything()


async def test_a_request_that_failed_is_a_failed_span_with_its_duration() -> None:
    broken = http_response(400, body={"error": {"message": CANARY}})
    async with FaultyEndpoint(broken) as endpoint:
        model = ChatCompletions(model="asked", base_url=endpoint.url, auto_ack=True)
        seen = Observatory()
        run = Ran(model)
        seen.telemetry.attach(run.runner)
        await run.runner.run(TURN)
        await model.aclose()
    span = seen.span("chat asked")
    code = "E_OPENAI_CHAT_COMPLETIONS_HTTP_ERROR"
    assert attributes(span)["error.type"] == code
    assert not span.status.is_ok
    (point,) = seen.points(Metric.OPERATION_DURATION)
    assert point.attributes["error.type"] == code
    assert CANARY not in seen.everything()


async def test_the_model_asked_and_the_model_that_answered_are_told_apart() -> None:
    async with FaultyEndpoint(said("Hi")) as endpoint:
        model = ChatCompletions(model="asked", base_url=endpoint.url, auto_ack=True)
        seen = Observatory()
        run = Ran(model)
        seen.telemetry.attach(run.runner)
        await run.runner.run(TURN)
        await model.aclose()
    found = attributes(seen.span("chat asked"))
    assert (found[Attribute.REQUEST_MODEL], found[Attribute.RESPONSE_MODEL]) == ("asked", "served")


async def test_equal_calls_at_the_same_time_are_all_seen() -> None:
    @tool
    async def slow(a: int) -> str:
        """Take a while."""
        await asyncio.sleep(0)
        return str(a)

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        run_it = slow.executor(ctx)
        await asyncio.gather(*(run_it({"a": 1}) for _ in range(3)))
        ctx.ack()

    seen = Observatory()
    run = Ran(execute, tools=[slow])
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)
    assert [span.name for span in seen.spans].count("execute_tool slow") == 3
    assert seen.telemetry.open_spans == 0


async def test_a_runner_that_is_attached_twice_is_heard_once() -> None:
    seen = Observatory()
    run = Ran()
    seen.telemetry.attach(run.runner)
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)
    (point,) = seen.points(Metric.TURN_DURATION)
    assert point.count == 1


def test_one_telemetry_serves_several_threads() -> None:
    seen = Observatory()
    runner = TurnRunner(executor=finishing(FINISHED), storage=NoopStorage())
    seen.telemetry.attach(runner)

    async def turns() -> None:
        for _ in range(20):
            await runner.run(TURN)

    threads = [Thread(target=lambda: asyncio.run(turns())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen.spans) == 4 * 80
    assert seen.telemetry.open_spans == 0


async def test_turns_at_the_same_time_keep_their_own_trees() -> None:
    seen = Observatory()
    runner = TurnRunner(executor=finishing(FINISHED), storage=NoopStorage())
    seen.telemetry.attach(runner)
    await asyncio.gather(*(runner.run(TURN) for _ in range(5)))
    traces: dict[int, list[str]] = {}
    for span in seen.spans:
        assert span.context is not None
        traces.setdefault(span.context.trace_id, []).append(span.name)
    tree = ["chat gpt-x", "iteration", "dispatch", "invoke_agent tether"]
    assert [*traces.values()] == [tree] * 5
    assert seen.telemetry.open_spans == 0


async def test_a_turn_joins_the_trace_of_its_caller() -> None:
    seen = Observatory()
    run = Ran()
    seen.telemetry.attach(run.runner)
    with seen.tracer.start_as_current_span("request"):
        await run.runner.run(TURN)
    assert seen.parent_name("invoke_agent tether") == "request"


async def test_a_dispatch_that_stands_alone_is_its_own_root() -> None:
    seen = Observatory()
    await DispatchRunner.dispatch(
        executor=finishing(FINISHED),
        raw=RawDispatch(system_prompt="s", storage=NoopStorage()),
        observers=seen.telemetry.observers(),
    )
    assert [span.name for span in seen.spans] == ["chat gpt-x", "iteration", "dispatch"]
    assert seen.parent_name("dispatch") is None


async def test_a_detached_runner_is_no_longer_seen() -> None:
    seen = Observatory(capture_content=True)
    run = Ran(ScriptedModel([[Say("x")]]))
    seen.telemetry.attach(run.runner)
    seen.telemetry.detach(run.runner)
    await run.runner.run(TURN)
    assert seen.spans == ()


@pytest.fixture
def ledger() -> BudgetLedger:
    return BudgetLedger(
        turn_id="t",
        dispatch_id=None,
        iteration=None,
        model="m",
        known_model=True,
        encoding="o200k_base",
        estimated=False,
        window=100,
        system=10,
        tools=5,
        history=20,
        memories=5,
        evidence=20,
        question=10,
        reserved_output=25,
        free=5,
        shed={"retrievables": 2},
        refused=False,
        emitted_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


async def test_the_budget_is_written_on_the_span_it_belongs_to(ledger: BudgetLedger) -> None:
    async def budget(ctx: Context, call_next: CallNext) -> None:
        ctx.record(ledger._replace(turn_id=ctx.turn_id))
        await call_next()

    seen = Observatory()
    run = Ran(turn_input_pipeline=[budget])
    seen.telemetry.attach(run.runner)
    await run.runner.run(TURN)
    written = {
        key.removeprefix("tether.budget."): value
        for key, value in attributes(seen.span("invoke_agent tether")).items()
        if key.startswith("tether.budget.")
    }
    names = ("window", "system", "tools", "history", "memories", "evidence", "question")
    shares = {name: getattr(ledger, name) for name in (*names, "reserved_output", "free")}
    flags = {"known_model": True, "estimated": False, "refused": False}
    assert written == shares | flags | {"shed.retrievables": 2}


def events_without_a_beginning(ledger: BudgetLedger) -> Iterator[tuple[str, Any]]:
    """Events of a turn that began before anybody listened."""
    from tether import (
        DispatchEnd,
        ErrorRaised,
        LogEntry,
        MessageChunk,
        RunError,
        ToolCallProgress,
        ToolExecutionEnd,
        TurnGateClosed,
    )

    now = ledger.emitted_at
    yield "budget", ledger
    yield "dispatch_end", DispatchEnd("t", "d", "ack", 1, None, now, now, 0.0)
    yield "tool_execution_end", ToolExecutionEnd("t", "d", 0, "c", "x", True, now, now, 0.0)
    yield "turn_gate_closed", TurnGateClosed("t", "g", "aborted", now)
    yield "error", ErrorRaised("t", "d", 0, RunError("x"), now)
    yield "log", LogEntry("t", "d", 0, "warn", "k", "m", None, now)
    yield "message", MessageChunk("t", "m", "x", "x", True, now, now, now)
    call = ToolCallProgress("t", "c", None, None, None, None, True, False, now, now, now)
    yield "tool_call", call


def test_the_end_of_something_whose_beginning_was_missed_is_no_failure(
    ledger: BudgetLedger,
) -> None:
    seen = Observatory(capture_content=True)
    listeners = {**seen.telemetry.observers(), **seen.telemetry.hooks()}
    for name, event in events_without_a_beginning(ledger):
        listeners[name](event)
    assert seen.spans == ()
    assert seen.telemetry.open_spans == 0


def test_the_common_names_are_opentelemetrys_own() -> None:
    gen_ai_attributes = importlib.import_module(f"{VOCABULARY}.attributes.gen_ai_attributes")
    gen_ai_metrics = importlib.import_module(f"{VOCABULARY}.metrics.gen_ai_metrics")
    common = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI")}
    ours = {str(name) for name in Attribute if name.startswith("gen_ai.")}
    assert ours <= common
    metrics = {value for name, value in vars(gen_ai_metrics).items() if name.startswith("GEN_AI")}
    assert {str(name) for name in Metric if name.startswith("gen_ai.")} <= metrics
    operations = {str(value.value) for value in gen_ai_attributes.GenAiOperationNameValues}
    assert {str(name) for name in Operation} <= operations


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", none)
    monkeypatch.setattr("tether.batteries.telemetry.telemetry.find_spec", none)
    with pytest.raises(InputRefused, match=r"tether\[otel\]"):
        Telemetry()


async def test_without_providers_the_configured_ones_are_used() -> None:
    run = Ran()
    Telemetry().attach(run.runner)
    await run.runner.run(TURN)
    assert run.names[-1] == "turn_end"
    assert not isinstance(trace.get_current_span(), ReadableSpan)
