"""Input of hostile size: refused or made to fit, with bounded memory and without growing slow."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from support.budgets import Prepared, answer, assemble, question
from tether.batteries.budget.measuring import LONGEST_PIECE, PromptMeter
from tether.core.errors import ModelContextOverflow
from tether.core.tokens import count_tokens

TESTS = Path(__file__).resolve().parents[2]
EXACT = "cl100k_base"
GENEROUS = 40

REFUSED_IN_A_CHILD = """
import asyncio, resource, sys
sys.path.insert(0, sys.argv[1])
from support.budgets import Prepared, assemble, question

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

async def ask(text):
    prepared = Prepared(messages=(question(1, text),))
    return await assemble(prepared, window=8_000, reserve=None, on_refusal="stop")

asyncio.run(ask("warm up"))
before = peak()
run = asyncio.run(ask("What do you think of this? " * 190_000))
print(type(run.error).__name__, (peak() - before) // 1024, run.report.after)
"""


def test_a_question_of_5_megabytes_is_refused_with_bounded_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REFUSED_IN_A_CHILD, str(TESTS)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    error, mebibytes, tokens = done.stdout.split()
    assert error == ModelContextOverflow.__name__
    assert int(tokens) > 1_000_000
    assert int(mebibytes) < 50


async def test_ten_thousand_messages_are_made_to_fit_in_the_time_of_counting_them() -> None:
    messages = tuple(
        message
        for turn in range(5_000)
        for message in (
            question(2 * turn, f"Question {turn} about this and that. " * 8),
            answer(2 * turn + 1, f"Answer {turn} tells something. " * 8),
        )
    )
    newest = question(10_000)
    prepared = Prepared(messages=(*messages, newest))
    started = time.process_time()
    total = sum(count_tokens(str(message.content), EXACT) for message in messages)
    counting = time.process_time() - started
    started = time.process_time()
    run = await assemble(prepared, window=8_000, reserve=None)
    assembling = time.process_time() - started
    assert total > 500_000
    assert not run.report.refused
    assert run.total <= 6_000
    assert newest in run.ctx.turn_messages
    assert str(run.ctx.system_prompt) == "You help."
    assert assembling < GENEROUS * counting


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
