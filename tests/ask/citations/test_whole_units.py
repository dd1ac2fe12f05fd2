"""A quote is always whole units of one document: on documents whose units are known."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest

from ask.citations.manuals import Manual
from ask.citations.passages import passage
from tether.ask.citations.passage import Passage, Window
from tether.ask.citations.review import ReviewRules, review
from tether.ask.evidence import Evidence
from tether.ask.verification.scripted import ScriptedVerifier
from tether.retrieval import Chunker
from tether.retrieval.chunking.chunker import ChunkSettings
from tether.retrieval.readers.dispatch import read_document

SEEDS = 5
QUOTES = 400_000 if os.environ.get("EXPLORE") == "deep" else 20_000
"""Quotes for each of the seeds."""

CUT_SHARE = 0.25
MOST_CHARACTERS = (100, 200, 300)


def whole(manual: Manual) -> list[Evidence]:
    """Return a document as one passage, which knows nothing around it."""
    found = passage(1, manual.text)
    chunk = replace(found.chunk, start=0, end=len(manual.text))
    return [replace(found, chunk=chunk)]


def cut(manual: Manual, size: int) -> list[Evidence]:
    """Return a document in the passages of an index, each with its document."""
    document = read_document(key="a.md", name="a.md", data=manual.text.encode())
    chunker = Chunker(ChunkSettings(unit="characters", size=size, overlap=size // 4))
    return [
        Evidence(number=at, chunk=chunk, version="", page=document.text)
        for at, chunk in enumerate(chunker.chunks(document), start=1)
    ]


def quotable(evidence: Evidence) -> Iterator[Window]:
    """Yield everything that could become a quote of a passage."""
    page = Passage(evidence)
    yield from page.windows
    yield from (one.window for one in page.sentences.values())
    yield from (Window(page, (unit,)) for unit in page.units if unit.kind == "code")


def assert_whole(manual: Manual, windows: Sequence[Window]) -> None:
    for one in windows:
        above = one.passage.evidence.chunk.start
        lead = one.lead and (above + one.lead[0], above + one.lead[1])
        assert manual.holds(above + one.start, above + one.end, lead), (manual.text, one.reading)


@pytest.mark.unmeasured
@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_may_be_quoted_is_whole_neighbours_with_what_they_belong_to(seed: int) -> None:
    random = Random(seed)
    seen = 0
    while seen < QUOTES:
        manual = Manual(random)
        is_cut = random.random() < CUT_SHARE
        pages = cut(manual, random.choice(MOST_CHARACTERS)) if is_cut else whole(manual)
        windows = [window for one in pages for window in quotable(one)]
        assert_whole(manual, windows)
        seen += len(windows)


@pytest.mark.unmeasured
def test_nearly_everything_may_be_quoted() -> None:
    random = Random(SEEDS)
    wanted = found = 0
    for _ in range(300):
        manual = Manual(random)
        places = {(one.start, one.end) for one in quotable(whole(manual)[0])}
        spans = [
            (start, end)
            for known in manual.known
            for start, end in known.spans
            if not manual.text[start:end].rstrip(' *_`"').endswith("?")  # which states nothing
        ]
        wanted, found = wanted + len(spans), found + len(places & set(spans))
    assert found > 0.98 * wanted


@pytest.mark.parametrize("seed", range(2))
def test_every_citation_of_every_answer_is_whole(seed: int) -> None:
    random = Random(seed)
    cited = 0
    for _ in range(60):
        manual = Manual(random)
        pages = cut(manual, 200) if seed else whole(manual)
        found = review(answer(random, manual), pages, "", ReviewRules(verifier=ScriptedVerifier()))
        for draft in (found.draft, found.repaired):
            for one in draft.citations if draft is not None else ():
                lead = None if one.lead_start < 0 else (one.lead_start, one.lead_end)
                assert manual.holds(one.start, one.end, lead), (manual.text, one)
                assert manual.text[one.start : one.end] == one.quote
                assert manual.text[slice(*lead)] == one.lead if lead else one.lead == ""
                cited += 1
    assert cited > 100


def answer(random: Random, manual: Manual) -> str:
    """Return an answer of parts of a document: whole ones, halves, and two that are joined."""
    spans = [span for known in manual.known for span in known.spans]
    texts = [manual.text[slice(*span)].strip("|`~ \n") for span in spans]
    said = list[str]()
    for _ in range(min(len(texts), 1) * 8):
        one, other = random.choice(texts), random.choice(texts)
        half, rest = one[: len(one) // 2], other[len(other) // 2 :]
        said.append(random.choice((one, half, rest, f"{half} {rest}")).replace("\n", " "))
    return "\n\n".join(said)
