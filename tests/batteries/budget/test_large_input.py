"""Input of hostile size: refused or made to fit, with bounded memory and without growing slow."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.budgets import NONCES, Prepared, answer, assemble, question
from tether.batteries.budget import prompt_tokens
from tether.batteries.budget.meter import LONGEST_PIECE, PromptMeter
from tether.core.tokens import count_tokens
from tether.trust.records import LoadedMessage, PromptRecords
from tether.trust.renderer import Renderer

pytestmark = pytest.mark.unmeasured

TESTS = Path(__file__).resolve().parents[2]
EXACT = "cl100k_base"
GENEROUS = 8

REFUSED_IN_A_CHILD = """
import asyncio, resource, sys, time
sys.path.insert(0, sys.argv[1])
from support.budgets import MODEL, NONCES, question
from support.turns import ack
from tether import DispatchRunner, NoopStorage, RawDispatch
from tether.batteries.budget import Thrift
from tether.batteries.budget.errors import ModelContextOverflow
from tether.core.tokens import count_tokens
from tether.trust.records import LoadedMessage, PromptRecords
from tether.trust.renderer import Renderer

TEXTS = {
    "prose": "What do you think of this? " * 190_000,
    "one letter": "a" * 5_000_000,
    "Chinese": "字符漢語" * 420_000,
    "lines": " \\n" * 2_500_000,
}
WINDOW = int(sys.argv[3])
renderer = Renderer(nonces=NONCES)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def took(work):
    started = time.process_time()
    work()
    return time.process_time() - started

async def ask(asked):
    longest = 0
    ledgers = []

    async def tick():
        nonlocal longest
        while True:
            started = time.process_time()
            await asyncio.sleep(0)
            longest = max(longest, time.process_time() - started)

    raw = RawDispatch(storage=NoopStorage(), system_prompt="You help.", messages=[asked])
    thrift = Thrift(MODEL, window=WINDOW, reserve=0, renderer=renderer)
    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    try:
        await DispatchRunner.dispatch(
            executor=ack, raw=raw, input_pipeline=[thrift], observers={"budget": ledgers.append}
        )
    except ModelContextOverflow:
        return ledgers[0], longest
    finally:
        ticking.cancel()

asked = question(1, TEXTS[sys.argv[2]])
asyncio.run(ask(question(1)))
before = peak()
ledger, longest = asyncio.run(ask(asked))
grown = (peak() - before) // 1024
records = PromptRecords(messages=(LoadedMessage(asked),))
rendering = took(lambda: renderer.render(records, turn_id="a turn"))
part = took(lambda: count_tokens(TEXTS[sys.argv[2]][: 1 << 16], MODEL.encoding))
print(ledger.free < 0, ledger.estimated, grown, longest, rendering + part)
"""


@pytest.mark.parametrize(
    ("kind", "window"),
    [
        ("prose", 8_000),
        ("one letter", 8_000),
        ("one letter", 60_000),
        ("Chinese", 8_000),
        ("lines", 8_000),
    ],
)
def test_a_question_of_5_megabytes_is_refused_at_once_and_with_bounded_memory(
    kind: str, window: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REFUSED_IN_A_CHILD, str(TESTS), kind, str(window)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    refused, estimated, mebibytes, longest, usual = done.stdout.split()
    assert (refused, estimated) == ("True", "True")  # it was not counted to its end
    assert int(mebibytes) < 50
    # No other task waits much longer than for rendering it and counting a part of it; counting
    # all of it takes 75 times as long as that part.
    assert float(longest) < 8 * float(usual)


@pytest.mark.unmeasured
async def test_ten_thousand_messages_are_made_to_fit_in_the_time_of_few_prompts_with_all() -> None:
    messages = tuple(
        message
        for turn in range(5_000)
        for message in (
            question(2 * turn, f"Question {turn} about."),
            answer(2 * turn + 1, f"Answer {turn} tells."),
        )
    )
    newest = question(10_000)
    prepared = Prepared(messages=(*messages, newest))
    loaded = PromptRecords(messages=tuple(map(LoadedMessage, prepared.messages)))
    started = time.process_time()
    prompt = Renderer(nonces=NONCES).render(loaded, turn_id="a turn")
    total = sum(prompt_tokens(prompt, EXACT).values())
    one_prompt = time.process_time() - started
    started = time.process_time()
    run = await assemble(prepared, window=8_000, reserve=None)
    assembling = time.process_time() - started
    assert total > 300_000
    assert not run.report.refused
    assert run.total <= 6_000
    assert newest in run.ctx.turn_messages
    assert str(run.ctx.system_prompt) == "You help."
    assert assembling < 20 * one_prompt  # not once for each of the messages


async def test_a_message_of_a_million_tokens_is_shed_in_the_time_of_counting_it() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 100_000
    started = time.process_time()
    total = count_tokens(text, EXACT)
    counting = time.process_time() - started
    started = time.process_time()
    run = await assemble(
        Prepared(messages=(question(1, text), question(2))), window=8_000, reserve=None
    )
    assembling = time.process_time() - started
    assert total > 999_000
    assert run.kept == {"q2"}
    assert not run.report.refused
    assert assembling < GENEROUS * counting


def test_a_long_text_is_counted_in_pieces_and_still_exactly() -> None:
    text = "He said: “it's 42, or 1,000?”\n\n  Then   he left. " * (LONGEST_PIECE // 40)
    assert len(text) > LONGEST_PIECE
    for encoding in ("cl100k_base", "o200k_base", "r50k_base"):
        assert PromptMeter(encoding).text(text) == count_tokens(text, encoding)


def test_a_long_text_without_words_is_counted_with_a_token_more_at_most_for_each_cut() -> None:
    text = "0123456789" * (LONGEST_PIECE // 8)
    counted = PromptMeter(EXACT).text(text)
    assert count_tokens(text, EXACT) <= counted <= count_tokens(text, EXACT) + 2
