from __future__ import annotations

import pytest

from retrieval.sources.shelf import items, states
from retrieval.sources.web import Web, offline, page
from tether.retrieval.errors import DocumentUnreadable, InvalidRetrievalSettings
from tether.retrieval.source import SourceItem
from tether.retrieval.sources.fetch import PatientFetch
from tether.retrieval.sources.pages import Evidence, Pages, page_name
from tether.retrieval.sources.site import SiteSettings
from tether.retrieval.sources.url import UrlSource

A = "https://a.example/guide"


def one(source: UrlSource) -> SourceItem:
    (item,) = source.scan()
    assert isinstance(item, SourceItem)
    return item


def test_a_page_is_asked_for_once_and_read_from_that() -> None:
    web = Web({A: page("<p>text", etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")})
    item = one(UrlSource(A, web))
    assert item.load() == item.load() == b"<p>text"
    assert web.asked == [A]
    assert (item.key, item.name, item.url, item.content_type) == (A, "guide.html", A, "text/html")


@pytest.mark.parametrize(
    ("etag", "modified"), [('"1"', ""), ('W/"x"', "Mon, 01 Jan 2024 00:00:00 GMT")]
)
def test_an_unchanged_page_looks_the_same_and_is_not_sent(etag: str, modified: str) -> None:
    web = Web({A: page("text", "text/markdown", etag=etag, last_modified=modified)})
    first = one(UrlSource(A, web))
    again = one(UrlSource(A, web, known={A: first.version}))
    assert again == first
    assert (web.requests[1].etag, web.requests[1].last_modified) == (etag, modified)
    assert again.load() == b"text"  # whoever needs it all the same gets it
    assert web.requests[2].etag == ""


def test_a_changed_page_has_another_version() -> None:
    web = Web({A: [page("one", etag="1"), page("two", etag="2")]})
    first = one(UrlSource(A, web))
    second = one(UrlSource(A, web, known={A: first.version}))
    assert first.version != second.version
    assert second.load() == b"two"


def test_without_marks_the_content_is_the_evidence() -> None:
    web = Web({A: [page("one"), page("one"), page("two")]})
    versions = [one(UrlSource(A, web)).version for _ in range(3)]
    assert versions[0] == versions[1] != versions[2]


def test_what_a_redirect_leads_to_is_shown_and_the_key_stays() -> None:
    moved = page("text")
    web = Web({A: type(moved)(status=200, url="https://a.example/new.html", headers=moved.headers)})
    item = one(UrlSource(A, web))
    assert (item.key, item.url, item.name) == (A, "https://a.example/new.html", "new.html")


def test_pages_that_cannot_be_read_do_not_stop_the_others() -> None:
    gone, broken, picture, good = (f"https://a.example/{name}" for name in "1234")
    web = Web({broken: offline(), picture: page(b"", "image/png"), good: "text"})
    web.answers["https://a.example/5"] = [page(status=304)]
    patient = PatientFetch(web, sleep=lambda _: None)
    source = UrlSource([gone, broken, picture, good, "https://a.example/5"], patient)
    assert states(source) == {
        gone: "skipped: the page is gone: the server answered with status 404",
        broken: "failed: the connection failed",
        picture: "skipped: no reader takes the type image/png",
        "https://a.example/5": "failed: the server answered with status 304",
    }
    assert set(items(source)) == {good}
    assert source.name == f"{gone} {broken} {picture} {good} https://a.example/5"


def test_only_so_many_bytes_are_asked_for() -> None:
    web = Web({A: "text"})
    one(UrlSource(A, web, settings=SiteSettings(max_bytes=7)))
    assert web.requests[0].max_bytes == 7


@pytest.mark.parametrize("wrong", ["", "ftp://a.example", "https://", "guide.md", "http://[", []])
def test_what_is_no_address(wrong: str | list[str]) -> None:
    with pytest.raises(InvalidRetrievalSettings, match="urls"):
        UrlSource(wrong, Web({}))


@pytest.mark.parametrize(
    ("url", "kind", "name"),
    [
        ("https://a.example/", "text/html", "index.html"),
        ("https://a.example/x.html?a=b", "text/html", "x.html"),
        ("https://a.example/x.md", "text/html", "x.md.html"),
        ("https://a.example/x.md", "text/plain", "x.md"),
        ("https://a.example/x", "text/plain", "x.txt"),
        ("https://a.example/x.ipynb", "application/json", "x.ipynb"),
        ("https://a.example/x", "application/json", ""),
        ("https://a.example/x.pdf", "application/octet-stream", "x.pdf"),
        ("https://a.example/x", "application/octet-stream", ""),
        ("https://a.example/x.rst", "text/x-unknown", "x.rst"),
        ("https://a.example/x", "text/x-unknown", ""),
        ("https://a.example/x.rst", "image/png", ""),
        ("https://a.example/%FF%0A", "application/pdf", "\\xff\\n.pdf"),
    ],
)
def test_the_name_of_a_page_chooses_its_reader(url: str, kind: str, name: str) -> None:
    assert page_name(url, kind) == name


class TestPagesThatAreLoadedLate:
    def load(self, answer: object) -> bytes:
        web = Web({A: answer})  # type: ignore[dict-item]
        fetch = PatientFetch(web, sleep=lambda _: None)
        item = Pages(fetch, known={}, max_bytes=100).unrequested(A, "1")
        assert web.asked == []
        return item.load()

    def test_a_page_is_asked_for_when_it_is_read(self) -> None:
        assert self.load("<p>text") == b"<p>text"

    @pytest.mark.parametrize(
        ("path", "kind", "name"),
        [("a.md", "text/markdown", "a.md"), ("a.txt", "text/plain", "a.txt"), ("a", "", "a.html")],
    )
    def test_the_ending_of_an_address_says_what_it_is(
        self, path: str, kind: str, name: str
    ) -> None:
        url = f"https://a.example/{path}"
        web = Web({url: page("text", kind or "text/html")})
        item = Pages(web, known={}, max_bytes=100).unrequested(url, "1")
        assert (item.name, item.load()) == (name, b"text")

    def test_failures_are_the_document_s(self) -> None:
        with pytest.raises(DocumentUnreadable, match="the connection failed") as caught:
            self.load(offline())
        assert caught.value.retryable
        with pytest.raises(DocumentUnreadable, match="status 404") as caught:
            self.load(page(status=404))
        assert not caught.value.retryable
        with pytest.raises(DocumentUnreadable, match="it was sent as application/pdf"):
            self.load(page(b"%PDF", "application/pdf"))

    def test_only_the_latest_bodies_are_kept(self) -> None:
        urls = [f"https://a.example/{number}" for number in range(3)]
        web = Web({url: page(bytes(30_000_000)) for url in urls})
        pages = Pages(web, known={}, max_bytes=100_000_000)
        found = [pages.requested(url) for url in (*urls, urls[2])]
        for item in reversed(found):
            assert isinstance(item, SourceItem)
            assert len(item.load()) == 30_000_000
        assert web.asked == [*urls, urls[2], urls[0]]


@pytest.mark.parametrize(
    "text", ["", "lastmod 2024", "[1]", '["a"]', '[1,"","",""]', "{}", "[" * 50]
)
def test_evidence_of_another_kind_says_nothing(text: str) -> None:
    assert Evidence.read(text) == Evidence()


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(InvalidRetrievalSettings) as caught:
        SiteSettings(
            hosts=("A.example", "a/b", 1),  # type: ignore[arg-type]
            below="docs",
            robots=1,  # type: ignore[arg-type]
            max_pages=0,
            now=None,  # type: ignore[arg-type]
        )
    fields = [problem.path for problem in caught.value.problems]
    assert fields == ["hosts[2]", "hosts", "hosts", "below", "robots", "max_pages", "now"]


def test_the_character_set_of_the_server_reaches_the_reader() -> None:
    kind = "Text/HTML; charset=koi8-r"
    web = Web({A: [page("<p>words", kind, etag='"1"')]})
    first = one(UrlSource(A, web))
    assert (first.content_type, first.name) == (kind, "guide.html")
    again = one(UrlSource(A, web, known={A: first.version}))
    assert again == first
