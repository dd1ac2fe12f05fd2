"""The error tree: names, codes, statuses, string forms and pickling."""

from __future__ import annotations

import pickle
import re

import pytest

from tether import errors
from tether.batteries.budget.errors import ModelContextOverflow
from tether.batteries.models.errors import (
    OpenaiChatCompletionsHttpError,
)
from tether.core.errors import (
    Aborted,
    InvalidInput,
    InvalidRegistryPath,
    Problem,
    RunError,
    TetherError,
    UsageError,
)
from tether.runtime.errors import (
    InvalidToolArgs,
    PipelineShortCircuited,
    ToolDownstreamError,
    TurnGateTimeout,
)

EVERY_ERROR: list[type[TetherError]] = [
    member
    for name in errors.__all__
    if isinstance(member := getattr(errors, name), type) and issubclass(member, TetherError)
]
BY_NAME = {kind.__name__: kind for kind in EVERY_ERROR}
WITH_CODE = [kind for kind in EVERY_ERROR if kind.default_code]
PROBLEMS = [Problem("id", "is required"), Problem("role", "must be 'user'")]

# CONTRACT 2.11: code, status, fatal.
CONTRACT_TABLE: list[tuple[str, int, bool]] = [
    ("E_INVALID_TURN_RUNNER_CONFIG", 529, True),
    ("E_INVALID_TURN_CONTEXT", 529, True),
    ("E_INVALID_LLM_EXECUTION_CONTEXT", 529, True),
    ("E_INVALID_LLM_DISPATCH_INPUT", 529, True),
    ("E_INPUT_PIPELINE_ERROR", 500, False),
    ("E_OUTPUT_PIPELINE_ERROR", 500, False),
    ("E_PIPELINE_SHORT_CIRCUITED", 500, False),
    ("E_DISPATCH_PIPELINE_ERROR", 500, False),
    ("E_LLM_EXECUTION_EXECUTOR_ERROR", 500, False),
    ("E_TOOL_DOWNSTREAM_ERROR", 500, False),
    ("E_INVALID_INITIAL_REGISTRY_VALUE", 500, True),
    ("E_INVALID_INITIAL_MEMORY_VALUE", 500, True),
    ("E_INVALID_INITIAL_RETRIEVABLE_VALUE", 500, True),
    ("E_INVALID_INITIAL_MESSAGE_VALUE", 500, True),
    ("E_INVALID_INITIAL_IDENTITY_VALUE", 500, True),
    ("E_INVALID_INITIAL_THOUGHT_VALUE", 500, True),
    ("E_INVALID_INITIAL_TURN_GATE_VALUE", 500, True),
    ("E_INVALID_INITIAL_MEDIA_VALUE", 500, True),
    ("E_INVALID_INITIAL_TOOL_CALL_VALUE", 500, True),
    ("E_INVALID_INITIAL_TOOL_VALUE", 500, True),
    ("E_INVALID_TURN_GATE_RESOLUTION", 500, True),
    ("E_NOT_A_SPOOL_READER", 500, True),
    ("E_NOT_A_MEDIA_READER", 500, True),
    ("E_LLM_EXECUTION_ALREADY_SIGNALLED", 500, True),
    ("E_TOKENIZABLE_EVALUATOR_INVALID", 500, True),
    ("E_TURN_GATE_TIMEOUT", 408, False),
    ("E_TURN_GATE_ABORTED", 499, False),
    ("E_INVALID_TOOL_ARGS", 422, False),
    ("E_TOOL_ALREADY_REGISTERED", 409, True),
    ("E_LLM_EXECUTION_GATE_NOT_SUPPORTED", 501, False),
    ("E_READER_NOT_DESCRIBABLE", 422, False),
    ("E_NO_READER_RESOLVER", 422, False),
    ("E_INVALID_OPENAI_CHAT_COMPLETIONS_OPTIONS", 529, True),
    ("E_OPENAI_CHAT_COMPLETIONS_CONTEXT_OVERFLOW", 529, True),
    ("E_OPENAI_CHAT_COMPLETIONS_HTTP_ERROR", 502, False),
    ("E_OPENAI_CHAT_COMPLETIONS_STREAM_ERROR", 502, False),
    ("E_OPENAI_CHAT_COMPLETIONS_STREAM_STALLED", 504, False),
    ("E_OPENAI_CHAT_COMPLETIONS_REQUEST_TIMEOUT", 504, False),
    ("E_OPENAI_CHAT_COMPLETIONS_INVALID_TOOL_CALL_ARGS", 422, False),
    ("E_UNSUPPORTED_MEDIA_MODALITY", 422, True),
]


def class_name(code: str) -> str:
    return "".join(word.capitalize() for word in code.removeprefix("E_").split("_"))


def plain(kind: type[TetherError]) -> TetherError:
    """An error of that class, made the way its own constructor wants it."""
    if issubclass(kind, InvalidToolArgs):
        return kind("search", PROBLEMS)
    if issubclass(kind, PipelineShortCircuited):
        return kind("turn-input")
    if issubclass(kind, InvalidInput):
        return kind(PROBLEMS)
    if issubclass(kind, Aborted):
        return kind(reason="the user left")
    if issubclass(kind, ModelContextOverflow):
        shares = {"memories": 3, "timeline": 9}
        return kind(total=12, limit=10, encoding="o200k_base", per_bucket=shares)
    return kind("it broke")


@pytest.mark.parametrize("kind", WITH_CODE)
def test_the_class_name_is_the_code_in_camel_case(kind: type[TetherError]) -> None:
    assert kind.default_code.startswith("E_")
    assert kind.__name__ == class_name(kind.default_code)


def test_only_the_families_have_no_code() -> None:
    assert {kind for kind in EVERY_ERROR if not kind.default_code} == {
        TetherError,
        UsageError,
        RunError,
        InvalidInput,
    }


@pytest.mark.parametrize(("code", "status", "fatal"), CONTRACT_TABLE)
def test_status_and_fatality_are_those_of_the_contract(code: str, status: int, fatal: bool) -> None:
    error = plain(BY_NAME[class_name(code)])
    assert (error.code, error.status, error.fatal) == (code, status, fatal)


@pytest.mark.parametrize(
    "code", ["E_ARTIFACT_ID_COLLISION", "E_TOKEN_ESTIMATOR_SHADOWS_BUILTIN", "E_ABORTED"]
)
def test_codes_whose_status_the_contract_leaves_open_exist(code: str) -> None:
    assert BY_NAME[class_name(code)].default_code == code


@pytest.mark.parametrize("kind", EVERY_ERROR)
def test_fatal_errors_are_exactly_the_usage_errors(kind: type[TetherError]) -> None:
    assert plain(kind).fatal is issubclass(kind, UsageError)


def test_the_string_form_is_name_bracketed_code_and_message() -> None:
    assert str(ToolDownstreamError("no route")) == (
        "ToolDownstreamError [E_TOOL_DOWNSTREAM_ERROR]: no route"
    )


def test_the_string_form_has_no_bracket_without_a_code() -> None:
    assert str(RunError("it broke")) == "RunError: it broke"
    assert str(ToolDownstreamError("no route", code="")) == "ToolDownstreamError: no route"


def test_advice_follows_the_message() -> None:
    error = ToolDownstreamError("no route", help="Check the cable.")
    assert str(error).endswith(": no route. Check the cable.")
    assert error.help == "Check the cable."


def test_every_default_can_be_overridden_for_one_throw() -> None:
    cause = OSError("unplugged")
    error = TurnGateTimeout(
        "late",
        code="E_CUSTOM",
        status=418,
        fatal=True,
        retryable=False,
        help="Wait.",
        cause=cause,
    )
    assert (error.code, error.status, error.fatal) == ("E_CUSTOM", 418, True)
    assert (error.retryable, error.help, error.__cause__) == (False, "Wait.", cause)
    untouched = TurnGateTimeout("late")
    assert (untouched.code, untouched.status, untouched.fatal) == (
        "E_TURN_GATE_TIMEOUT",
        408,
        False,
    )
    assert (untouched.retryable, untouched.help, untouched.__cause__) == (True, "", None)


def test_an_override_may_be_falsy() -> None:
    error = OpenaiChatCompletionsHttpError("unreachable", status=0)
    assert error.status == 0
    assert InvalidRegistryPath("odd", fatal=False).fatal is False


@pytest.mark.parametrize("kind", EVERY_ERROR)
def test_pickling_keeps_class_message_code_and_extra_fields(kind: type[TetherError]) -> None:
    error = plain(kind)
    restored: TetherError = pickle.loads(pickle.dumps(error))
    assert type(restored) is kind
    assert str(restored) == str(error)
    assert restored.args == error.args
    assert vars(restored) == vars(error)


@pytest.mark.parametrize("kind", [TetherError, UsageError, RunError, TurnGateTimeout])
def test_pickling_keeps_per_throw_overrides(kind: type[TetherError]) -> None:
    error = kind("m", code="E_X", status=418, fatal=True, retryable=True, help="Do this.")
    restored: TetherError = pickle.loads(pickle.dumps(error))
    assert vars(restored) == vars(error)
    assert restored.status == 418


def test_the_tree_in_the_docstring_names_every_class_under_its_parent() -> None:
    drawn = parents_in_docstring(errors.__doc__ or "")
    actual = {
        kind.__name__: kind.__base__.__name__ for kind in EVERY_ERROR if kind.__base__ is not None
    }
    assert drawn == actual


def parents_in_docstring(text: str) -> dict[str, str]:
    """Read the drawn tree: what stands further right belongs to the last line that stood alone."""
    parents: dict[str, str] = {}
    above: list[tuple[int, str]] = [(-1, "Exception")]
    tree, _, _ = text[text.index("    TetherError") :].partition("\n\n")
    for line in tree.splitlines():
        names = [
            name.replace("\u2026", "OpenaiChatCompletions")
            for name in re.findall(r"\u2026?[A-Z]\w+", line)
        ]
        column = len(line) - len(line.lstrip(" \u2502\u251c\u2514\u2500"))
        while above[-1][0] >= column:
            above.pop()
        parents |= dict.fromkeys(names, above[-1][1])
        if "   " in line.strip(" \u2502\u251c\u2514\u2500"):
            above.append((column, names[0]))
    return parents
