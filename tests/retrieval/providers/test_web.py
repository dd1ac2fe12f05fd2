"""Passages from the web: only of hosts that are allowed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.providers.web import AllowedHosts, WebProvider, WebResult
from tether.retrieval.query import Query

HOSTS = AllowedHosts(["docs.example.com", "*.example.org"])


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example.com/guide",
        "http://DOCS.Example.COM:8080/",
        "https://docs.example.com./a",
        "https://a.example.org/",
        "https://a.b.example.org/x?y#z",
    ],
)
def test_allowed(url: str) -> None:
    assert HOSTS.allow(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "https://sub.docs.example.com/",
        "https://example.org/",
        "https://evilexample.org/",
        "https://docs.example.com.evil.test/",
        "https://docs.example.com@evil.test/",
        "https://user@docs.example.com/",
        "https://evil.test\\@docs.example.com/",
        "https://evil.test/https://docs.example.com/",
        "ftp://docs.example.com/",
        "javascript:alert(1)",
        "//docs.example.com/",
        "https://docs.example.com/\n",
        "https://[docs.example.com/",
        "https://docs\uff0eexample\uff0ecom\uff0f/",
        "https://docs.example.com:99999/",
        "https://docs.example.com:x/",
        "https://docs.example.com../",
        "https://evil.test%2f.example.org/",
        "https://evil.test%23.example.org/",
        "https://*.example.org/",
        "https://-.example.org/",
        "https://evil.test\u3002example.org/",
        "https://d\u043ecs.example.org/",
        "https:docs.example.com/",
        "",
    ],
)
def test_not_allowed(url: str) -> None:
    assert not HOSTS.allow(url)


@pytest.mark.parametrize("pattern", ["*", "*.", "", "https://a.test", "a.*.test", "a..b", "-a.b"])
def test_a_pattern_that_is_no_host_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidRetrievalSettings) as refused:
        AllowedHosts(["a.test", pattern])
    assert [problem.path for problem in refused.value.problems] == ["hosts[1]"]


def result(path: str, text: str = "Text.", host: str = "docs.example.com") -> WebResult:
    return WebResult(url=f"https://{host}/{path}", title=f"Title of {path}", text=text)


def provider(*results: WebResult, asked: list[str] | None = None) -> WebProvider:
    def search(question: str, limit: int) -> Sequence[WebResult]:
        if asked is not None:
            asked.append(f"{question} {limit}")
        return results

    return WebProvider(search, hosts=["docs.example.com"])


def test_results_become_passages_of_the_open_web() -> None:
    supply = provider(result("a"), result("b")).passages(Query(question="q"), 5)
    first, second = supply.passages
    assert (first.text, first.label, first.identifier) == (
        "Text.",
        "Title of a",
        "https://docs.example.com/a",
    )
    assert (first.provider, first.trust_tier) == ("web", "third-party-public")
    assert first.id.startswith("web-")
    assert first.id != second.id
    assert first.score > second.score
    assert supply.left_out == ()


def test_results_from_elsewhere_are_dropped_and_counted() -> None:
    supply = provider(
        result("a", host="evil.test"), result("b"), result("c", host="evil.test")
    ).passages(Query(question="q"), 5)
    assert [passage.label for passage in supply.passages] == ["Title of b"]
    (left_out,) = supply.left_out
    assert (left_out.part, left_out.reason[:9]) == ("web", "2 results")


def test_no_more_than_asked_for_each_page_once_and_none_without_text() -> None:
    given = [result("a", " "), result("b"), result("b", "Again."), result("c"), result("d")]
    supply = provider(*given).passages(Query(question="q"), 2)
    assert [passage.text for passage in supply.passages] == ["Text.", "Text."]
    assert [passage.label[-1] for passage in supply.passages] == ["b", "c"]


def test_a_page_without_a_title_is_called_by_its_address() -> None:
    untitled = WebResult(url="https://docs.example.com/a", title=" ", text="Text\x00.")
    (passage,) = provider(untitled).passages(Query(question="q"), 1).passages
    assert (passage.label, passage.text) == ("https://docs.example.com/a", "Text.")


def test_the_rewrite_is_searched_where_there_is_one() -> None:
    asked: list[str] = []
    searching = provider(asked=asked)
    searching.passages(Query(question="what is it?"), 3)
    searching.passages(Query(question="what is it?", rewrite="pod meaning"), 3)
    assert asked == ["what is it? 3", "pod meaning 3"]
