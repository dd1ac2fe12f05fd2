"""The shipped embedder, and other files in its place."""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from retrieval.dense.tiny_onnx import tiny_onnx
from tether.retrieval.dense.embedder import EmbedderSettings, MiniLm, OnnxEmbedder
from tether.retrieval.dense.onnx_model import OnnxModel
from tether.retrieval.dense.word_pieces import Tokens
from tether.retrieval.errors import EmbeddingFailed, InvalidRetrievalSettings
from tether.retrieval.ports import Embedder

MODELS = Path(str(files("tether.retrieval").joinpath("models")))
MINILM, JUDGE, VOCABULARY = (
    MODELS / name for name in ("minilm.int8.onnx", "judge.int8.onnx", "vocab.txt")
)
TEXTS = [
    "A pod is the smallest unit that Kubernetes runs.",
    "Bake the bread for forty minutes.",
    "",
    "Containers of one pod share its network address. " * 60,
]


@cache
def minilm() -> MiniLm:
    return MiniLm(threads=2)


@cache
def rows() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return minilm().embed_passages(TEXTS)


def test_vectors_have_length_one_and_the_promised_dimensions() -> None:
    embedder: Embedder = minilm()
    assert embedder.dimensions == 384
    assert rows().shape == (4, 384)
    assert rows().dtype == np.float32
    assert np.linalg.norm(rows(), axis=1) == pytest.approx(1, abs=1e-6)


def test_a_question_is_nearer_to_what_it_asks_about() -> None:
    question = minilm().embed_questions(["what does kubernetes run at the least?"])[0]
    pod, bread, empty, address = rows() @ question
    assert pod > address > bread
    assert pod > 0.6 > bread + 0.3
    assert abs(empty) < 0.5


def test_a_vector_is_the_same_to_the_bit_in_any_company_order_and_number_of_threads() -> None:
    expected = {text: row.tobytes() for text, row in zip(TEXTS, rows(), strict=True)}
    alone = MiniLm(threads=1)
    for text in TEXTS[:3]:
        assert alone.embed_passages([text])[0].tobytes() == expected[text]
    backwards = minilm().embed_passages(TEXTS[::-1] + TEXTS[:2])
    for text, row in zip(TEXTS[::-1] + TEXTS[:2], backwards, strict=True):
        assert row.tobytes() == expected[text]


def test_what_lies_behind_the_limit_changes_nothing() -> None:
    longer = TEXTS[3] + "Bread, flour and salt."
    assert minilm().embed_passages([longer])[0].tobytes() == rows()[3].tobytes()


def test_no_texts_give_no_rows() -> None:
    assert minilm().embed_passages([]).shape == (0, 384)


def test_all_cores_are_used_unless_told_otherwise() -> None:
    assert MiniLm().embed_questions(["pods"]).shape == (1, 384)


def test_prefixes_and_pooling_are_part_of_the_vectors_and_of_the_fingerprint() -> None:
    settings = EmbedderSettings(
        pooling="class", question_prefix="query: ", passage_prefix="passage: ", max_tokens=64
    )
    other = OnnxEmbedder(path=MINILM, vocabulary=VOCABULARY, settings=settings)
    plain = OnnxEmbedder(
        path=MINILM, vocabulary=VOCABULARY, settings=EmbedderSettings(pooling="class")
    )
    assert [other.dimensions, other.dimensions] == [384, 384]
    question, passage = other.embed_questions(["pods"]), other.embed_passages(["pods"])
    assert question.tobytes() == plain.embed_questions(["query: pods"]).tobytes()
    assert passage.tobytes() == plain.embed_passages(["passage: pods"]).tobytes()
    assert question.tobytes() != minilm().embed_questions(["query: pods"]).tobytes()
    assert len({other.fingerprint, plain.fingerprint, minilm().fingerprint}) == 3


def test_the_fingerprint_is_the_same_for_the_same_files_and_settings() -> None:
    again = OnnxEmbedder(path=MINILM, vocabulary=VOCABULARY)
    assert again.fingerprint == again.fingerprint == minilm().fingerprint
    assert again.fingerprint.startswith("minilm.int8:")
    assert repr(again) == "OnnxEmbedder('minilm.int8')"


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"pooling": "max"}, "pooling"),
        ({"max_tokens": 2}, "max_tokens"),
        ({"threads": -1}, "threads"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidRetrievalSettings, match=field):
        EmbedderSettings(**settings)  # type: ignore[arg-type]


def test_a_file_that_is_missing_or_no_model_is_named(tmp_path: Path) -> None:
    missing = OnnxEmbedder(path=tmp_path / "gone.onnx", vocabulary=VOCABULARY)
    with pytest.raises(EmbeddingFailed, match=r"gone\.onnx cannot be read"):
        missing.embed_questions(["pods"])
    with pytest.raises(EmbeddingFailed, match=r"gone\.onnx cannot be read") as caught:
        assert missing.fingerprint
    assert not caught.value.retryable
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(EmbeddingFailed, match=r"text\.onnx is not a model"):
        OnnxEmbedder(path=tmp_path / "text.onnx", vocabulary=VOCABULARY).embed_questions(["pods"])


def test_a_missing_runtime_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbeddingFailed, match=r"pip install tether") as caught:
        MiniLm().embed_questions(["pods"])
    assert not caught.value.retryable


def test_a_model_that_breaks_down_is_an_embedding_that_failed() -> None:
    too_long = EmbedderSettings(max_tokens=600)
    embedder = OnnxEmbedder(path=MINILM, vocabulary=VOCABULARY, settings=too_long)
    with pytest.raises(EmbeddingFailed, match="failed on 600 tokens"):
        embedder.embed_passages(["word " * 700, "word"])


def tiny(folder: Path, model: bytes) -> OnnxEmbedder:
    path = folder / "tiny.onnx"
    path.write_bytes(model)
    return OnnxEmbedder(path=path, vocabulary=VOCABULARY)


def test_a_model_that_gives_whole_vectors_needs_no_pooling(tmp_path: Path) -> None:
    """This one gives the token numbers themselves: 101 is [CLS], 102 [SEP]."""
    embedder = tiny(tmp_path, tiny_onnx("Identity"))
    length = (101**2 + 102**2) ** 0.5
    assert embedder.embed_passages([""])[0] == pytest.approx([101 / length, 102 / length])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (tiny_onnx("Sub", both=True), "gave no vector"),
        (tiny_onnx("Reciprocal", reads="token_type_ids"), "expects token_type_ids"),
        (tiny_onnx("Squeeze", dimensions=1), r"shape \(2,\)"),
        (tiny_onnx("Exp"), "not finite"),
        (tiny_onnx("Identity", reads="pixel_values"), "expects pixel_values"),
    ],
    ids=["zeros", "no token numbers", "no batch", "infinite", "pixels"],
)
def test_models_that_make_no_sense_are_refused(tmp_path: Path, model: bytes, message: str) -> None:
    with pytest.raises(EmbeddingFailed, match=message):
        tiny(tmp_path, model).embed_questions([""])


def test_an_unknown_token_number_is_a_failure_of_the_model() -> None:
    model = OnnxModel(MINILM, VOCABULARY, threads=1, failure=EmbeddingFailed)
    with pytest.raises(EmbeddingFailed, match="failed on 1 tokens"):
        model.run_all([Tokens([10_000_000], [0])])
