"""Embedding endpoints: requests to them, and answers that cannot be trusted."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from support.faulty_endpoint import FaultyEndpoint, Request, Script, http_response
from tether.batteries.retrieval.embedder import HttpEmbedder, HttpEmbedderSettings
from tether.batteries.retrieval.endpoint import Endpoint
from tether.retrieval.errors import EmbeddingFailed, InvalidRetrievalSettings
from tether.retrieval.ports import Embedder

PLAIN = HttpEmbedderSettings(model="m", dimensions=2)


def embedded(request: Request) -> Script:
    """Answer each text with its length and 1, in another order than asked."""
    texts = request.json()["input"]
    data = [{"index": index, "embedding": [len(text), 1]} for index, text in enumerate(texts)]
    return http_response(body={"object": "list", "data": data[::-1]})


async def rows(
    script: Any, settings: HttpEmbedderSettings, texts: list[str], *, questions: bool = False
) -> tuple[NDArray[np.float32], FaultyEndpoint]:
    async with FaultyEndpoint(script) as server:
        endpoint = Endpoint(base_url=f"{server.url}/v1/", api_key="sk-secret", max_attempts=1)
        embedder: Embedder = HttpEmbedder(endpoint, settings)
        work = embedder.embed_questions if questions else embedder.embed_passages
        try:
            return await asyncio.to_thread(work, texts), server
        finally:
            await server.all_closed()
            await asyncio.sleep(0)


async def test_vectors_come_in_the_order_of_the_texts_with_length_one() -> None:
    found, server = await rows(embedded, PLAIN, ["", "abc"])
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx(np.array([[0, 1], [3 / 10**0.5, 1 / 10**0.5]]))
    [request] = server.requests
    assert (request.method, request.target) == ("POST", "/v1/embeddings")
    assert request.json() == {"model": "m", "input": ["", "abc"], "encoding_format": "float"}
    assert request.headers["authorization"] == "Bearer sk-secret"


async def test_texts_go_in_batches_behind_their_prefix_and_cut() -> None:
    settings = HttpEmbedderSettings(
        model="m",
        dimensions=2,
        ask_for_dimensions=True,
        question_prefix="q: ",
        passage_prefix="p: ",
        batch=2,
        max_characters=6,
    )
    found, server = await rows(embedded, settings, ["a", "ab", "abcdefgh"])
    assert found.shape == (3, 2)
    bodies = [request.json() for request in server.requests]
    assert [body["input"] for body in bodies] == [["p: a", "p: ab"], ["p: abc"]]
    assert bodies[0]["dimensions"] == 2
    _, server = await rows(embedded, settings, ["a"], questions=True)
    assert server.requests[0].json()["input"] == ["q: a"]


async def test_no_texts_ask_nothing() -> None:
    found, server = await rows(embedded, PLAIN, [])
    assert found.shape == (0, 2)
    assert server.requests == []


def answer(*vectors: object) -> dict[str, object]:
    return {"data": [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]}


@pytest.mark.parametrize(
    "body",
    [
        answer([1, 0]),
        answer([1, 0], [1, 0], [1, 0]),
        answer([1, 0], [1, 0, 0]),
        answer([1, 0], [0, 0]),
        answer([1, 0], [1, float("inf")]),
        answer([1, 0], [1, None]),
        answer([1, 0], "AACAPwAAAAA="),
        {"data": [{"index": 0, "embedding": [1, 0]}] * 2},
        {"data": None},
        {},
        [],
    ],
    ids=str,
)
async def test_answers_that_fit_no_text_are_an_embedding_that_failed(body: object) -> None:
    with pytest.raises(EmbeddingFailed, match=r"127\.0\.0\.1"):
        await rows(http_response(body=body), PLAIN, ["a", "b"])


async def test_a_failure_of_the_endpoint_is_an_embedding_that_failed() -> None:
    with pytest.raises(EmbeddingFailed, match="answered 401") as caught:
        await rows(http_response(401, body="wrong key sk-secret"), PLAIN, ["a"])
    assert "sk-secret" not in str(caught.value)


def test_the_fingerprint_tells_apart_what_changes_vectors() -> None:
    endpoint = Endpoint(base_url="https://a.org/v1", api_key="sk-secret")
    settings = [
        PLAIN,
        HttpEmbedderSettings(model="n", dimensions=2),
        HttpEmbedderSettings(model="m", dimensions=3),
        HttpEmbedderSettings(model="m", dimensions=2, passage_prefix="p: "),
        HttpEmbedderSettings(model="m", dimensions=2, question_prefix="p: "),
        HttpEmbedderSettings(model="m", dimensions=2, max_characters=9),
    ]
    names = [HttpEmbedder(endpoint, each).fingerprint for each in settings]
    other = HttpEmbedder(Endpoint(base_url="https://b.org/v1"), PLAIN)
    assert len({*names, other.fingerprint}) == 7
    assert not any("sk-secret" in name for name in names)
    assert other.dimensions == 2


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"model": ""}, "model"),
        ({"dimensions": 0}, "dimensions"),
        ({"batch": 0}, "batch"),
        ({"max_characters": 0}, "max_characters"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], field: str) -> None:
    changed: dict[str, Any] = {"model": "m", "dimensions": 2, **settings}
    with pytest.raises(InvalidRetrievalSettings, match=field):
        HttpEmbedderSettings(**changed)
