"""Search endpoints: requests to them, and results that cannot be used."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from support.faulty_endpoint import FaultyEndpoint, http_response
from tether.batteries.retrieval.endpoint import Endpoint
from tether.batteries.retrieval.web_search import HttpWebSearch, WebSearchSettings
from tether.retrieval.errors import InvalidRetrievalSettings, ProviderFailed
from tether.retrieval.providers.web import WebSearch

RESULTS = [
    {"url": "https://kubernetes.io/docs", "title": "Docs", "content": "About pods.", "score": 2},
    {"url": "https://example.org/a", "snippet": "Only a snippet."},
    {"url": "javascript:alert(1)", "title": "Bad"},
    {"url": "https://kubernetes.io/docs", "title": "Again", "content": "Twice."},
    {"title": "No address"},
    {"url": "https://example.org/a b", "title": "A space"},
    {"url": "https://example.org/\n", "title": "A line break"},
    {"url": "https://example.org/" + "x" * 3_000, "title": "Far too long"},
    "no object",
    {"url": 7, "title": "A number"},
    {"url": "http://example.org/b", "title": "", "description": "x" * 50},
]


async def searched(
    body: object, settings: WebSearchSettings | None = None, *, limit: int = 10
) -> tuple[list[tuple[str, str, str]], FaultyEndpoint]:
    async with FaultyEndpoint(http_response(body=body)) as server:
        search: WebSearch = HttpWebSearch(Endpoint(base_url=server.url, max_attempts=1), settings)
        try:
            found = await asyncio.to_thread(search, "what is a pod? & more", limit)
        finally:
            await server.all_closed()
            await asyncio.sleep(0)
        return [(result.url, result.title, result.text) for result in found], server


async def test_results_are_kept_in_order_and_those_without_an_address_left_out() -> None:
    found, server = await searched({"results": RESULTS}, WebSearchSettings(max_text_characters=20))
    assert found == [
        ("https://kubernetes.io/docs", "Docs", "About pods."),
        ("https://example.org/a", "https://example.org/"[:20], "Only a snippet."),
        ("http://example.org/b", "http://example.org/b", "x" * 20),
    ]
    [request] = server.requests
    assert request.method == "GET"
    assert request.target == "/search?q=what+is+a+pod%3F+%26+more&format=json"


async def test_no_more_are_returned_than_wanted_and_none_asks_nothing() -> None:
    found, _ = await searched({"results": RESULTS}, limit=1)
    assert len(found) == 1
    found, server = await searched({"results": RESULTS}, limit=0)
    assert (found, server.requests) == ([], [])


async def test_the_other_shape_posts_the_question_cut_to_length() -> None:
    settings = WebSearchSettings(shape="post", max_question_characters=13)
    found, server = await searched({"results": []}, settings, limit=3)
    assert found == []
    [request] = server.requests
    assert (request.method, request.target) == ("POST", "/search")
    assert request.json() == {"query": "what is a pod", "limit": 3}


@pytest.mark.parametrize("body", [[], {}, {"results": "many"}, 7], ids=str)
async def test_an_answer_without_a_list_is_a_provider_that_failed(body: object) -> None:
    with pytest.raises(ProviderFailed, match="did not send a list"):
        await searched(body)


@pytest.mark.parametrize(
    "settings",
    [{"shape": "soap"}, {"max_question_characters": 0}, {"max_text_characters": 0}],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidRetrievalSettings, match=next(iter(settings))):
        WebSearchSettings(**settings)
