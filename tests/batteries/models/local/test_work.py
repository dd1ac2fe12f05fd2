"""What a person who waits for a local model is told: the phase, how far it is, and its speed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.local_engine import HELLO, SAME_PROMPT, talk
from tether.batteries.models.local import LoadProgress, LocalEngine, LocalModel
from tether.batteries.models.local.progress import (
    LEAST_MEASURED,
    WRITTEN_STEP,
    ReadProgress,
    WorkReports,
    WriteTimings,
)
from tether.batteries.models.progress import PROGRESS, WorkProgress

LONG: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be kind. " * 40},
        {"role": "user", "content": "Say hello."},
    ],
    "temperature": 0,
    "max_tokens": 20,
    "ignore_eos": True,
}


async def test_a_turn_tells_that_it_loads_reads_and_writes(smollm2: Path) -> None:
    async with LocalEngine(smollm2, context_window=512, threads=1, seed=7) as engine:
        run = await talk(LocalModel(engine, **SAME_PROMPT))
    entries = [entry for entry in run.of("log") if entry.kind == PROGRESS]
    assert {entry.level for entry in entries} == {"debug"}
    told = [WorkProgress(**entry.payload) for entry in entries]
    assert {work.model for work in told} == {engine.name}
    phases = [work.phase for work in told]
    assert phases == sorted(phases, key=["loading", "reading", "writing"].index)
    assert set(phases) == {"loading", "reading", "writing"}
    loaded = [work for work in told if work.phase == "loading"][-1]
    assert loaded.done == loaded.total
    assert loaded.done > 90_000_000
    read = [work for work in told if work.phase == "reading"]
    assert [work.done for work in read] == sorted(work.done for work in read)
    assert read[-1].done == read[-1].total
    (finished,) = [entry for entry in run.of("log") if entry.kind == "generation-finished"]
    usage = finished.payload["usage"]
    assert read[-1].total == usage["input_tokens"]
    assert told[-1].done == told[-1].total == usage["output_tokens"]
    assert told[-1].per_second


async def test_a_prompt_is_reported_batch_by_batch_with_its_speed(engine: LocalEngine) -> None:
    await engine.complete(HELLO, lambda piece: None)  # the cache holds another prompt
    heard: list[WorkProgress] = []
    await engine.complete(LONG, lambda piece: None, on_work=heard.append)
    reading = [work for work in heard if work.phase == "reading"]
    assert len(reading) > 2
    assert reading[-1].per_second
    assert engine.reading_speed == reading[-1].per_second
    writing = [work for work in heard if work.phase == "writing"]
    assert writing[-1].done == LONG["max_tokens"]
    assert 2 <= len(writing) <= 5, "not every piece is reported"


async def test_the_pace_is_measured_once_and_what_was_read_for_it_is_not_lost(
    smollm2: Path,
) -> None:
    text, heard = "You answer questions about documents, kindly. " * 8, list[WorkProgress]()
    async with LocalEngine(smollm2, context_window=512, threads=1) as engine:
        assert engine.reading_speed is None
        assert await engine.pace("Short.") is None, "too short to measure"
        speed = await engine.pace(text, heard.append)
        assert speed
        assert heard
        heard.clear()
        assert await engine.pace(text, heard.append) == speed
        assert heard == []
        asked = [{"role": "system", "content": text}, {"role": "user", "content": "Why?"}]
        body = {"messages": asked, "max_tokens": 1}
        await engine.complete(body, lambda piece: None, on_work=heard.append)
        assert heard[0].done > LEAST_MEASURED, "it begins after what was read before"
        assert engine.reading_speed == speed, "too little was new"


def test_only_a_prompt_with_enough_new_tokens_has_a_speed() -> None:
    assert ReadProgress(100, 200, 20, 4.0).per_second == 20.0
    assert ReadProgress(100, 200, 90, 4.0).per_second is None
    assert ReadProgress(100, 200, 0, 0.0).per_second is None


def test_reports_without_a_listener_are_silent() -> None:
    reports = WorkReports("m", None)
    reports.load(LoadProgress("reading", "m", 1, 2, 0.1))
    reports.read(ReadProgress(1, 2, 0, 0.1))
    reports.piece()
    reports.wrote(WriteTimings(1, 1.0))


def test_pieces_are_counted_and_few_are_reported() -> None:
    heard: list[WorkProgress] = []
    reports = WorkReports("m", heard.append)
    for _ in range(2 * WRITTEN_STEP + 1):
        reports.piece()
    assert [work.done for work in heard] == [1, WRITTEN_STEP + 1, 2 * WRITTEN_STEP + 1]
    assert heard[0].per_second is None
    assert all(work.total is None for work in heard)
