"""The web for threads: real answers from a server here, and nothing left running."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Callable
from typing import TypeVar

import pytest

from batteries.web.loopback import Resolver, Routes, Server, Spy, redirect, reply, serving
from tether.batteries.web import WebAccess
from tether.batteries.web.loop_fetch import SITE_TYPES, LoopFetch
from tether.core.errors import Aborted, InputRefused, LimitExceeded
from tether.retrieval.errors import SourceUnavailable
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.discovery import source_for, source_name
from tether.retrieval.sources.fetch import FetchRequest, PatientFetch
from tether.retrieval.sources.sitemap import SitemapSource
from tether.retrieval.sources.url import UrlSource

T = TypeVar("T")
Work = Callable[[LoopFetch], T]


async def in_thread(server: Server, work: Work[T], **settings: object) -> T:
    """Do something with a fetch of a server in a thread of this loop."""
    access = server.access(content_types=SITE_TYPES, **settings)
    with LoopFetch(access, asyncio.get_running_loop()) as fetch:
        return await asyncio.to_thread(work, fetch)


async def test_a_page_is_read_whole() -> None:
    answer = reply("text", content_type="text/markdown; charset=utf-8", headers=['ETag: "1"'])
    async with serving({"/a": redirect("/b"), "/b": answer}) as server:
        request = FetchRequest(url=server.url("/a"))
        found = await in_thread(server, lambda fetch: fetch(request))
    assert (found.status, found.url, found.body) == (200, server.url("/b"), b"text")
    assert (found.content_type, found.headers["etag"]) == ("text/markdown", '"1"')


async def test_an_error_is_an_answer() -> None:
    answer = reply("busy", status="429 Slow", headers=["Retry-After: 7"])
    async with serving({"/": answer}) as server:
        request = FetchRequest(url=server.url(), etag='"1"')
        found = await in_thread(server, lambda fetch: fetch(request))
    assert (found.status, found.headers["retry-after"]) == (429, "7")


MODIFIED = "Mon, 01 Jan 2024 00:00:00 GMT"


@pytest.mark.parametrize(
    ("etag", "modified", "status"),
    [
        ('"1"', "", 304),
        ('"2"', "", 200),
        ('"2"', MODIFIED, 200),
        ("", MODIFIED, 304),
        ("", "Tue, 02 Jan 2024 00:00:00 GMT", 200),
        ("", "", 200),
    ],
)
async def test_a_page_that_is_still_good_is_not_read(etag: str, modified: str, status: int) -> None:
    answer = reply("text", headers=['ETag: "1"', f"Last-Modified: {MODIFIED}"])
    async with serving({"/": answer}) as server:
        request = FetchRequest(url=server.url(), etag=etag, last_modified=modified)
        found = await in_thread(server, lambda fetch: fetch(request))
    assert (found.status, found.body) == (status, b"text" if status == 200 else b"")


async def test_a_server_is_told_which_copy_is_here() -> None:
    head = ['ETag: W/"1"', "Content-Length: 999999999", "Content-Encoding: gzip"]
    lines = ["HTTP/1.1 304 Not Modified", *head, "", ""]
    async with serving({"/": "\r\n".join(lines).encode()}) as server:
        request = FetchRequest(url=server.url(), etag='W/"1"', last_modified=MODIFIED)
        found = await in_thread(server, lambda fetch: fetch(request))
    assert (found.status, found.body, found.headers["etag"]) == (304, b"", 'W/"1"')
    assert 'If-None-Match: W/"1"\r\n' in server.heads[0]
    assert f"If-Modified-Since: {MODIFIED}\r\n" in server.heads[0]


@pytest.mark.parametrize("mark", ["", '"a\r\nCookie: x"', '"ü"', " ", "x" * 2_000])
async def test_marks_that_cannot_stand_in_a_header_are_not_sent(mark: str) -> None:
    async with serving({"/": reply("text")}) as server:
        request = FetchRequest(url=server.url(), etag=mark, last_modified=mark)
        found = await in_thread(server, lambda fetch: fetch(request))
    assert found.status == 200
    assert not [word for word in ("If-", "Cookie") if word in server.heads[0]]


@pytest.mark.parametrize("status", ["404 Not Found", "429 Slow", "503 Busy"])
async def test_an_error_without_a_content_type_is_an_answer(status: str) -> None:
    async with serving({"/": reply("", status=status, content_type=None)}) as server:
        found = await in_thread(server, lambda fetch: fetch(FetchRequest(url=server.url())))
    assert (f"{found.status}", found.content_type) == (status[:3], "")


async def test_no_more_bytes_are_taken_than_the_caller_wants() -> None:
    async with serving({"/": reply("x" * 100)}) as server:
        for most, allowed in ((100, True), (99, False)):
            request = FetchRequest(url=server.url(), max_bytes=most)
            if allowed:
                assert (await in_thread(server, lambda fetch: fetch(request))).body == b"x" * 100  # noqa: B023
            else:
                with pytest.raises(LimitExceeded, match="more than the 99 bytes allowed"):
                    await in_thread(server, lambda fetch: fetch(request))  # noqa: B023


async def test_private_addresses_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)
    access = WebAccess(hosts=["a.example"], resolver=Resolver(["169.254.169.254"]))
    with LoopFetch(access, asyncio.get_running_loop()) as fetch:
        for url in ("https://a.example/", "https://10.0.0.1/", "file:///etc/passwd"):
            with pytest.raises(InputRefused):
                await asyncio.to_thread(fetch, FetchRequest(url=url))
        source = UrlSource("https://a.example/", fetch)
        (state,) = await asyncio.to_thread(list, source.scan())
    assert isinstance(state, DocumentState)
    assert "not on the public internet" in state.reason
    assert spy.attempts == []


async def test_the_loop_does_not_wait_for_itself() -> None:
    async with serving({}) as server:
        fetch = LoopFetch(server.access(), asyncio.get_running_loop())
        with pytest.raises(InputRefused, match="call it in another thread"):
            fetch(FetchRequest(url=server.url()))


async def test_a_slow_server_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tether.batteries.web.loop_fetch._LOOK_AFTER", 0.001)

    async def slowly(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        writer.write(reply("text"))

    async with serving({"/": slowly}) as server:
        request = FetchRequest(url=server.url())
        assert (await in_thread(server, lambda fetch: fetch(request))).body == b"text"


class Silent:
    """A server's answer that never comes, and the news that it was asked for."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        self.asked.set()
        await asyncio.Event().wait()


async def test_leaving_ends_what_still_runs() -> None:
    silent = Silent()
    async with serving({"/": silent}) as server:
        before = asyncio.all_tasks()
        with LoopFetch(server.access(), asyncio.get_running_loop()) as fetch:
            work = asyncio.ensure_future(asyncio.to_thread(fetch, FetchRequest(url=server.url())))
            await silent.asked.wait()
        with pytest.raises(Aborted, match="stopped"):
            await work
        await server.closed.wait()
        assert not [task for task in asyncio.all_tasks() - before if "_read" in repr(task)]
        for late in (lambda: fetch(FetchRequest(url=server.url())), lambda: fetch.sleep(60)):
            with pytest.raises(Aborted):
                await asyncio.to_thread(late)


async def test_a_wait_ends_when_the_reading_is_stopped() -> None:
    async with serving({}) as server:
        fetch = LoopFetch(server.access(), asyncio.get_running_loop())
        fetch.sleep(0.001)
        work = asyncio.ensure_future(asyncio.to_thread(fetch.sleep, 300))
        fetch.close()
        with pytest.raises(Aborted):
            await work


def test_a_loop_that_stops_or_is_closed_leaves_nobody_waiting() -> None:
    access = WebAccess(private_hosts=["127.0.0.1:9"], schemes=["http"], resolver=never)
    loop = asyncio.new_event_loop()
    fetch = LoopFetch(access, loop)
    request = FetchRequest(url="http://127.0.0.1:9/")
    with pytest.raises(Aborted):  # it does not run yet
        fetch(request)
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    with pytest.raises(Aborted):
        fetch(request)


async def never(host: str, port: int) -> list[str]:
    raise AssertionError


async def test_an_interrupted_thread_leaves_nothing_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    silent = Silent()
    async with serving({"/": silent}) as server:
        fetch = LoopFetch(server.access(), asyncio.get_running_loop())
        interrupted = threading.Event()

        def interrupting(_fetch: LoopFetch, _reading: object) -> None:
            interrupted.wait()
            raise KeyboardInterrupt

        monkeypatch.setattr(LoopFetch, "_result", interrupting)

        def work() -> None:
            with pytest.raises(KeyboardInterrupt):
                fetch(FetchRequest(url=server.url()))

        thread = asyncio.ensure_future(asyncio.to_thread(work))
        await silent.asked.wait()
        interrupted.set()
        await thread
        await server.closed.wait()


def site(server_url: str) -> Routes:
    """A whole site: a compressed sitemap of a sitemap, pages, and files that must not be read."""
    pages = "".join(
        f"<url><loc>{server_url}{path}</loc></url>"
        for path in ("/a.html", "/b", "/gone", "/private/x", "/picture.png")
    )
    outside = "<url><loc>http://169.254.169.254/latest/</loc></url>"
    inner = gzip.compress(f"<urlset>{pages}{outside}</urlset>".encode())
    outer = f"<sitemapindex><sitemap><loc>{server_url}/in.xml.gz</loc></sitemap></sitemapindex>"
    missing = reply("no", status="404 No")
    return {
        "/": reply("<h1>Home</h1>", content_type="text/html"),
        "/llms-full.txt": missing,
        "/llms.txt": missing,
        "/robots.txt": reply("User-agent: tether\nDisallow: /private"),
        "/sitemap.xml": reply(outer, content_type="application/xml"),
        "/in.xml.gz": reply(inner, content_type="application/x-gzip"),
        "/a.html": reply("<h1>A</h1>", content_type="text/html", headers=['ETag: "1"']),
        "/b": reply("# B", content_type="text/markdown"),
        "/gone": missing,
        "/picture.png": reply("png", content_type="image/png"),
    }


async def test_a_site_from_its_address_to_its_pages() -> None:
    routes: dict[str, object] = {}
    async with serving(routes) as server:  # type: ignore[arg-type]
        home = server.url("")
        routes.update(site(home))

        def scan(fetch: LoopFetch, known: dict[str, str]) -> list[SourceItem | DocumentState]:
            source = source_for(f"{home}/", PatientFetch(fetch, sleep=fetch.sleep), known=known)
            assert source.name == source_name(home)
            return list(source.scan())

        first = await in_thread(server, lambda fetch: scan(fetch, {}))
        pages = {found.key: found for found in first if isinstance(found, SourceItem)}
        assert {key: page.load() for key, page in pages.items()} == {
            f"{home}/a.html": b"<h1>A</h1>",
            f"{home}/b": b"# B",
        }
        ended = {found.key: found.state for found in first if isinstance(found, DocumentState)}
        assert ended == {
            f"{home}/gone": "skipped",
            f"{home}/private/x": "skipped",
            f"{home}/picture.png": "failed",
            "http://169.254.169.254/latest/": "skipped",
        }
        assert "/private/x" not in server.paths
        known = {key: page.version for key, page in pages.items()}
        again = await in_thread(server, lambda fetch: scan(fetch, known))
        assert again == first


async def test_a_site_that_does_not_answer_prunes_nothing() -> None:
    async with serving({}) as server:
        url = server.url("/sitemap.xml")
    access = WebAccess(private_hosts=[url[7:].partition("/")[0]], schemes=["http"])
    with LoopFetch(access, asyncio.get_running_loop()) as fetch:
        patient = PatientFetch(fetch, sleep=lambda _: None)
        with pytest.raises(SourceUnavailable, match="failed or broke off"):
            await asyncio.to_thread(list, SitemapSource(url, patient).scan())
