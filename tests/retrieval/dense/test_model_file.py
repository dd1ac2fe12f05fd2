"""Included models: beside the code, in a distribution of their own, or missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tether.ask.verification.onnx import OnnxVerifier
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.dense.model_file import included
from tether.retrieval.errors import EmbeddingFailed
from tether.retrieval.judge import OnnxJudge

NAME = "minilm.int8.onnx"


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package without models, as the kit installs; its folder is where packages are found."""
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "bare", raising=False)
    return "bare"


def put_models(folder: Path) -> Path:
    file = folder / "brought_models" / NAME
    file.parent.mkdir()
    file.with_name("__init__.py").touch()
    file.write_bytes(b"")
    return file


def test_a_model_is_found_beside_the_code_first(tmp_path: Path, bare: str) -> None:
    put_models(tmp_path)
    own = tmp_path / bare / "models" / NAME
    own.parent.mkdir()
    own.write_bytes(b"")
    assert included(NAME, beside=bare, distribution="brought-models").path == own


def test_then_in_the_distribution_that_brings_it(
    tmp_path: Path, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = put_models(tmp_path)
    monkeypatch.delitem(sys.modules, "brought_models", raising=False)
    assert included(NAME, beside=bare, distribution="brought-models").path == brought


def test_a_model_that_is_not_installed_is_missed_when_it_is_read(
    bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = included(NAME, beside=bare, distribution="unheard-of")
    monkeypatch.setattr("tether.retrieval.dense.embedder.included", lambda *_, **__: lost)
    embedder = MiniLm()
    message = rf"{NAME} comes with unheard-of, which is not installed: pip install tether"
    for read in (lambda: embedder.fingerprint, lambda: embedder.embed_questions(["pods"])):
        with pytest.raises(EmbeddingFailed, match=message) as caught:
            read()
        assert not caught.value.retryable


def test_a_file_of_the_users_with_the_name_of_an_included_one_is_not_looked_for_elsewhere(
    tmp_path: Path,
) -> None:
    for made in (
        OnnxJudge(path=tmp_path / "judge.int8.onnx"),
        OnnxVerifier(path=tmp_path / "verifier.onnx"),
    ):
        with pytest.raises(Exception, match="cannot be read: No such file"):
            assert made.fingerprint
