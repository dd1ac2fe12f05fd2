"""Whatever a model writes, the words printed are those of reviewed statements, each with a quote.

What was reviewed is known from the outside: the verifier notes what it supported, and what the
pages say is written down beside them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from random import Random
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ask.citations import scribbles
from ask.citations.passages import QUESTION, answer_of, kinds, reviewed
from ask.citations.scribbles import CODE, JOINTS, LIES, MARKS, PAGES, SAID, scribble
from ask.citations.verifiers import OPINIONS
from support.growth import assert_grows_linearly
from tether.ask.answer import Citation, Statement
from tether.ask.citations import review as reviewing
from tether.ask.citations.draft import Draft
from tether.ask.citations.projections import markdown
from tether.ask.citations.quotes import Quotes
from tether.ask.citations.resolver import Resolver
from tether.ask.citations.review import Review
from tether.ask.verification.port import Claim, Opinion, Verdict

SEEDS = 10
TEXTS = 200_000 if os.environ.get("EXPLORE") == "deep" else 10_000
"""Texts for each of the seeds, all different ones."""

BEFORE = re.compile(r"(?:- |[1-9]\d*\. |The document says: \u201c)?")
GAP = re.compile(rf"(?: |\n\n?){BEFORE.pattern}")
AFTER = re.compile(r"\u201d? |\n\n")
FENCED = re.compile(r"(`{3,})(?:sh)?\n(?P<code>.*)\n\1", re.DOTALL)
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|(?<!`)(`[^`\n]+`)(?!`)")
TRUTHS = frozenset(SAID)


class Believer:
    """Supports everything, nothing, or what chance has for a claim; notes what it supported."""

    fingerprint = "believer"
    supported_at = 0.5
    contradicted_at = 0.5

    def __init__(self, share: int) -> None:
        self.share = share
        self.supported: dict[str, list[str]] = {}

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        return [OPINIONS[self._verdict(claim)] for claim in claims]

    def _verdict(self, claim: Claim) -> Verdict:
        chance = crc32("|".join(claim).encode("utf-8", "surrogatepass")) % 256
        if chance < self.share:
            self.supported.setdefault(claim.statement, []).append(claim.premise)
            return "supports"
        return "contradicts" if chance % 4 == 0 else "neither"


SHARES = (0, 100, 100, 256)


def assert_only_reviewed_words(found: Review, verifier: Believer) -> None:
    drafts = [found.draft, *([] if found.passed or found.repaired is None else [found.repaired])]
    for draft in drafts:
        assert_composed(draft)
        for one in draft.statements:
            assert_reviewed(draft, one, draft.citations[one.citation], verifier)
    assert not found.passed or found.repaired == found.draft
    assert found.repaired is None or found.repaired.statements
    shown = [plain(found.draft, one) for one in found.draft.statements]
    standing = [one.text for one in found.judged if one.stands]
    assert shown == [" ".join(it.split()) if it not in CODE else it for it in standing]


def assert_composed(draft: Draft) -> None:
    """Look at everything that is not a statement: marks, and the fixed words of the code."""
    assert [one.citation for one in draft.statements] == list(range(len(draft.citations)))
    at = 0
    for one, citation in zip(draft.statements, draft.citations, strict=True):
        assert (GAP if at else BEFORE).fullmatch(draft.text, at, one.start)
        assert (citation.span_start, citation.span_end) == (one.start, one.end)
        assert AFTER.fullmatch(draft.text, one.end, citation.mark_start)
        at = citation.mark_end
        assert draft.text[citation.mark_start : at] == f"[{citation.number}]"
    assert at == len(draft.text)


def assert_reviewed(draft: Draft, one: Statement, cited: Citation, verifier: Believer) -> None:
    shown = plain(draft, one)
    (page,) = [it.chunk for it in PAGES if it.chunk.id == cited.chunk]
    assert page.text[cited.start - page.start : cited.end - page.start] == cited.quote != ""
    if one.words == "document":
        assert shown in TRUTHS or shown in CODE
        return
    forms = {shown, shown[:1].lower() + shown[1:]}
    asked = forms | {f"{QUESTION} {form}" for form in forms}
    premises = [it for form in asked for it in verifier.supported.get(form, ())]
    assert any(premise.endswith(cited.reading) for premise in premises)


def plain(draft: Draft, one: Statement) -> str:
    """Return the words of a statement, without escapes and fences."""
    shown = draft.text[one.start : one.end]
    if fenced := FENCED.fullmatch(shown):
        return fenced["code"]
    return ESCAPE.sub(lambda match: match[1] or match[2], shown)


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pages be read once for all texts, which is most of the time."""
    quotes, resolver = Quotes(PAGES, QUESTION), Resolver(PAGES)
    monkeypatch.setattr(reviewing, "Quotes", lambda *_: quotes)
    monkeypatch.setattr(reviewing, "Resolver", lambda *_: resolver)


@pytest.mark.unmeasured
@pytest.mark.usefixtures("read_once")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_of_any_text_only_reviewed_words_are_printed(seed: int) -> None:
    random = Random(seed)
    kinds_seen = set[str]()
    for _ in range(TEXTS):
        verifier = Believer(random.choice(SHARES))
        text, is_cut = scribble(random), random.random() < 0.1
        found = reviewed(text, verifier=verifier, evidence=PAGES, code=True, is_cut=is_cut)
        assert_only_reviewed_words(found, verifier)
        kinds_seen |= {one.standing for one in found.judged} | set(kinds(found))
    assert kinds_seen == {
        *("verbatim", "supported", "unsupported", "contradicted", "inexact"),
        *("empty", "cut", "code", "statement"),
    }


pieces = st.one_of(
    st.sampled_from(SAID + LIES + CODE + JOINTS),
    st.sampled_from(MARKS),
    st.text(max_size=8),
)
texts = st.lists(pieces, max_size=12).map("".join)
SHOWN = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
PLAIN_TAGS = {"", "p", "ul", "ol", "li", "code", "em", "strong", "s"}
WORD = re.compile(r"[^\W_]+")


@given(texts, st.sampled_from(SHARES))
def test_of_any_text_only_reviewed_words_are_shown_on_a_page(text: str, share: int) -> None:
    verifier = Believer(share)
    found = reviewed(text, verifier=verifier, evidence=PAGES, code=True)

    assert_only_reviewed_words(found, verifier)
    assert_reads_as_written(found.draft)


@pytest.mark.unmeasured
def test_a_page_shows_the_words_that_were_written() -> None:
    random = Random(SEEDS)
    for _ in range(1_000):
        text = scribble(random)
        assert_reads_as_written(reviewed(text, verifier=Believer(256), evidence=PAGES).draft)


def assert_reads_as_written(draft: Draft) -> None:
    """Read a draft as a browser would: no links, images or tags, and no word more or less."""
    tokens = list(flattened(SHOWN.parse(draft.text)))
    assert {token.tag for token in tokens} <= PLAIN_TAGS
    assert "html" not in "".join(token.type for token in tokens)
    read = "".join(token.content for token in tokens if not token.children)
    wanted = "".join(
        plain(draft, one) + f"[{draft.citations[one.citation].number}]" for one in draft.statements
    )
    assert "".join(WORD.findall(read)) == "".join(WORD.findall(wanted))


def flattened(tokens: Sequence[Token]) -> Sequence[Token]:
    return [it for one in tokens for it in (one, *flattened(one.children or ()))]


tidy = st.lists(st.sampled_from([one for one in SAID if one.endswith(".")]), max_size=5)


@given(tidy, st.sampled_from([" ", "\n\n", "\n- ", " [2] "]))
def test_an_answer_that_stands_stays_the_same_when_it_is_said_again(
    said: list[str], joint: str
) -> None:
    first = reviewed(joint.join(said), evidence=PAGES)

    again = reviewed(markdown(answer_of(first.draft)), evidence=PAGES)

    assert (first.passed, again.draft) == (bool(said), first.draft)


def test_long_answers_take_linear_time() -> None:
    size = 8_000 if os.environ.get("EXPLORE") == "deep" else 500
    for unit in ("A [b](c) d. ", "- a [1]\n", "(a.md) ", "[Logging] ", "| a |\n", "Yes, "):
        assert_grows_linearly(reviewed, unit, size)
    assert_grows_linearly(reviewed, "[", 4 * size)


def test_the_truths_are_what_the_pages_say() -> None:
    for text in SAID:
        assert reviewed(text, evidence=PAGES).passed == (text[-1] != "?")
    for code in CODE:
        assert reviewed(f"```\n{code}\n```", evidence=PAGES, code=True).passed
    assert {one.chunk.text for one in PAGES} == {scribbles.RETRIES, scribbles.STORAGE}
