"""Rerank endpoints: requests to them, and answers that cannot be trusted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from support.faulty_endpoint import FaultyEndpoint, Request, Script, http_response
from tether.batteries.retrieval.endpoint import Endpoint
from tether.batteries.retrieval.judge import HttpJudge, HttpJudgeSettings, RerankShape
from tether.retrieval.errors import InvalidRetrievalSettings, JudgeFailed
from tether.retrieval.ports import Judge

PASSAGES = ["first", "second", "third"]


def reranked(request: Request) -> Script:
    """Score texts by their length, and answer in another order, as rerankers do."""
    asked = request.json()
    texts = asked.get("texts") or asked["documents"]
    field = "score" if "texts" in asked else "relevance_score"
    results = [{"index": index, field: len(text)} for index, text in enumerate(texts)]
    results.reverse()
    return http_response(body=results if "texts" in asked else {"results": results})


async def judged(
    script: Any, settings: HttpJudgeSettings, passages: list[str], path: str = ""
) -> tuple[list[float], FaultyEndpoint]:
    async with FaultyEndpoint(script) as server:
        judge = HttpJudge(Endpoint(base_url=server.url + path, max_attempts=1), settings)
        try:
            return await asyncio.to_thread(judge.score, "which?", passages), server
        finally:
            await server.all_closed()
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("shape", "path", "body"),
    [
        ("cohere", "/v2", {"model": "m", "query": "which?", "documents": PASSAGES, "top_n": 3}),
        (
            "jina",
            "/v1",
            {
                "model": "m",
                "query": "which?",
                "documents": PASSAGES,
                "top_n": 3,
                "return_documents": False,
            },
        ),
        ("tei", "", {"query": "which?", "texts": PASSAGES, "raw_scores": True, "truncate": True}),
    ],
)
async def test_each_shape_is_asked_in_its_way_and_scores_are_put_in_order(
    shape: RerankShape, path: str, body: dict[str, Any]
) -> None:
    settings = HttpJudgeSettings(shape=shape, model="m")
    scores, server = await judged(reranked, settings, PASSAGES, path)
    assert scores == [5.0, 6.0, 5.0]
    [request] = server.requests
    assert (request.method, request.target) == ("POST", f"{path}/rerank")
    assert request.json() == body


async def test_many_passages_go_in_batches_and_long_ones_are_cut() -> None:
    settings = HttpJudgeSettings(shape="tei", batch=2, max_characters=5)
    scores, server = await judged(reranked, settings, ["a", "ab", "abc", "abcd", "abcdefgh"])
    assert scores == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert [len(request.json()["texts"]) for request in server.requests] == [2, 2, 1]


async def test_a_long_question_is_cut() -> None:
    settings = HttpJudgeSettings(shape="tei", max_characters=3)
    _, server = await judged(reranked, settings, ["a"])
    assert server.requests[0].json()["query"] == "whi"


async def test_an_index_that_is_text_is_not_repeated() -> None:
    body = [entry("your key is sk-secret " + "x" * 100_000)]
    with pytest.raises(JudgeFailed) as caught:
        await judged(http_response(body=body), HttpJudgeSettings(shape="tei"), ["a"])
    assert "sk-secret" not in caught.value.message
    assert len(caught.value.message) < 200


async def test_no_passages_ask_nothing() -> None:
    scores, server = await judged(reranked, HttpJudgeSettings(shape="tei"), [])
    assert scores == []
    assert server.requests == []


def entry(index: object, score: object = 0.5) -> dict[str, object]:
    return {"index": index, "score": score}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([entry(0), entry(1)], "2 results for 3 texts"),
        ([entry(0), entry(1), entry(1)], "the index 1"),
        ([entry(0), entry(1), entry(3)], "the index 3"),
        ([entry(0), entry(1), entry(-1)], "the index -1"),
        ([entry(0), entry(1), entry(True)], "an odd index"),
        ([entry(0), entry(1), entry(10**12)], "an odd index"),
        ([entry(0), entry(1), entry(2), entry(0)], "the index 0"),
        ([entry(0), entry(1), entry(2, float("nan"))], "score that cannot be used"),
        ([entry(0), entry(1), entry(2, "high")], "score that cannot be used"),
        ([entry(0), entry(1), {"index": 2}], "score that cannot be used"),
        ([entry(0), entry(1), 2], "not an object"),
        ({"results": None}, "did not send a list"),
        (7, "did not send a list"),
    ],
    ids=str,
)
async def test_answers_that_fit_no_passage_are_a_judge_that_failed(
    body: object, message: str
) -> None:

    with pytest.raises(JudgeFailed, match=message):
        await judged(http_response(body=body), HttpJudgeSettings(shape="tei"), PASSAGES)


def test_the_fingerprint_tells_models_and_places_apart_and_no_secrets() -> None:
    def named(url: str, model: str) -> str:
        endpoint = Endpoint(base_url=url, api_key="sk-secret")
        judge: Judge = HttpJudge(endpoint, HttpJudgeSettings(shape="jina", model=model))
        return judge.fingerprint

    places = ("https://a.org/v1", "https://b.org/v1")
    names = [named(url, model) for url in places for model in ("m", "n")]
    assert len(set(names)) == 4
    assert not any("sk-secret" in name for name in names)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"shape": "other", "model": "m"}, "shape"),
        ({"shape": "cohere"}, "model"),
        ({"shape": "tei", "batch": 0}, "batch"),
        ({"shape": "tei", "max_characters": 0}, "max_characters"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRetrievalSettings, match=field):
        HttpJudgeSettings(**settings)
