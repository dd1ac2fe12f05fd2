"""The examples run as they are, print their lifecycle in order, and make their point."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.chat_replies import said
from support.faulty_endpoint import FaultyEndpoint

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SCRIPTS = sorted(
    path for path in EXAMPLES.rglob("*.py") if "asyncio.run" in path.read_text("utf-8")
)

PLAIN_TURN = [
    "turn_start",
    "dispatch_start",
    "iteration_start",
    "message",
    "dispatch_end",
    "turn_end",
]
TOOL_CALL = ["tool_call", "tool_execution_start", "tool_execution_end", "tool_call"]


def printed_by(script: str) -> str:
    """Run an example as a reader would and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / script],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def lifecycle(output: str) -> list[str]:
    """Return the names of the events in a printed trace, in order."""
    return re.findall(r"^  ([a-z_]+)  ", output, re.MULTILINE)


def test_the_quickstart_streams_a_reply_and_traces_its_turn() -> None:
    output = printed_by("quickstart/agent.py")
    conversation, _, rest = output.partition("\n\n")
    assert conversation.startswith("You:     What happens in a turn?\nTether:  You asked: What")
    assert conversation.endswith("Then I store it and acknowledge, and the turn ends.")
    names = lifecycle(rest)
    assert names[:3] == PLAIN_TURN[:3]
    assert names.count("message") > 1
    assert names[-3:] == PLAIN_TURN[-3:]
    assert "The storage holds 2 messages" in rest


def test_the_quickstart_ends_with_what_to_do_next() -> None:
    *_, change, another = printed_by("quickstart/agent.py").splitlines()
    assert "examples/quickstart/agent.py" in change
    assert "examples/tool_use.py" in another
    assert (EXAMPLES / "tool_use.py").exists()


def test_the_smallest_configuration_runs_a_whole_turn() -> None:
    output = printed_by("minimal.py")
    assert output.startswith("Hello from the smallest agent.\n")
    assert lifecycle(output) == PLAIN_TURN


def test_a_turn_sees_the_earlier_ones_of_its_session_and_no_others() -> None:
    output = printed_by("multi_turn_memory.py")
    assert lifecycle(output) == PLAIN_TURN * 3
    assert re.findall(r"^agent: .*$", output, re.MULTILINE) == [
        "agent: You said: My cat is called Turing. Earlier I heard: nothing",
        "agent: You said: What is my cat called? Earlier I heard: My cat is called Turing.",
        "agent: You said: What is the cat called? Earlier I heard: nothing",
    ]
    assert "Ada's session holds 4 messages." in output


def test_tools_run_in_one_iteration_and_are_read_in_the_next() -> None:
    output = printed_by("tool_use.py")
    assert re.match(r"get_time: \d{4}-\d\d-\d\d \d\d:\d\d UTC\ncalculate: 42\n", output)
    assert lifecycle(output) == [
        *PLAIN_TURN[:3],
        *TOOL_CALL * 3,
        "iteration_end",
        *PLAIN_TURN[2:],
    ]


def test_the_calculator_refuses_what_is_not_arithmetic() -> None:
    output = printed_by("tool_use.py")
    assert "calculate: the tool 'calculate' failed: not arithmetic: open('secrets')" in output
    assert re.search(r"^  tool_call +calculate failed$", output, re.MULTILINE)


def test_each_tenant_gets_its_own_rules_beside_those_of_the_house() -> None:
    output = printed_by("standing_instructions.py")
    assert lifecycle(output) == PLAIN_TURN * 2
    bank, _, school = output.partition("Tenant 'school':")
    assert "My rules: Be polite. Never give investment advice. Answer in one sentence." in bank
    assert "My rules: Be polite. Explain every step." in school
    assert "investment" not in school


def test_the_executor_sees_only_redacted_input() -> None:
    output = printed_by("redact_input.py")
    typed, _, rest = output.partition("\n")
    assert "+44 20 7946 0018" in typed
    assert "ada@example.org" in typed
    assert "agent: I was given: Please call me on [PHONE], or write to [EMAIL]." in rest
    assert "7946" not in rest
    assert "ada@" not in rest
    assert lifecycle(output) == PLAIN_TURN


async def test_the_minimal_assembly_prints_what_its_model_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with FaultyEndpoint(said("Hel", "lo.")) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{endpoint.url}/v1")
        monkeypatch.setenv("OPENAI_MODEL", "tiny")
        output = await asyncio.to_thread(lambda: printed_by("minimal_assembly.py"))
    assert output == "Hello.\n"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(EXAMPLES).as_posix())
def test_an_example_is_short_and_is_tested_here(script: Path) -> None:
    assert len(script.read_text(encoding="utf-8").splitlines()) < 100
    name = script.relative_to(EXAMPLES).as_posix()
    assert f'printed_by("{name}")' in Path(__file__).read_text(encoding="utf-8")
