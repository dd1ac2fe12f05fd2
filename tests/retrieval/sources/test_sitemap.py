from __future__ import annotations

import gzip
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from retrieval.sources.shelf import items, states
from retrieval.sources.web import Answer, Web, offline, page
from tether.retrieval.errors import InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.sources.fetch import PatientFetch
from tether.retrieval.sources.site import SiteSettings
from tether.retrieval.sources.sitemap import SitemapSource, lastmod_version, sitemap_entries

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
SITE = "https://a.example"
MAP = f"{SITE}/sitemap.xml"


def xml(entries: Iterable[str], root: str = "urlset") -> bytes:
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    start = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {namespace}>'
    return f"{start}{''.join(entries)}</{root}>".encode()


def url(path: str, lastmod: str = "") -> str:
    changed = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    place = path if "//" in path else SITE + path
    return f"<url>\n<loc> {place} </loc>{changed}<priority>1</priority></url>"


def child(path: str) -> str:
    return f"<sitemap><loc>{path if '//' in path else SITE + path}</loc></sitemap>"


def source(
    answers: dict[str, Answer], known: dict[str, str] | None = None, **settings: object
) -> tuple[SitemapSource, Web]:
    web = Web({path if "//" in path else SITE + path: answer for path, answer in answers.items()})
    fetch = PatientFetch(web, sleep=lambda _: None)
    chosen = SiteSettings(now=lambda: NOW, **settings)  # type: ignore[arg-type]
    return SitemapSource(MAP, fetch, settings=chosen, known=known), web


def test_a_page_with_a_time_is_not_asked_for_before_it_is_read() -> None:
    found, web = source(
        {"/sitemap.xml": xml([url("/a", "2026-01-02T03:04:05Z"), url("/b")]), "/a": "A", "/b": "B"}
    )
    pages = items(found)
    assert web.asked == [MAP, f"{SITE}/robots.txt", f"{SITE}/b"]
    assert pages[f"{SITE}/a"].version == "lastmod 2026-01-02T03:04:05Z"
    assert pages[f"{SITE}/a"].load() == b"A"
    assert pages[f"{SITE}/b"].load() == b"B"
    assert (pages[f"{SITE}/a"].name, pages[f"{SITE}/a"].url) == ("a.html", f"{SITE}/a")
    assert found.name == MAP


def test_a_page_without_a_time_is_asked_with_what_is_known() -> None:
    answers: dict[str, Answer] = {"/sitemap.xml": xml([url("/b")]), "/b": page("B", etag="1")}
    first, _ = source(answers)
    version = items(first)[f"{SITE}/b"].version
    again, web = source(answers, known={f"{SITE}/b": version})
    assert items(again)[f"{SITE}/b"].version == version
    assert web.requests[-1].etag == "1"


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("2026-06-15T11:59:59Z", True),
        ("2026-06-15T13:59:59+02:00", True),
        ("2026-06-15T12:00:01Z", False),
        ("2026-06-13", True),
        ("2026-06-14", False),  # a day that is not over everywhere
        ("2099-01-01", False),
        ("2026-01-01T10:00", True),
        ("2026-01", False),
        ("yesterday", False),
        ("", False),
        ("0001-01-01T00:00:00+14:00", True),
        ("9999-12-31T23:59:59-14:00", False),
        pytest.param("2" * 5_000, False, id="many-digits"),
    ],
)
def test_which_times_are_evidence(text: str, evidence: bool) -> None:
    assert lastmod_version(f" {text}\n", NOW) == (f"lastmod {text}" if evidence else "")


def test_an_index_of_sitemaps_some_of_them_packed() -> None:
    found, _ = source(
        {
            "/sitemap.xml": xml([child("/one.xml"), child("/two.xml.gz")], "sitemapindex"),
            "/one.xml": xml([url("/a", "2026-01-01")]),
            "/two.xml.gz": page(
                gzip.compress(xml([url("/b", "2026-01-01"), url("/a")])), "application/gzip"
            ),
        }
    )
    assert list(items(found)) == [f"{SITE}/a", f"{SITE}/b"]


def test_a_sitemap_of_plain_lines() -> None:
    found, _ = source({"/sitemap.xml": f"{SITE}/a\r\n\n{SITE}/b\n", "/a": "A", "/b": "B"})
    assert list(items(found)) == [f"{SITE}/a", f"{SITE}/b"]


def test_sitemaps_that_name_each_other_end() -> None:
    found, web = source(
        {
            "/sitemap.xml": xml([child("/sitemap.xml"), child("/b.xml")], "sitemapindex"),
            "/b.xml": xml([child("/sitemap.xml"), child("/b.xml#x")], "sitemapindex"),
        }
    )
    assert list(found.scan()) == []
    assert len(web.asked) == 2


def test_sitemaps_are_read_three_levels_deep() -> None:
    answers: dict[str, Answer] = {
        f"/{level}.xml": xml([child(f"/{level + 1}.xml")], "sitemapindex") for level in range(1_000)
    }
    answers["/sitemap.xml"] = answers["/1.xml"]
    found, web = source(answers)
    assert states(found) == {f"{SITE}/4.xml": "skipped: sitemaps are read 3 levels deep"}
    assert len(web.asked) == 3


def test_pages_of_other_places_are_not_read() -> None:
    found, web = source(
        {
            "/sitemap.xml": xml(
                [
                    url("https://evil.example/a"),
                    url("http://169.254.169.254/latest/meta-data"),
                    url("/docs/a", "2026-01-01"),
                    url("/blog/a"),
                    url("https://b.example:443/docs/a", "2026-01-01"),
                    url("file:///etc/passwd"),
                    url("javascript:alert(1)//"),
                    url("http://[broken//"),
                    child("https://evil.example/sitemap.xml"),
                ]
            )
        },
        hosts=("b.example",),
        below="/docs/",
    )
    assert set(items(found)) == {f"{SITE}/docs/a", "https://b.example/docs/a"}
    outside = "skipped: it is on the host {}, which is not one of this source"
    assert states(found) == {
        "https://evil.example/a": outside.format("evil.example"),
        "http://169.254.169.254/latest/meta-data": outside.format("169.254.169.254"),
        f"{SITE}/blog/a": "skipped: it is not below /docs/",
        "file:///etc/passwd": "skipped: it is not the URL of a page",
        "javascript:alert(1)//": "skipped: it is not the URL of a page",
        "http://[broken//": "skipped: it is not the URL of a page",
        "https://evil.example/sitemap.xml": outside.format("evil.example"),
    }
    assert not any("evil" in asked or "169.254" in asked for asked in web.asked)


def test_a_site_that_moved_keeps_its_pages() -> None:
    moved = page(xml([url("https://www.a.example/x", "2026-01-01")]))
    moved = type(moved)(
        status=200, url="https://www.a.example/sitemap.xml", headers=moved.headers, body=moved.body
    )
    found, _ = source({"/sitemap.xml": moved})
    assert set(items(found)) == {"https://www.a.example/x"}


def test_robots_are_obeyed_unless_they_need_not_be() -> None:
    answers: dict[str, Answer] = {
        "/sitemap.xml": xml([url("/a", "2026-01-01"), url("/b", "2026-01-01")]),
        "/robots.txt": page("User-agent: *\nDisallow: /a", "text/plain"),
    }
    found, _ = source(answers)
    assert set(items(found)) == {f"{SITE}/b"}
    assert states(found) == {f"{SITE}/a": "skipped: robots.txt asks not to read it"}
    assert len(items(source(answers, robots=False)[0])) == 2


@pytest.mark.parametrize("answer", [page(status=500), page(status=429), offline()])
def test_robots_that_cannot_be_asked_stop_everything(answer: Answer) -> None:
    found, _ = source({"/sitemap.xml": xml([url("/a")]), "/robots.txt": answer})
    with pytest.raises(SourceUnavailable, match=r"robots\.txt cannot be indexed"):
        list(found.scan())


BOMB = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;">]>
<urlset><url><loc>&b;</loc></url></urlset>"""
EXTERNAL = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>
<urlset><url><loc>https://a.example/&e;</loc></url></urlset>"""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (page(status=404), "answered with status 404"),
        (page(status=500), "answered with status 500"),
        (offline(), "the connection failed"),
        (BOMB, "declares a document type or entities"),
        (EXTERNAL, "declares a document type or entities"),
        ("<!DOCTYPE urlset><urlset/>", "declares a document type"),
        ("<html><body>Not found</body></html>", "its root is <html>"),
        ("<urlset><url><loc>https://a.example/a</loc>", "it is not XML"),
        ("not xml", "it is not XML"),
        ("", "it is not XML"),
        (b"\x1f\x8bgarbage", "damaged"),
        (gzip.compress(b"<urlset>")[:-3], "breaks off"),
        ("<urlset>" + "<a>" * 20, "nested too deep"),
        ('<?xml version="1.0" encoding="utf-7"?><urlset/>', "multi-byte encodings"),
        ('<?xml version="1.0" encoding="rot13"?><urlset/>', "it is not XML"),
        ('<?xml version="1.0" encoding="idna"?><urlset/>', "it is not XML"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 and " " in value else "_",
)
def test_a_sitemap_that_cannot_be_read_whole_prunes_nothing(body: Answer, why: str) -> None:
    found, _ = source({"/sitemap.xml": body})
    with pytest.raises(SourceUnavailable, match=why):
        list(found.scan())


def test_a_part_that_cannot_be_read_prunes_nothing_either() -> None:
    found, _ = source(
        {"/sitemap.xml": xml([url("/a", "2026-01-01"), child("/gone.xml")], "sitemapindex")}
    )
    with pytest.raises(SourceUnavailable, match=r"gone\.xml cannot be indexed: .* status 404"):
        list(found.scan())


def test_a_packed_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 20_000_000)
    found, _ = source({"/sitemap.xml": page(bomb, "application/gzip")})
    with pytest.raises(SourceUnavailable, match="unpacks to more than"):
        list(found.scan())


def test_a_list_without_end_is_refused_early() -> None:
    entries = [url(f"/{number}", "2026-01-01") for number in range(20)]
    found, _ = source({"/sitemap.xml": xml(entries)}, max_pages=10)
    with pytest.raises(SourceUnavailable, match="lists more than 10 addresses; raise max_pages"):
        list(found.scan())
    nowhere, _ = source({"/sitemap.xml": xml([url("mailto:x//")] * 20)}, max_pages=10)
    with pytest.raises(SourceUnavailable, match="more than 10 addresses"):
        list(nowhere.scan())
    answers: dict[str, Answer] = {f"/{n}.xml": xml([], "sitemapindex") for n in range(20)}
    answers["/sitemap.xml"] = xml([child(f"/{n}.xml") for n in range(20)], "sitemapindex")
    many, web = source(answers, max_lists=5)
    with pytest.raises(SourceUnavailable, match="too many sitemaps; raise max_lists"):
        list(many.scan())
    assert len(web.asked) == 5


def test_millions_of_addresses_are_read_without_keeping_them() -> None:
    def pieces() -> Iterable[bytes]:
        yield b"<urlset>"
        for _ in range(300):
            yield b"<url><loc>https://a.example/a</loc></url><x/>" * 20
        yield b"</urlset>"

    assert sum(1 for _ in sitemap_entries(pieces())) == 6_000


def test_text_around_an_address_does_not_count() -> None:
    long = "x" * 10_000
    body = f"<urlset>a<url>b<loc>{long}</loc><image><loc>no</loc></image></url><url/></urlset>"
    (entry,) = sitemap_entries([body.encode()])
    assert entry.location == "x" * 4_096
    found, _ = source({"/sitemap.xml": body})
    assert list(states(found)) == ["x" * 200]


def test_utf16_is_xml_too() -> None:
    body = '<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>/é</loc></url></urlset>'
    (entry,) = sitemap_entries([body.encode("utf-16")])
    assert entry.location == "/é"


def test_what_is_no_address_of_a_sitemap() -> None:
    with pytest.raises(InvalidRetrievalSettings, match="url: must be an https:// address"):
        SitemapSource("sitemap.xml", Web({}))
