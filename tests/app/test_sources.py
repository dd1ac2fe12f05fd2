"""Indexing the web through a real server here: which hosts may be read, and how it is stopped."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from app.pages import put
from batteries.web.loopback import Server, reply, serving
from retrieval.index.made import HashEmbedder, parts
from tether.app.sources import OpenSources, web_access, with_sources
from tether.core.errors import InputRefused
from tether.retrieval.errors import InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.index.index import ApplyReport, Index

PAGE = reply("# Wagons\n\nA wagon rolls.", content_type="text/markdown", headers=['ETag: "1"'])
SITEMAP = (
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>{page}</loc></url></urlset>"
)
NONE = reply("", status="404 Not Found")


def site(server: Server) -> dict[str, bytes]:
    listed = SITEMAP.format(page=server.url("/wagons.md"))
    return {
        "/": NONE,
        "/robots.txt": NONE,
        "/llms-full.txt": NONE,
        "/llms.txt": NONE,
        "/sitemap.xml": reply(listed, content_type="application/xml"),
        "/wagons.md": PAGE,
    }


def apply(index: Index, address: str, server: Server | None) -> ApplyReport:
    def work(reading: OpenSources) -> ApplyReport:
        reading.check()
        return index.apply(index.plan(*reading.sources), embedder=HashEmbedder())

    private = [] if server is None else [f"127.0.0.1:{server.port}"]
    return with_sources(index, [address], work, private_hosts=private)


async def test_a_site_is_indexed_and_the_next_run_knows_what_it_has(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    async with serving({}) as server:
        server.routes = site(server)
        first = await asyncio.to_thread(apply, index, server.url("/"), server)
        assert [state.state for state in first.states] == ["indexed"]
        assert index.known_versions(server.url("/")) != {}
        again = await asyncio.to_thread(apply, index, server.url("/"), server)
    assert [state.state for state in again.states] == ["unchanged"]
    assert again.is_new is False


async def test_an_address_inside_the_own_network_is_refused(tmp_path: Path) -> None:
    index = Index.create(tmp_path / "index", parts())
    async with serving({}) as server:
        server.routes = site(server)
        with pytest.raises((SourceUnavailable, InputRefused)):
            await asyncio.to_thread(apply, index, server.url("/"), None)
    assert server.paths == []


async def test_a_folder_and_a_page_are_indexed_together(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", {"a.md": "# A\n\nText."})
    index = Index.create(tmp_path / "index", parts())
    async with serving({"/wagons.md": PAGE, "/robots.txt": NONE}) as server:

        def work(reading: OpenSources) -> list[str]:
            return [source.name for source in reading.sources]

        address = server.url("/wagons.md")
        private = [f"127.0.0.1:{server.port}"]
        names = await asyncio.to_thread(
            with_sources, index, [str(docs), address], work, private_hosts=private
        )
    assert names == [str(docs), address]


def test_a_folder_needs_no_web(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", {"a.md": "# A\n\nText."})
    index = Index.create(tmp_path / "index", parts())
    report = apply(index, str(docs), None)
    assert [state.key for state in report.states] == ["a.md"]


@pytest.mark.parametrize(
    "address", ["http://", "https:///path", "https://host:99999/", "https://host:0/", "http://[::1"]
)
def test_what_is_no_address_is_refused(tmp_path: Path, address: str) -> None:
    index = Index.create(tmp_path / "index", parts())
    with pytest.raises(InvalidRetrievalSettings, match="must be a URL"):
        with_sources(index, [address], lambda _: None)


@pytest.mark.parametrize(
    ("address", "allowed", "refused"),
    [
        ("https://example.org/", "https://www.example.org/a", "https://docs.example.org/"),
        ("https://www.example.org/", "https://example.org/a", "http://example.org/"),
        ("http://example.org/", "https://example.org/", "http://example.com/"),
        ("https://example.org:8443/", "https://example.org:8443/a", "https://example.org:9/"),
        ("https://[2606:4700::1]/", "https://[2606:4700::1]/a", "https://[2606:4700::2]/"),
        ("https://93.184.216.34/", "https://93.184.216.34/a", "https://93.184.216.35/"),
    ],
)
def test_only_the_named_hosts_may_be_read(address: str, allowed: str, refused: str) -> None:
    access = web_access([address])
    access.check(allowed)
    with pytest.raises(InputRefused):
        access.check(refused)


STOPPED = """
import os, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
sys.path.insert(0, {tests!r})
from retrieval.index.made import parts
from tether.app.sources import with_sources
from tether.retrieval.index.index import Index

index = Index.create(Path({folder!r}), parts())

def work(reading):
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        reading.check()

try:
    with_sources(index, [{url!r}], work, private_hosts=[{host!r}])
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
async def test_a_signal_stops_work_that_reads_the_web(tmp_path: Path) -> None:
    async with serving({"/wagons.md": PAGE, "/robots.txt": NONE}) as server:
        source = STOPPED.format(
            tests=str(Path(__file__).parent.parent),
            folder=str(tmp_path / "index"),
            url=server.url("/wagons.md"),
            host=f"127.0.0.1:{server.port}",
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", source, stdout=-1, stderr=-1
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(), timeout=60)
        finally:
            if process.returncode is None:
                process.kill()
    assert out == b"stopped\n", err.decode()
