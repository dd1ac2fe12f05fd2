from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.sources.shelf import items, write
from retrieval.sources.web import Answer, Web, offline, page
from tether.core.errors import InputRefused
from tether.retrieval.errors import InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.sources.discovery import DiscoveredSource, source_for, source_name
from tether.retrieval.sources.fetch import PatientFetch
from tether.retrieval.sources.file import FileSource
from tether.retrieval.sources.folder import FolderSource
from tether.retrieval.sources.folder_settings import FolderSettings
from tether.retrieval.sources.llms import LlmsTxtSource
from tether.retrieval.sources.site import SiteSettings
from tether.retrieval.sources.sitemap import SitemapSource
from tether.retrieval.sources.url import UrlSource

SITE = "https://a.example"
FULL, LIST, MAP = (f"{SITE}/{name}" for name in ("llms-full.txt", "llms.txt", "sitemap.xml"))
FOUND: dict[str, Answer] = {
    FULL: page("# A", "text/plain"),
    LIST: page("- [A](/a)", "text/plain"),
    MAP: page("<urlset><url><loc>https://a.example/docs/a</loc></url></urlset>", "application/xml"),
}


def test_a_path_is_a_folder_or_a_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "a"})
    settings = FolderSettings(base_url=SITE)
    folder = source_for(str(tmp_path), folder=settings)
    assert isinstance(folder, FolderSource)
    assert items(folder)["a.md"].url == f"{SITE}/a.md"
    assert isinstance(source_for(str(tmp_path / "a.md")), FileSource)
    with pytest.raises(SourceUnavailable, match="it is not there"):
        list(source_for(str(tmp_path / "nowhere")).scan())


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        (FULL, LlmsTxtSource),
        (f"{SITE}/docs/llms.txt", LlmsTxtSource),
        (MAP, SitemapSource),
        (f"{SITE}/sitemap-0.xml.gz", SitemapSource),
        (f"{SITE}/guide", UrlSource),
        (f"{SITE}/guide.html", UrlSource),
        ("HTTPS://A.example/guide", UrlSource),
    ],
)
def test_an_address_that_says_what_it_is_is_not_asked(address: str, kind: type) -> None:
    web = Web({})
    source = source_for(address, web)
    assert isinstance(source, kind)
    assert source.name == address.replace("HTTPS://A", "https://a")
    assert web.asked == []


@pytest.mark.parametrize("address", [SITE, f"{SITE}/"])
@pytest.mark.parametrize(
    ("missing", "expected"),
    [(0, FULL), (1, LIST), (2, MAP), (3, f"{SITE}/")],
    ids=["full", "list", "sitemap", "page"],
)
def test_a_site_is_read_in_the_best_way_it_offers(
    address: str, missing: int, expected: str
) -> None:
    web = Web(dict(list(FOUND.items())[missing:]))
    source = discovered(address, web)
    assert (source.name, source.source.name) == (f"{SITE}/", expected)


def discovered(address: str, web: Web) -> DiscoveredSource:
    source = source_for(address, web)
    assert isinstance(source, DiscoveredSource)
    return source


def test_the_name_of_a_source_is_known_before_it_is_made() -> None:
    for address in (SITE, MAP, f"{SITE}/guide", "HTTPS://A.example:443/docs/#part"):
        assert source_for(address, Web({})).name == source_name(address)
    assert source_name("docs/guide") == "docs/guide"
    assert source_name("http://[") == "http://["


def test_a_page_for_every_address_is_not_what_was_looked_for() -> None:
    soft = page("<!doctype html><title>Not found", "text/html")
    web = Web({FULL: soft, LIST: soft, MAP: soft})
    assert isinstance(discovered(SITE, web).source, UrlSource)
    garbage = page("oops", "text/plain")
    assert isinstance(discovered(SITE, Web({MAP: garbage})).source, UrlSource)


def test_part_of_a_site_is_found_in_the_sitemap_of_the_whole() -> None:
    web = Web({**FOUND, f"{SITE}/docs/a": "A"})
    source = discovered(f"{SITE}/docs/", web)
    assert source.source.name == MAP
    assert set(items(source)) == {f"{SITE}/docs/a"}
    other = source_for(f"{SITE}/blog/", web)
    assert items(other) == {}
    chosen = source_for(f"{SITE}/blog/", web, site=SiteSettings(below="/docs/"))
    assert set(items(chosen)) == {f"{SITE}/docs/a"}


@pytest.mark.parametrize("answer", [page(status=500), page(status=429), offline()])
@pytest.mark.parametrize("url", [FULL, LIST, MAP])
def test_a_server_that_fails_is_not_taken_for_a_smaller_site(url: str, answer: Answer) -> None:
    fetch = PatientFetch(Web({url: answer}), sleep=lambda _: None)
    with pytest.raises(SourceUnavailable):
        source_for(SITE, fetch)


def test_what_is_known_is_used() -> None:
    url = f"{SITE}/guide"
    web = Web({url: page("text", etag="1")})
    version = items(source_for(url, web))[url].version
    assert items(source_for(url, web, known={url: version}))[url].version == version
    assert web.requests[-1].etag == "1"


def test_the_web_has_to_be_set_up() -> None:
    with pytest.raises(InputRefused, match="needs the web, which is not set up here"):
        source_for(SITE)
    with pytest.raises(InvalidRetrievalSettings):
        source_for("https://[broken", Web({}))
