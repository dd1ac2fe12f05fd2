"""A verifier that fails: the turn goes on with the documents' own words, and says so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ask.bookshelf import QUESTION, RESTARTS, WIDE, Heard, Shelf, Writer, quoting
from tether.ask import Answer, AskAgent, AskModel, AskSettings
from tether.ask.citations.review import VERIFIER_FAILED
from tether.ask.errors import VerifierFailed
from tether.ask.verification.onnx import OnnxVerifier
from tether.ask.verification.port import Claim, Opinion, Verifier
from tether.ask.verification.scripted import ScriptedVerifier
from tether.batteries.storage.sqlite import SqliteStore

OWN = "Workers begin again when three checks have failed."
FAR = "Penguins sing arias in the opera house."


class Broken(ScriptedVerifier):
    """A verifier that cannot read."""

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        raise VerifierFailed("the model ran out of memory")


async def asked(
    store: SqliteStore, said: str, verifier: Verifier, heard: Heard | None = None
) -> Answer:
    model = AskModel(name="scripted", executor=Writer([said]), profile=WIDE)
    settings = AskSettings(address_check=False, retries=0)
    agent = AskAgent(
        library=Shelf(), model=model, store=store, settings=settings, verifier=verifier
    )
    assert agent.verifier is verifier
    return await agent.ask(QUESTION, listener=heard)


async def test_own_words_of_the_model_are_replaced_and_the_failure_is_told(
    store: SqliteStore,
) -> None:
    heard = Heard()
    answer = await asked(store, OWN, Broken(), heard)
    assert answer.verdict == "answered"
    assert {one.words for one in answer.statements} == {"document"}
    assert answer.notes[0] == f"{VERIFIER_FAILED}: the model ran out of memory"
    (step,) = heard.of("verify")
    assert (step.state, step.label) == ("failed", "statement; the verifier failed")
    assert step.detail["problem"] == "the model ran out of memory"
    assert [one["fault"] for one in step.detail["statements"]] == ["no passage has this sentence"]


async def test_words_of_a_document_need_no_verifier(store: SqliteStore) -> None:
    heard = Heard()
    answer = await asked(store, RESTARTS, Broken(), heard)
    assert (answer.text, answer.notes) == (f"{RESTARTS} [1]", ())
    assert heard.of("verify")[0].detail["problem"] == ""
    quotes = AskAgent(library=Shelf(), model=quoting(), store=store, verifier=Broken())
    assert (await quotes.ask(QUESTION)).notes == ()


async def test_a_refusal_tells_it_too(store: SqliteStore) -> None:
    model = AskModel(name="scripted", executor=Writer([FAR]), profile=WIDE)
    settings = AskSettings(address_check=False, retries=0)
    page = {"opera.md": "# Opera\n\nThe opera house has a workers' entrance"}
    agent = AskAgent(
        library=Shelf(pages=page), model=model, store=store, settings=settings, verifier=Broken()
    )
    answer = await agent.ask("Which shoes did singers wear in opera rehearsals?")
    assert answer.verdict == "abstained"
    assert answer.notes == (f"{VERIFIER_FAILED}: the model ran out of memory",)


async def test_a_missing_runtime_says_what_to_install(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    answer = await asked(store, OWN, OnnxVerifier())
    assert {one.words for one in answer.statements} == {"document"}
    assert answer.notes[0].endswith("needs onnxruntime: pip install tether")


@pytest.mark.parametrize("content", [None, b"not a model"])
async def test_a_file_that_is_missing_or_no_model_is_named(
    store: SqliteStore, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "mine.onnx"
    if content is not None:
        path.write_bytes(content)
    answer = await asked(store, OWN, OnnxVerifier(path=path))
    assert {one.words for one in answer.statements} == {"document"}
    assert answer.notes[0].startswith(VERIFIER_FAILED)
    assert "mine.onnx" in answer.notes[0]
