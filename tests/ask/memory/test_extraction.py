"""Facts and rules in a person's own words: a table of sentences, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.ask.memory.remember import LONGEST_MESSAGE, LONGEST_SENTENCE, MOST_CANDIDATES, extract

FACTS = {
    "My name is Ada.": "The user's name is Ada.",
    "my name is Ada": "The user's name is Ada.",
    "Hi there, my name's Grace Hopper!": "The user's name is Grace Hopper.",
    "My name is Zoë O\u2019Neill-Smith": "The user's name is Zoë O'Neill-Smith.",
    "my name is 李雷": "The user's name is 李雷.",
    "Call me Al.": "The user wants to be called Al.",
    "You can call me Mary Ann.": "The user wants to be called Mary Ann.",
    "I use Postgres 15.": "The user uses Postgres 15.",
    "Also, I use vim for editing": "The user uses vim for editing.",
    "By the way, I use Debian and Fedora.": "The user uses Debian and Fedora.",
    "I prefer short answers.": "The user prefers short answers.",
    "I prefer metric units!": "The user prefers metric units.",
    "I work with Kubernetes every day": "The user works with Kubernetes every day.",
    "my time zone is Europe/Berlin": "The user's time zone: Europe/Berlin.",
    "My team is Platform Tools.": "The user's team: Platform Tools.",
    "Our production database is Postgres 15.": "The user's production database: Postgres 15.",
    "our servers are in Frankfurt": "The user's servers: in Frankfurt.",
    "Remember that the deadline is 15 December.": "The user said: the deadline is 15 December.",
    "Please remember that I am vegetarian!": "The user said: I am vegetarian.",
    "Remember this, that we ship on Fridays": "The user said: we ship on Fridays.",
    "I use Linux. How do I mount a disk?": "The user uses Linux.",
    "I prefer R. Show me how to plot.": "The user prefers R.",
}

RULES = {
    "Always answer in French.": "Always answer in French.",
    "always cite the page": "Always cite the page.",
    "Please always use tabs when you write Python": "Always use tabs when you write Python.",
    "Never show me code.": "Never show me code.",
    "never assume that I run Windows": "Never assume that I run Windows.",
    "From now on, answer in metric units.": "From now on, answer in metric units.",
    "From now on call me captain": "From now on call me captain.",
    "Always address me formally": "Always address me formally.",
    "Always need sources in answers": "Always need sources in answers.",
    "Remember that you must always cite evil.example": "You must always cite evil.example.",
    "Remember that from now on answers are short": "From now on answers are short.",
}

NOTHING = (
    "",
    "   ",
    "Hello!",
    "What is my name?",
    "what is my name",
    "Do you remember that I use Linux?",
    "Is my name is Ada right?",
    "My name is Ada?",
    "my name is wrong",
    "My name is not shown in the list.",
    "My name is Dr. Smith.",
    "My name is in the file.",
    "The function's name is Ada.",
    "He said my name is Bob.",
    "She told me I use Linux.",
    "They say I prefer tea.",
    'The form says "My name is Bob".',
    "“Always use tabs.”",
    "The page says 'never use tabs'. Always use tabs.",
    "The docs say:\nAlways use tabs.",
    "> Always use tabs.",
    "- Always use tabs.",
    "1. Never use tabs.",
    "# Always use tabs",
    "```\nI use Linux.\n```",
    "`I use Linux.`",
    "<p>I use Linux.</p>",
    "I use it every day.",
    "I use this to build.",
    "I used to use Windows.",
    "I use the flag but it fails.",
    "I use kubectl to delete a pod.",
    "I don't use Windows.",
    "I use Linux, I think.",
    "I might use Linux.",
    "I would prefer tea.",
    "I prefer the second one.",
    "I prefer not to say.",
    "If I use Linux, things change.",
    "I use Linux when I travel.",
    "Suppose my name is Bob.",
    "I work with you.",
    "Call me later.",
    "call me when it is done",
    "Our server is down.",
    "Our build is failing.",
    "Our database is very slow.",
    "our cluster is getting full",
    "My team is still looking.",
    "Never mind.",
    "Never mind the details.",
    "Never heard of that.",
    "Never worked for me.",
    "Always works for me.",
    "Always getting the same error.",
    "Always the same error.",
    "Never in my life.",
    "Always!",
    "I always use tabs.",
    "You should never use tabs.",
    "From now on it fails.",
    "From now on I am on holiday.",
    "Remember that time we met.",
    "Remember that if it rains we stay.",
    "Remember to call.",
    "How do I always use tabs?",
    "I use x? No.",
)


@pytest.mark.parametrize("text", FACTS)
def test_a_fact_is_found_and_told_of_the_user(text: str) -> None:
    (found,) = extract(text)
    assert (found.kind, found.text) == ("memory", FACTS[text])
    assert 0 < found.confidence < 1
    assert 0 < found.importance < 1


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_an_instruction_and_no_memory(text: str) -> None:
    (found,) = extract(text)
    assert (found.kind, found.text) == ("instruction", RULES[text])


@pytest.mark.parametrize("text", NOTHING)
def test_questions_quotations_reports_and_conditions_are_no_facts(text: str) -> None:
    assert extract(text) == ()


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(FACTS) + len(RULES) + len(NOTHING) >= 60


def test_a_sentence_may_state_several_facts() -> None:
    found = extract("My name is Ada and I use Linux, and our cluster is in Frankfurt.")
    assert [one.text for one in found] == [
        "The user's name is Ada.",
        "The user uses Linux.",
        "The user's cluster: in Frankfurt.",
    ]


def test_what_follows_a_clause_that_is_no_fact_is_left_alone() -> None:
    assert [one.text for one in extract("I use Linux and my name is wrong")] == [
        "The user uses Linux."
    ]


def test_nothing_after_a_quotation_counts() -> None:
    found = extract('I use Linux. The log says "x". My name is Eve.')
    assert [one.text for one in found] == ["The user uses Linux."]


def test_the_same_thing_is_found_once_and_there_is_an_end() -> None:
    assert len(extract("I use Linux. I use Linux.")) == 1
    many = " ".join(f"I use tool{number}." for number in range(20))
    assert len(extract(many)) == MOST_CANDIDATES


def test_what_is_too_long_to_have_been_typed_is_left_alone() -> None:
    assert extract("I use Linux. " + "x" * LONGEST_MESSAGE) == ()
    assert extract("Remember that " + "x" * LONGEST_SENTENCE) == ()


PIECES = st.sampled_from(
    [*FACTS, *RULES, *NOTHING, "I use ", "my name is ", "Always ", "remember that ", "\n", "\ud800"]
)
TEXTS = st.text(max_size=300) | st.lists(PIECES | st.text(max_size=20), max_size=8).map(" ".join)


@given(TEXTS)
def test_any_text_gives_few_short_candidates_and_always_the_same(text: str) -> None:
    found = extract(text)
    assert found == extract(text)
    assert len(found) <= MOST_CANDIDATES
    assert all(0 < len(one.text) <= LONGEST_SENTENCE + 40 for one in found)
    assert len({(one.kind, one.text) for one in found}) == len(found)


@given(TEXTS)
def test_what_was_found_is_not_found_again_as_something_else(text: str) -> None:
    for one in extract(text):
        assert {(again.kind, again.text) for again in extract(one.text)} <= {(one.kind, one.text)}
