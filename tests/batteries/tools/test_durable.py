"""A yes that outlives the process: what is run, how often, and what the person is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.gates import HOUR, GateStore, gate_row
from tether import DispatchContext, Registry, Tool, ToolDownstreamError, tool
from tether.batteries.storage.errors import GateSettled, StoreFailed
from tether.batteries.storage.records import GateRow
from tether.batteries.testing import FakeClock, run_tool
from tether.batteries.tools.durable import IDEMPOTENCY_KEY, durable
from tether.batteries.tools.durable_decision import HERE, GateDecision
from tether.batteries.tools.durable_steps import AGAIN, MOST_KEPT, MOST_SHOWN, escaped
from tether.core.errors import Aborted, InputRefused, InvalidInitialToolValue, LimitExceeded
from tether.runtime.errors import InvalidTurnGateResolution, TurnGateTimeout
from tether.runtime.gate import TurnGate

Settle = Callable[[TurnGate[Any]], None]


class Purse:
    """A tool that pays, and the list of what it paid."""

    def __init__(self, gates: GateStore, output: Any = "paid") -> None:
        self.gates = gates
        self.output = output
        self.paid: list[int] = []
        self.shown: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.before: Callable[[], Any] = lambda: None

    def tool(self, **settings: Any) -> Tool:
        """Return the tool as a process that begins gets it."""

        @tool
        async def pay(ctx: DispatchContext, euros: int, to: str = "bob") -> Any:
            """Pay somebody."""
            self.keys.append(ctx.stash.get(IDEMPOTENCY_KEY))
            self.paid.append(euros)
            self.before()
            if isinstance(self.output, Exception):
                raise self.output
            return self.output

        wanted: dict[str, Any] = {"run": "job", "expires_in": HOUR, "poll_ms": 5, **settings}
        return durable(pay, self.gates, **wanted)

    def deciding(self, value: Any) -> Settle:
        def settle(gate: TurnGate[Any]) -> None:
            self.shown.append(gate.payload)
            gate.resolve(value)

        return settle

    async def pay(self, euros: int = 5, decision: Any = True, **settings: Any) -> Any:
        """Start the run and call the tool once; whoever is asked decides at once."""
        return await run_tool(
            self.tool(**settings), {"euros": euros}, on_gate=self.deciding(decision)
        )

    async def rows(self) -> list[GateRow]:
        states: Any = ("open", "approved", "denied", "expired", "running", "done", "failed")
        return list(await self.gates.gates(states=(*states, "unknown")))

    async def states(self) -> list[str]:
        return [row.state for row in await self.rows()]


def unasked(gate: TurnGate[Any]) -> None:
    """Settle nothing; and nobody should be asked."""
    raise AssertionError(f"somebody was asked: {gate.payload}")


def left_open(gate: TurnGate[Any]) -> None:
    """Leave the decision to somebody else."""


@pytest.fixture
async def gates() -> AsyncIterator[GateStore]:
    store = await GateStore.open()
    yield store
    await store.aclose()


@pytest.fixture
def purse(gates: GateStore) -> Purse:
    return Purse(gates)


async def cause(call: Any) -> BaseException | None:
    with pytest.raises(ToolDownstreamError) as caught:
        await call
    return caught.value.__cause__


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(20):
        while not await condition():
            await asyncio.sleep(0.002)


async def test_a_yes_runs_it_and_keeps_who_and_what(purse: Purse) -> None:
    assert await purse.pay(owner="ada") == "paid"
    (row,) = await purse.rows()
    assert (row.state, row.decided_by, row.owner, row.step) == ("done", "ada", "ada", 0)
    assert (row.tool, row.arguments) == ("pay", '{"euros":5,"to":"bob"}')
    assert purse.keys == [row.id]


async def test_the_row_is_there_before_anybody_is_shown_it(purse: Purse) -> None:
    stored: list[Any] = []
    reading: list[asyncio.Task[None]] = []

    def look(gate: TurnGate[Any]) -> None:
        async def read() -> None:
            stored.append(await purse.gates.gate(gate.id))
            gate.resolve(True)

        reading.append(asyncio.create_task(read()))

    await run_tool(purse.tool(), {"euros": 5}, on_gate=look)
    assert [row.state for row in stored] == ["open"]


async def test_the_person_sees_the_call_and_nothing_a_model_said(purse: Purse) -> None:
    await run_tool(
        purse.tool(), {"euros": 5, "to": "b\u202eob\n\u3164!"}, on_gate=purse.deciding(True)
    )
    (row,) = await purse.rows()
    assert purse.shown == [
        {
            "gate": row.id,
            "run": "job",
            "step": 0,
            "tool": "pay",
            "arguments": '{"euros":5,"to":"b\\u202eob\\n\\u3164!"}',
            "characters": 27,
            "hidden": 2,
            "checksum": row.checksum,
            "expires_at": row.expires_at.isoformat(),
            "warning": "",
        }
    ]


@given(st.text())
def test_escaping_hides_nothing_and_changes_no_value(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False)
    shown, count = escaped(written)
    assert json.loads(shown) == text
    assert shown.isprintable()
    assert count == 0 or len(shown) > len(written)
    assert (count == 0) == (shown == written)


async def test_a_no_is_told_to_the_model_and_stands(purse: Purse) -> None:
    refused = await cause(purse.pay(decision=False))
    assert isinstance(refused, InputRefused)
    assert "refused it; do not repeat it" in refused.message
    assert [(row.state, row.decided_by) for row in await purse.rows()] == [("denied", HERE)]
    again = run_tool(purse.tool(), {"euros": 5}, on_gate=unasked)
    assert "refused it" in str(await cause(again))
    assert purse.paid == []


async def test_a_decision_can_name_who_and_why(purse: Purse) -> None:
    def decide(gate: TurnGate[Any]) -> None:
        about = {"gate": gate.id, "checksum": gate.payload["checksum"]}
        gate.resolve(GateDecision(**about, approved=False, by="grace", note="too much"))

    refused = await cause(run_tool(purse.tool(), {"euros": 5}, on_gate=decide))
    assert "refused it, saying: too much;" in str(refused)
    assert [row.decided_by for row in await purse.rows()] == ["grace"]


async def test_a_decision_about_something_else_leaves_the_gate_open(purse: Purse) -> None:
    problems: list[str] = []

    def decide(gate: TurnGate[Any]) -> None:
        about = {"gate": gate.id, "checksum": gate.payload["checksum"], "by": "ada"}
        forms: list[Any] = [
            GateDecision(**{**about, "gate": "another"}, approved=True),
            GateDecision(**{**about, "checksum": "0" * 64}, approved=True),
            GateDecision(**{**about, "by": " "}, approved=True),
            GateDecision(**about, approved="yes"),  # type: ignore[arg-type]
            1,
            "already approved",
            {"approved": True},
        ]
        for form in forms:
            with pytest.raises(InvalidTurnGateResolution) as refused:
                gate.resolve(form)
            problems.append(str(refused.value))
            assert not gate.is_settled
        gate.resolve(False)

    await cause(run_tool(purse.tool(), {"euros": 5}, on_gate=decide))
    assert len(problems) == 7
    assert purse.paid == []


@pytest.mark.parametrize("approved", [True, False])
async def test_another_process_decides(tmp_path: Path, approved: bool) -> None:
    here, there = [await GateStore.open(tmp_path / "store.sqlite") for _ in range(2)]
    purse = Purse(here)
    closed: list[TurnGate[Any]] = []
    call = asyncio.create_task(run_tool(purse.tool(), {"euros": 5}, on_gate=closed.append))
    await until(there.gates)
    (row,) = await there.gates()
    await there.settle_gate(row.id, approved=approved, by="ada", checksum=row.checksum)
    if approved:
        assert await call == "paid"
    else:
        assert isinstance(await cause(call), InputRefused)
    assert closed[0].result == "resolved"
    assert (await there.gate(row.id)).decided_by == "ada"
    assert len(purse.paid) == int(approved)
    await here.aclose()
    await there.aclose()


async def test_the_row_decides_where_this_process_says_otherwise(purse: Purse) -> None:
    class Late(GateStore):
        async def settle_gate(self, id: str, **given: Any) -> GateRow:
            first: dict[str, Any] = {**given, "approved": False, "by": "grace"}
            await super().settle_gate(id, **first)
            return await super().settle_gate(id, **given)

    purse.gates = Late(purse.gates.database)
    assert "refused it" in str(await cause(purse.pay(decision=True)))
    assert purse.paid == []


async def test_nobody_deciding_in_time_is_a_no(purse: Purse) -> None:
    closed: list[TurnGate[Any]] = []
    call = run_tool(
        purse.tool(expires_in=timedelta(milliseconds=30)), {"euros": 5}, on_gate=closed.append
    )
    assert isinstance(await cause(call), TurnGateTimeout)
    assert await purse.states() == ["expired"]
    assert closed[0].result == "rejected"
    again = run_tool(purse.tool(), {"euros": 5}, on_gate=unasked)
    assert isinstance(await cause(again), TurnGateTimeout)
    assert purse.paid == []


async def test_a_wait_ends_although_the_clock_was_set_back() -> None:
    clock = FakeClock()
    gates = await GateStore.open(None, clock)  # stands still: by the clock nothing ever expires
    purse = Purse(gates)
    short = purse.tool(expires_in=timedelta(milliseconds=30))
    call = run_tool(short, {"euros": 5}, on_gate=left_open, clock=clock)
    assert isinstance(await cause(call), TurnGateTimeout)
    assert await purse.states() == ["expired"]
    await gates.aclose()


async def test_a_clock_that_jumps_ahead_expires_and_never_approves() -> None:
    clock = FakeClock()
    purse = Purse(await GateStore.open(None, clock))
    call = asyncio.create_task(run_tool(purse.tool(), {"euros": 5}, on_gate=left_open, clock=clock))
    await until(purse.gates.gates)
    clock.advance(86_400)
    assert isinstance(await cause(call), TurnGateTimeout)
    assert purse.paid == []
    await purse.gates.aclose()


@pytest.mark.parametrize("output", ["paid", b"\x00\xff", None, {"a": [1, {"b": None}]}, 7, ""])
async def test_a_step_that_is_done_is_not_run_again(purse: Purse, output: Any) -> None:
    purse.output = output
    assert await purse.pay() == output
    assert await run_tool(purse.tool(), {"euros": 5}, on_gate=unasked) == output
    assert purse.paid == [5]


@pytest.mark.parametrize("output", [object(), "x" * MOST_KEPT, float("nan")])
async def test_a_result_that_cannot_be_kept_is_not_made_again(purse: Purse, output: Any) -> None:
    purse.output = output
    assert await purse.pay() is output
    again = run_tool(purse.tool(), {"euros": 5}, on_gate=unasked)
    assert "done before the restart" in str(await cause(again))
    assert purse.paid == [5]


@pytest.mark.parametrize(
    "error", [ValueError("no funds"), InputRefused("no funds"), ValueError("no funds \ud800\x00")]
)
async def test_a_failure_is_told_again(purse: Purse, error: Exception) -> None:
    purse.output = error
    assert await cause(purse.pay()) is error
    again = await cause(run_tool(purse.tool(), {"euros": 5}, on_gate=unasked))
    assert isinstance(again, InputRefused)
    assert "no funds" in again.message
    assert (purse.paid, await purse.states()) == ([5], ["failed"])


async def test_an_approval_is_only_for_the_very_call(purse: Purse) -> None:
    """The model pays 1 and 2, is started again and pays 2, 3 and 1."""
    first = purse.tool()
    for euros in (1, 2):
        await run_tool(first, {"euros": euros}, on_gate=purse.deciding(True))
    second = purse.tool()
    for euros in (2, 3, 1):
        await run_tool(second, {"euros": euros}, on_gate=purse.deciding(True))
    assert purse.paid == [1, 2, 3]
    rows = await purse.rows()
    assert [(row.step, json.loads(row.arguments)["euros"]) for row in rows] == [
        (0, 1),
        (1, 2),
        (2, 3),
    ]


async def test_the_same_call_twice_is_two_steps(purse: Purse) -> None:
    first = purse.tool()
    for _ in range(2):
        await run_tool(first, {"euros": 5}, on_gate=purse.deciding(True))
    assert (purse.paid, len(purse.shown)) == ([5, 5], 2)
    second = purse.tool()
    for _ in range(2):
        await run_tool(second, {"euros": 5}, on_gate=unasked)
    assert purse.paid == [5, 5]
    await run_tool(second, {"euros": 5}, on_gate=purse.deciding(True))
    assert (purse.paid, len(await purse.rows())) == ([5, 5, 5], 3)


async def test_equal_calls_at_once_do_not_share_an_approval(purse: Purse) -> None:
    both = purse.tool()
    calls = (
        run_tool(both, {"euros": 5}, on_gate=purse.deciding(decision)) for decision in (True, False)
    )
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(outcome == "paid" for outcome in outcomes) == 1
    assert (purse.paid, sorted(await purse.states())) == ([5], ["denied", "done"])


async def test_two_tools_share_a_run(purse: Purse) -> None:
    @tool
    def look() -> str:
        """Look."""
        return "seen"

    async def life(settle: Settle) -> list[Any]:
        wrapped = durable(look, purse.gates, run="job", expires_in=HOUR)
        return [
            await run_tool(purse.tool(), {"euros": 5}, on_gate=settle),
            await run_tool(wrapped, {}, on_gate=settle),
        ]

    assert await life(purse.deciding(True)) == await life(unasked) == ["paid", "seen"]
    assert [row.tool for row in await purse.rows()] == ["pay", "look"]


async def test_what_may_have_run_is_asked_again_under_the_same_key(purse: Purse) -> None:
    row = await purse.gates.open_gate(gate_row(args={"euros": 5, "to": "bob"}))
    await purse.gates.settle_gate(row.id, approved=True, by="ada", checksum=row.checksum)
    await purse.gates.claim_gate(row.id, checksum=row.checksum)
    await cause(purse.pay(decision=False))
    assert purse.paid == []
    assert "may have run already" in purse.shown[0]["warning"]
    assert [(it.state, it.reason) for it in await purse.rows()] == [
        ("unknown", "tool_approval"),
        ("denied", AGAIN),
    ]
    again = run_tool(purse.tool(), {"euros": 5}, on_gate=unasked)
    assert "refused it" in str(await cause(again))


async def test_what_is_approved_again_runs_once_more_and_is_found_later(purse: Purse) -> None:
    purse.before = lambda: (_ for _ in ()).throw(Aborted("killed"))
    with pytest.raises(Aborted):
        await purse.pay()
    assert await purse.states() == ["running"]
    purse.before = lambda: None
    assert await purse.pay() == "paid"
    assert await run_tool(purse.tool(), {"euros": 5}, on_gate=unasked) == "paid"
    rows = await purse.rows()
    assert [row.state for row in rows] == ["unknown", "done"]
    assert purse.paid == [5, 5]
    assert purse.keys == [rows[0].id, rows[0].id]


async def test_the_key_is_in_the_metadata_of_the_call(gates: GateStore) -> None:
    seen: list[Any] = []

    def handle(arguments: Any, ctx: DispatchContext, meta: Registry) -> str:
        seen.extend([meta.get(IDEMPOTENCY_KEY), meta.get("team")])
        return "sent"

    @tool(meta={"team": "mail"})
    def send() -> str:
        """Send."""
        raise AssertionError

    plain = send.wrapped(lambda _: handle)
    await run_tool(
        durable(plain, gates, run="job", expires_in=HOUR), {}, on_gate=lambda it: it.resolve(True)
    )
    (row,) = await gates.gates(states=["done"])
    assert seen == [row.id, "mail"]
    assert not plain.meta.has(IDEMPOTENCY_KEY)


@pytest.mark.parametrize("moment", ["deciding", "claimed"])
async def test_arguments_that_change_after_they_were_shown_are_not_run(
    gates: GateStore, moment: str
) -> None:
    ran: list[Any] = []
    arguments: dict[str, Any] = {"to": "bob"}

    def handle(given: Any, ctx: DispatchContext, meta: Registry) -> None:
        ran.append(given)

    class Sly(GateStore):
        async def claim_gate(self, id: str, *, checksum: str) -> GateRow | None:
            row = await super().claim_gate(id, checksum=checksum)
            arguments["to"] = "eve"
            return row

    def decide(gate: TurnGate[Any]) -> None:
        if moment == "deciding":
            arguments["to"] = "eve"
        gate.resolve(True)

    @tool
    def pay(to: str) -> None:
        """Pay."""

    store = gates if moment == "deciding" else Sly(gates.database)
    sly = pay.wrapped(lambda _: handle)
    wrapped = durable(sly, store, run="job", expires_in=HOUR)
    shared = wrapped.wrapped(lambda inner: lambda _, ctx, meta: inner(arguments, ctx, meta))
    error = await cause(run_tool(shared, {"to": "bob"}, on_gate=decide))
    assert isinstance(error, (GateSettled, InputRefused))
    assert ran == []


async def test_a_run_that_goes_away_while_it_waits_is_parked(purse: Purse) -> None:
    closed: list[TurnGate[Any]] = []
    call = asyncio.create_task(run_tool(purse.tool(), {"euros": 5}, on_gate=closed.append))
    await until(purse.gates.gates)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert closed[0].result == "aborted"
    (row,) = await purse.gates.gates()
    await purse.gates.settle_gate(row.id, approved=True, by="ada", checksum=row.checksum)
    assert await run_tool(purse.tool(), {"euros": 5}, on_gate=unasked) == "paid"
    assert purse.paid == [5]


async def test_a_gate_that_is_closed_is_parked_too(purse: Purse) -> None:
    await cause(run_tool(purse.tool(), {"euros": 5}, on_gate=lambda gate: gate.abort()))
    assert (await purse.states(), purse.paid) == (["open"], [])


async def test_the_end_is_written_down_even_if_nobody_waits_any_more(purse: Purse) -> None:
    inside, go_on = asyncio.Event(), asyncio.Event()

    class Slow(GateStore):
        async def finish_gate(self, id: str, **given: Any) -> GateRow:
            inside.set()
            await go_on.wait()
            return await super().finish_gate(id, **given)

    purse.gates = Slow(purse.gates.database)
    call = asyncio.create_task(purse.pay())
    await inside.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    go_on.set()
    await until(lambda: purse.gates.gates(states=["done"]))


async def test_a_store_that_fails_at_the_end_does_not_undo_what_was_done(purse: Purse) -> None:
    class Full(GateStore):
        async def finish_gate(self, id: str, **given: Any) -> GateRow:
            raise StoreFailed("the disk is full")

    store, purse.gates = purse.gates, Full(purse.gates.database)
    assert await purse.pay() == "paid"
    assert await purse.states() == ["running"]
    purse.gates = store
    await cause(purse.pay(decision=False))
    assert "may have run already" in purse.shown[1]["warning"]


async def test_a_store_that_is_away_for_a_moment_does_not_end_a_wait(purse: Purse) -> None:
    looks: list[str] = []

    class Shaky(GateStore):
        async def gate(self, id: str, *, owner: str | None = None) -> GateRow:
            looks.append(id)
            if len(looks) < 3:
                raise StoreFailed("locked")
            row = await super().gate(id, owner=owner)
            if row.state == "open":
                await self.settle_gate(id, approved=True, by="ada", checksum=row.checksum)
            return row

    purse.gates = Shaky(purse.gates.database)
    assert await run_tool(purse.tool(), {"euros": 5}, on_gate=left_open) == "paid"


async def test_a_decision_about_an_altered_row_runs_nothing(purse: Purse) -> None:
    altering: list[asyncio.Task[None]] = []

    def decide(gate: TurnGate[Any]) -> None:
        async def alter() -> None:
            async with purse.gates.database.writing() as transaction:
                await transaction.execute("UPDATE gates SET arguments = ?", ('{"euros":500}',))
            gate.resolve(True)

        altering.append(asyncio.create_task(alter()))

    error = await cause(run_tool(purse.tool(), {"euros": 5}, on_gate=decide))
    assert isinstance(error, GateSettled)
    assert purse.paid == []


@pytest.mark.parametrize("ends", [True, False])
async def test_a_step_that_another_process_has_claimed_is_waited_for(
    purse: Purse, ends: bool
) -> None:
    class Second(GateStore):
        """Is always a little later than somebody else."""

        async def claim_gate(self, id: str, *, checksum: str) -> GateRow | None:
            await super().claim_gate(id, checksum=checksum)
            return await super().claim_gate(id, checksum=checksum)

        async def gate(self, id: str, *, owner: str | None = None) -> GateRow:
            if ends:
                await super().finish_gate(id, result='{"kind":"json","value":"theirs"}')
            return await super().gate(id, owner=owner)

    purse.gates = Second(purse.gates.database)
    if ends:
        assert await purse.pay() == "theirs"
    else:
        patience = timedelta(milliseconds=40)
        assert "not known (running)" in str(await cause(purse.pay(expires_in=patience)))
    assert purse.paid == []


async def test_a_step_that_another_process_runs_while_this_one_asks(purse: Purse) -> None:
    class Busy(GateStore):
        """Somebody else approves it, runs it, and is done a little later."""

        async def gate(self, id: str, *, owner: str | None = None) -> GateRow:
            row = await super().gate(id, owner=owner)
            if row.state == "open":
                await self.settle_gate(id, approved=True, by="ada", checksum=row.checksum)
                await self.claim_gate(id, checksum=row.checksum)
                return await super().gate(id, owner=owner)
            return await self.finish_gate(id, result='{"kind":"json","value":"theirs"}')

    purse.gates = Busy(purse.gates.database)
    assert await run_tool(purse.tool(), {"euros": 5}, on_gate=left_open) == "theirs"
    assert purse.paid == []


async def test_a_call_that_nobody_could_read_is_refused(purse: Purse) -> None:
    wrapped = purse.tool()
    call = run_tool(wrapped, {"euros": 5, "to": "x" * MOST_SHOWN}, on_gate=unasked)
    assert isinstance(await cause(call), LimitExceeded)
    assert await purse.rows() == []


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"run": ""}, "run"),
        ({"expires_in": timedelta()}, "expires_in"),
        ({"expires_in": 60}, "expires_in"),
        ({"poll_ms": 0}, "poll_ms"),
        ({"poll_ms": True}, "poll_ms"),
    ],
)
def test_unfit_settings_are_named(wrong: dict[str, Any], named: str) -> None:
    @tool
    def pay() -> None:
        """Pay."""

    given: dict[str, Any] = {"run": "job", "expires_in": HOUR, **wrong}
    with pytest.raises(InvalidInitialToolValue, match=named):
        durable(pay, GateStore(None), **given)  # type: ignore[arg-type]


def test_tool_and_store_have_to_be_such() -> None:
    with pytest.raises(InvalidInitialToolValue) as refused:
        durable(None, object(), run="job", expires_in=HOUR)  # type: ignore[arg-type]
    assert {problem.path for problem in refused.value.problems} == {"tool", "gates"}
