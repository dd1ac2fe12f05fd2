"""Tokenizable: text that reads as a string and counts itself once."""

from __future__ import annotations

import gc
import json
from typing import Any
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.checks import MISSING, Checks
from tether.core.clean_text import clean_text
from tether.core.errors import InvalidInitialTokenizableValue, TokenizableEvaluatorInvalid
from tether.core.tokenizable import Tokenizable, text_field
from tether.core.tokens import register_estimator, unregister_estimator

OPENAI = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base"]
ENCODINGS = [*OPENAI, "gemini", "llama2", "claude"]
COUNTED = "encoding-that-counts-its-calls"


class Context:
    """Stands for a dispatch context: anything with an identity."""

    def __init__(self, name: str = "Ada") -> None:
        self.name = name


class Greeting:
    """A text function that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, ctx: Any) -> str:
        self.calls += 1
        return f"hello {ctx.name}"


@given(st.text())
def test_it_behaves_as_its_string_in_string_contexts_and_json(text: str) -> None:
    # CONTRACT 56
    wrapped, plain = Tokenizable(text), clean_text(text)
    assert str(wrapped) == f"{wrapped}" == wrapped.to_json() == wrapped.render() == plain
    assert len(wrapped) == len(plain)
    assert json.loads(json.dumps(wrapped.to_json())) == plain
    assert wrapped == plain == wrapped
    assert "<" + wrapped + ">" == f"<{plain}>"
    assert wrapped + wrapped == plain + plain


def test_it_answers_the_questions_one_asks_a_string() -> None:
    # CONTRACT 56
    text = Tokenizable("hello")
    assert "ell" in text
    assert "elk" not in text
    assert f"{text:>7}" == "  hello"
    assert bool(Tokenizable("")) is False


def test_text_is_cleaned_on_the_way_in() -> None:
    assert str(Tokenizable("a\x00b\ud83d\ude00")) == "ab\U0001f600"


def test_equality_is_by_value_and_there_is_no_hash() -> None:
    assert Tokenizable("a") == Tokenizable("a")
    assert Tokenizable("a") != Tokenizable("b")
    assert Tokenizable("a") != 5
    with pytest.raises(TypeError, match="unhashable"):
        hash(Tokenizable("a"))


def test_dynamic_texts_are_equal_only_if_they_share_their_function() -> None:
    greeting = Greeting()
    assert Tokenizable(greeting) == Tokenizable(greeting)
    assert Tokenizable(greeting) != Tokenizable(Greeting())
    assert Tokenizable(greeting, fallback="a") != "a"


def test_its_representation_shows_what_it_holds() -> None:
    greeting = Greeting()
    assert repr(Tokenizable("a\nb")) == r"Tokenizable('a\nb')"
    shown = repr(Tokenizable(greeting, fallback="hi"))
    assert repr(greeting) in shown
    assert "fallback='hi'" in shown


@pytest.mark.parametrize("value", [5, None, b"text", ["text"]])
def test_what_is_neither_text_nor_a_function_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInitialTokenizableValue, match="must be text"):
        Tokenizable(value)
    text = Tokenizable("kept")
    with pytest.raises(InvalidInitialTokenizableValue, match="must be text"):
        text.set(value)
    assert text == "kept"


def test_set_replaces_the_value_and_drops_cached_counts() -> None:
    # CONTRACT 57
    text = Tokenizable("one")
    before = text.estimate_tokens("cl100k_base")
    text.set("one two three four")
    assert text == "one two three four"
    after = text.estimate_tokens("cl100k_base")
    assert after == Tokenizable.estimate("one two three four", "cl100k_base") > before


def test_counts_are_cached_per_encoding_until_set() -> None:
    # CONTRACT 57
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    register_estimator(COUNTED, count)
    try:
        text = Tokenizable("first")
        assert text.estimate_tokens(COUNTED) == text.estimate_tokens(COUNTED) == 5
        text.estimate_tokens("claude")
        assert counted == ["first"]
        text.set("second")
        assert text.estimate_tokens(COUNTED) == 6
        assert counted == ["first", "second"]
    finally:
        unregister_estimator(COUNTED)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=st.text(max_size=40))
def test_static_and_instance_counts_agree_and_are_stable(encoding: str, text: str) -> None:
    # CONTRACT 59
    wrapped = Tokenizable(text)
    first, second = wrapped.estimate_tokens(encoding), wrapped.estimate_tokens(encoding)
    assert first == second == Tokenizable.estimate(text, encoding)
    assert first.encoding == encoding


def test_static_and_instance_counts_agree_on_text_that_needs_cleaning() -> None:
    # CONTRACT 59
    dirty = "a\x00b\ud83d\ude00\ud800"
    for encoding in ENCODINGS:
        counted = Tokenizable(dirty).estimate_tokens(encoding)
        assert counted == Tokenizable.estimate(dirty, encoding) > 0


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("special", ["<|endoftext|>", "<|fim_prefix|>", "<|im_start|>", "<s>"])
def test_special_token_literals_are_counted_and_never_raise(encoding: str, special: str) -> None:
    # CONTRACT 60: counted as the text that it is, so more than the one token it would stand for
    assert Tokenizable(f"say {special}").estimate_tokens(encoding) > 1
    assert Tokenizable.estimate(special, encoding) >= 1


def test_a_dynamic_value_renders_per_context() -> None:
    # CONTRACT 62
    text = Tokenizable(Greeting(), fallback="hello you")
    assert text.is_dynamic
    assert text.render(Context("Ada")) == "hello Ada"
    assert text.render(Context("Eve")) == "hello Eve"


def test_a_dynamic_value_has_a_fallback_without_context() -> None:
    # CONTRACT 62
    text = Tokenizable(Greeting(), fallback="hello\x00 you")
    assert text.render() == str(text) == text.to_json() == "hello you"
    assert str(Tokenizable(Greeting())) == ""
    assert text.estimate_tokens("claude") == Tokenizable.estimate("hello you", "claude")


def test_a_dynamic_value_is_evaluated_once_per_context() -> None:
    # CONTRACT 62
    greeting, first, second = Greeting(), Context(), Context()
    text = Tokenizable(greeting)
    for _ in range(3):
        text.render(first)
    assert greeting.calls == 1
    text.render(second)
    assert greeting.calls == 2
    text.set(greeting)
    text.render(first)
    assert greeting.calls == 3


def test_a_dynamic_value_is_counted_as_it_renders() -> None:
    # CONTRACT 62
    text, ctx = Tokenizable(Greeting(), fallback=""), Context("Ada Lovelace")
    expected = Tokenizable.estimate("hello Ada Lovelace", "cl100k_base")
    assert text.estimate_tokens("cl100k_base", ctx) == expected > 0
    assert text.estimate_tokens("cl100k_base") == 0


def test_a_rendering_does_not_keep_its_context_alive() -> None:
    text, ctx = Tokenizable(Greeting()), Context()
    text.render(ctx)
    gone = ref(ctx)
    del ctx
    gc.collect()
    assert gone() is None


def test_what_a_function_returns_is_cleaned() -> None:
    assert Tokenizable(lambda _: "a\x00b").render(Context()) == "ab"


@pytest.mark.parametrize("returned", [None, 5, b"text", ["text"], Tokenizable("text")])
def test_a_function_that_returns_no_text_raises(returned: Any) -> None:
    # CONTRACT 62
    text = Tokenizable(lambda _: returned)
    with pytest.raises(TokenizableEvaluatorInvalid) as refused:
        text.render(Context())
    assert refused.value.code == "E_TOKENIZABLE_EVALUATOR_INVALID"


def test_a_function_that_raises_is_reported_with_its_cause() -> None:
    # CONTRACT 62
    text = Tokenizable(lambda ctx: ctx.nothing)
    with pytest.raises(TokenizableEvaluatorInvalid) as refused:
        text.render(Context())
    assert isinstance(refused.value.__cause__, AttributeError)


def test_a_context_that_cannot_be_referred_to_weakly_is_rendered_all_the_same() -> None:
    # CONTRACT 62
    text = Tokenizable(lambda ctx: f"hello {ctx['name']}")
    assert text.render({"name": "Ada"}) == "hello Ada"


def test_a_dynamic_value_may_become_plain_and_dynamic_again() -> None:
    text, ctx = Tokenizable(Greeting()), Context()
    text.set("plain")
    assert (text.is_dynamic, text.render(ctx)) == (False, "plain")
    text.set(Greeting(), fallback="hi")
    assert (text.is_dynamic, text.render(ctx), str(text)) == (True, "hello Ada", "hi")


def test_a_text_field_wraps_strings_and_keeps_wrapped_ones_by_identity() -> None:
    # CONTRACT 67
    check, wrapped = Checks(), Tokenizable("a")
    assert text_field(check, "content", wrapped) is wrapped
    assert text_field(check, "content", "a") == wrapped
    assert check.problems == []


@pytest.mark.parametrize("value", ["", "\x00", Tokenizable("")])
def test_a_text_field_is_empty_only_where_that_is_allowed(value: Any) -> None:
    check = Checks()
    assert text_field(check, "content", value, may_be_empty=True) == ""
    assert check.problems == []
    text_field(check, "content", value)
    assert [problem.path for problem in check.problems] == ["content"]


def test_a_dynamic_text_field_may_have_an_empty_fallback() -> None:
    check = Checks()
    text_field(check, "content", Tokenizable(Greeting()))
    assert check.problems == []


@pytest.mark.parametrize(
    ("value", "message"), [(MISSING, "is required"), (5, "must be text, not 5")]
)
def test_a_text_field_reports_what_is_not_text(value: Any, message: str) -> None:
    check = Checks()
    text_field(check, "content", value)
    assert check.problems == [("content", message)]
