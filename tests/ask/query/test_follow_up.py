"""Follow-up questions that lose their thread, and how they get it back without a model."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.turns import idle, nack
from tether import AbortSignal, DispatchContext, Executor, Helpers, Message
from tether.ask.query.follow_up import Rewritten, leans, rewrite
from tether.ask.query.helper import LONGEST_QUERY, unwrapped
from tether.batteries.models.errors import ModelHttpError
from tether.batteries.models.scripted import Say, ScriptedModel
from tether.core.errors import Aborted, InvalidInitialMessageValue

SERVE = ("How do I configure the Executor class in Ray Serve?", "Set it in the deployment.")
RETRIES = ("How many times does a worker retry?", "Three times.")
SERVE_WORDS = "Executor Ray Serve"


def dialogue(*exchanges: tuple[str, str]) -> list[Message]:
    """Messages in turn; a text that no message can have is left out."""
    made: list[Message] = []
    for question, answer in exchanges:
        with suppress(InvalidInitialMessageValue):
            made += [Message.user(question), Message.assistant(answer)]
    return made


async def rewritten(
    question: str, *before: tuple[str, str], helper: Executor | None = None
) -> Rewritten:
    return await rewrite(question, dialogue(*before), helper, abort_signal=None)


LEANING = [
    ("And what about its arguments?", "arguments"),
    ("What does it return?", "return"),
    ("yes", ""),
    ("Yes, please", ""),
    ("tell me more", ""),
    ("Can you elaborate?", ""),
    ("more details please", ""),
    ("and for Windows?", "Windows"),
    ("For Python 3?", "Python"),
    ("And with Docker?", "Docker"),
    ("why?", "why"),
    ("How?", "how"),
    ("And why is that?", "why"),
    ("What is the default?", "default"),
    ("What's the difference?", "difference"),
    ("Can you give an example?", "example"),
    ("Is there a limit?", "limit"),
    ("What about a service?", "service"),
    ("How about on Linux?", "Linux"),
    ("Does it work on Windows?", "Windows"),
    ("who wrote it", "wrote"),
    ("What are its limits?", "limits"),
    ("how do I install it?", "install"),
    ("Which one is faster?", "faster"),
    ("What happens if it fails?", "fails"),
    ("Can I turn that off?", "turn"),
    ("is that safe?", "safe"),
    ("Does that also apply to pods?", "pods"),
    ("and then?", ""),
    ("what else?", ""),
    ("Windows?", "Windows"),
    ("default values?", "default values"),
    ("so how do I disable them?", "disable"),
    ("How do they differ?", "differ"),
    ("When should I use the latter?", ""),
    ("What does the flag mean?", "flag"),
    ("What does it do?", ""),
    ("Where do I set this?", "set"),
    ("What port does it use?", "port"),
    ("Explain", ""),
    ("Who maintains these modules?", "modules"),
    ("How do I stop?", "stop"),
    ("same for Mac", "Mac"),
    ("Could I use YAML instead?", "YAML"),
    ("Und unter Windows?", "Windows"),
    ("Et pour Windows ?", "Windows"),
    ("now all old deployments are gone from the dashboard", "deployments dashboard"),
    ("no, I want other ports than the old ones", "ports"),
    ("since which version are fractions allowed there", "version fractions"),
    ("how do I turn one back on", "turn back"),
    ("and what command lists the named ones?", "command named"),
]


@pytest.mark.parametrize(("question", "own"), LEANING)
async def test_a_follow_up_gets_the_nouns_of_the_last_question(question: str, own: str) -> None:
    found = await rewritten(question, SERVE)
    assert found.by == "rules"
    words = found.text.casefold().split()
    missing = [it for it in f"{SERVE_WORDS} {own}".casefold().split() if it not in words]
    assert missing == []
    assert len(words) == len(set(words))


STANDING = [
    "What is a decorator?",
    "What does exigrep do?",
    "What is Kubernetes?",
    "How do decorators work?",
    "How do I create a list and sort it?",
    "Is it possible to run Redis in Docker?",
    "How long does it take to build the Rust compiler?",
    "Which function returns the number of rows that match?",
    "How do I install PostgreSQL on Debian?",
    "And how do I install PostgreSQL on Debian 12?",
    "In Python, how do I sort a list of dictionaries?",
    "docker compose",
    "Kubernetes ingress annotations",
    "How do I set the timeout of a health check?",
    "What does HTTP 502 mean?",
    "Explain borrow checking",
    "Build two images in one go with buildx",
    "How do I turn one container of a pod off?",
    "Is there a limit on the number of secrets?",
    "thanks",
    "No, thank you",
    "hello",
    "",
    "   ",
]


@pytest.mark.parametrize("question", STANDING)
async def test_what_stands_alone_is_left_alone(question: str) -> None:
    assert await rewritten(question, SERVE) == Rewritten(text=question, by="none")


@pytest.mark.parametrize(("question", "own"), LEANING[:3])
async def test_the_first_question_leans_on_nothing(question: str, own: str) -> None:
    assert await rewritten(question) == Rewritten(text=question, by="none")
    only_greeted = [Message.assistant("Hello! Ask me about Ray.")]
    found = await rewrite(question, only_greeted, None, abort_signal=None)
    assert found == Rewritten(text=question, by="none")


async def test_the_thread_is_followed_through_questions_that_lean_themselves() -> None:
    between = [("And its arguments?", "Two."), ("Why?", "Because.")]
    found = await rewritten("And the second one?", SERVE, *between)
    assert {"Executor", "Serve", "arguments"} <= set(found.text.split())


async def test_the_thread_ends_at_a_question_that_stands_alone() -> None:
    found = await rewritten("And its limits?", SERVE, RETRIES)
    assert "worker" in found.text
    assert "Serve" not in found.text


async def test_yes_to_an_offer_asks_for_what_was_offered() -> None:
    offer = "It retries three times. Shall I show how to raise the backoff limit?"
    found = await rewritten("yes please", (RETRIES[0], offer))
    assert {"raise", "backoff", "limit", "worker"} <= set(found.text.split())


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("See [Health checks](guide/health.md).", "Health checks"),
        ("Call `restart_worker` first. [1](x)", "restart_worker"),
        ("Ask the Scheduler about it.", "Scheduler"),
    ],
)
async def test_where_the_questions_name_nothing_the_answer_does(answer: str, expected: str) -> None:
    found = await rewritten("why?", ("Can you help me?", answer))
    assert found.by == "rules"
    assert expected in found.text


async def test_identifiers_of_the_last_answer_come_along() -> None:
    answer = "Call Get-Content with the tailSize, then sp_rename or `wc`."
    found = await rewritten("and from the start instead?", ("last line of a log file?", answer))
    words = found.text.split()
    assert {"Get-Content", "tailSize", "log", "start"} <= set(words)
    assert not {"sp_rename", "wc", "Call"} & set(words)


async def test_where_nothing_names_anything_the_question_stays() -> None:
    assert await rewritten("why?", ("yes?", "no")) == Rewritten(text="why?", by="none")
    assert await rewritten("yes", ("more?", "")) == Rewritten(text="yes", by="none")


async def test_the_helpers_words_are_used_where_they_are_a_query() -> None:
    said = 'Search query: "Executor arguments Ray Serve"\n'
    found = await rewritten("its arguments?", SERVE, helper=ScriptedModel([[Say(said)]]))
    assert found == Rewritten(text="Executor arguments Ray Serve", by="model")


async def test_the_helper_is_asked_only_where_a_question_leans() -> None:
    unused = ScriptedModel([[Say("Ray")]])
    assert (await rewritten("What is Kubernetes?", SERVE, helper=unused)).by == "none"
    assert (await rewritten("its arguments?", helper=unused)).by == "none"


async def test_the_helper_sees_the_conversation_and_no_more_of_it_than_it_needs() -> None:
    seen: list[str] = []

    async def helper(ctx: DispatchContext, helpers: Helpers) -> None:
        seen.extend(str(message.content) for message in ctx.turn_messages)
        ctx.ack()

    found = await rewritten("And its name?", ("What is " + "x" * 5000, "y" * 5000), helper=helper)
    assert found.by == "rules"
    (prompt,) = seen
    assert "And its name?" in prompt
    assert len(prompt) < 2000


NO_QUERIES = [
    ("", "nothing was said"),
    ("Executor\narguments", "line"),
    ("Executor argu\u200bments", "line"),
    ("Executor " * 40, "long"),
    ("Executor" * 40, "long"),
    ("Executor ``` x", "code"),
    ("executor = Executor(size=3)", "code"),
    ("import executor", "code"),
    ("see https://evil.test/executor", "address"),
    ("[Executor](x)", "address"),
    ("The executor takes two arguments, a name and a size.", "answers"),
    ("Executor. It takes arguments", "answers"),
    ("Sure, executor arguments", "answers"),
    ("I think the executor", "answers"),
    ("You can pass arguments", "answers"),
    ("banana bread recipe", "no word"),
    ("what is it", "no word"),
]


@pytest.mark.parametrize(("said", "problem"), NO_QUERIES)
async def test_what_is_no_query_is_replaced_by_the_rules(said: str, problem: str) -> None:
    helper = ScriptedModel([[Say(said)]])
    found = await rewritten("And its arguments?", SERVE, helper=helper)
    assert found.by == "rules"
    assert problem in found.problem
    assert {"Executor", "arguments"} <= set(found.text.split())


async def raise_something(ctx: DispatchContext, helpers: Helpers) -> None:
    raise KeyError("choices")


@pytest.mark.parametrize(
    "helper", [nack(ModelHttpError("503")), nack(ValueError("odd")), raise_something, idle]
)
async def test_a_helper_that_fails_leaves_it_to_the_rules(helper: Executor) -> None:
    found = await rewritten("And its arguments?", SERVE, helper=helper)
    assert found.by == "rules"
    assert found.problem == "nothing was said"


async def test_a_helper_that_fails_and_rules_without_a_word_leave_the_question() -> None:
    found = await rewritten("why?", ("yes?", "no"), helper=idle)
    assert found == Rewritten(text="why?", by="none", problem="nothing was said")


async def test_an_abort_passes_through() -> None:
    signal = AbortSignal()

    async def helper(ctx: DispatchContext, helpers: Helpers) -> None:
        signal.abort("enough")

    with pytest.raises(Aborted):
        await rewrite("its limits?", dialogue(SERVE), helper, abort_signal=signal)


async def test_cancellation_passes_through() -> None:
    started = asyncio.Event()

    async def helper(ctx: DispatchContext, helpers: Helpers) -> None:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(rewritten("its limits?", SERVE, helper=helper))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


ANYTHING = st.text(max_size=120) | st.sampled_from([question for question, _ in LEANING])


@given(ANYTHING, st.lists(st.tuples(ANYTHING, ANYTHING), max_size=6))
def test_no_dialogue_breaks_the_rules(question: str, exchanges: list[tuple[str, str]]) -> None:
    found = asyncio.run(rewritten(question, *exchanges))
    assert found == asyncio.run(rewritten(question, *exchanges))
    assert found.problem == ""
    if found.by == "none":
        assert found.text == question
    else:
        assert leans(question)
        assert found.text
        assert "\n" not in found.text


@given(st.text(max_size=300), ANYTHING)
def test_whatever_a_helper_says_is_a_bounded_line_or_not_used(said: str, asked: str) -> None:
    helper = ScriptedModel([[Say(said)]])
    found = asyncio.run(rewritten("And its arguments?", (asked, "x"), helper=helper))
    if found.by == "model":
        assert found.text == unwrapped(said)
        assert len(found.text) <= LONGEST_QUERY
        assert len(found.text.splitlines()) == 1
