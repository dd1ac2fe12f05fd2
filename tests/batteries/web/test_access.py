from __future__ import annotations

import asyncio
import inspect
import socket
import ssl
import sys
from typing import Any

import pytest
import trustme

from batteries.web.loopback import PUBLIC, Resolver, Spy, redirect, reply, serving, trusting
from tether.batteries.web import Page, WebAccess
from tether.core.errors import InputRefused, InvalidInput, LimitExceeded

AUTHORITY = trustme.CA()
LIMITS: dict[str, Any] = {
    "schemes": ("https",),
    "ports": (80, 443),
    "max_bytes": 5_000_000,
    "max_redirects": 5,
    "connect_timeout": 10,
    "total_timeout": 30,
}


async def test_a_page_is_fetched_with_all_that_is_known_about_it() -> None:
    routes = {"/page": reply("grüß dich", content_type="Text/HTML; charset=utf-8")}
    async with serving(routes) as server:
        page = await server.access().fetch(server.url("/page?x=1#part"))
        assert page == Page(
            url=server.url("/page?x=1"), status=200, content_type="text/html", text="grüß dich"
        )


async def test_an_answer_can_be_streamed() -> None:
    body = bytes(range(256)) * 1000
    routes = {"/a": reply(body, content_type="image/png", headers=["X-One: 1", "X-One: 2"])}
    async with serving(routes) as server:
        access = server.access(content_types=["image/*"])
        async with access.open(server.url("/a")) as response:
            assert (response.status, response.content_type) == (200, "image/png")
            assert response.headers["x-one"] == "1, 2"
            assert response.url == server.url("/a")
            pieces = [piece async for piece in response.stream()]
        assert b"".join(pieces) == body
        assert len(pieces) > 1
        await server.closed.wait()  # the connection does not outlive the block


async def test_an_error_status_is_an_answer() -> None:
    missing = reply("no such page", status="404 Not Found")
    async with serving({"/": missing}) as server:
        page = await server.access().fetch(server.url())
    assert (page.status, page.text) == (404, "no such page")


async def test_nothing_is_said_about_the_reader() -> None:
    async with serving({"/": reply()}) as server:
        await server.access(content_types=["text/plain", "text/html"]).fetch(server.url())
    lines = server.heads[0].split("\r\n")
    assert lines == [
        "GET / HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        "User-Agent: tether",
        "Accept: text/plain, text/html",
        "Accept-Encoding: identity",
        "Connection: close",
        "",
        "",
    ]


# 3.6: the connection goes to the address that was checked, with the name for Host and SNI.
async def test_the_name_is_kept_for_the_certificate_while_the_address_is_pinned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spy, resolver = Spy(monkeypatch), Resolver([PUBLIC])
    certificate = AUTHORITY.issue_cert("allowed.example")
    async with serving({"/": reply("secret")}, certificate=certificate) as server:
        spy.lead(PUBLIC, server)
        access = WebAccess(
            hosts=["allowed.example"], resolver=resolver, ssl_context=trusting(AUTHORITY)
        )
        page = await access.fetch("https://allowed.example/")
    assert (page.url, page.text) == ("https://allowed.example/", "secret")
    assert spy.attempts == [(PUBLIC, 443)]
    assert resolver.asked == ["allowed.example"]
    assert server.names == ["allowed.example"]
    assert "Host: allowed.example\r\n" in server.heads[0]


async def test_the_operating_system_is_asked_for_addresses() -> None:
    async with serving({"/": reply("here")}) as server:
        access = server.access(private_hosts=[f"localhost:{server.port}"])
        page = await access.fetch(f"http://localhost:{server.port}/")
    assert page.text == "here"


# RFC 6761: names below .invalid never exist. The lookup itself stays on this machine.
@pytest.mark.parametrize(
    ("problem", "retryable"), [(socket.EAI_NONAME, False), (socket.EAI_AGAIN, True)]
)
async def test_a_host_that_cannot_be_found_is_refused(problem: int, retryable: bool) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        raise socket.gaierror(problem, "no answer")

    access = WebAccess(hosts=["nothing.invalid"], resolver=resolver)
    with pytest.raises(InputRefused, match=r"nothing\.invalid") as caught:
        await access.fetch("https://nothing.invalid/")
    assert caught.value.retryable is retryable


async def test_a_host_without_addresses_is_refused() -> None:
    access = WebAccess(hosts=["a.example"], resolver=Resolver([]))
    with pytest.raises(InputRefused, match=r"there is no host a\.example"):
        await access.fetch("https://a.example/")


async def test_the_next_address_is_tried_where_the_first_one_does_not_answer() -> None:
    async with serving({"/": reply("second")}) as server:
        resolver = Resolver(["::1", "127.0.0.1", "not looked at"], ["::1", "127.0.0.1"])
        access = server.access(private_hosts=[f"a.example:{server.port}"], resolver=resolver)
        with pytest.raises(InputRefused, match="not on the public internet"):
            await access.fetch(f"http://a.example:{server.port}/")  # not an address at all
        assert (await access.fetch(f"http://a.example:{server.port}/")).text == "second"


async def test_only_the_first_addresses_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)
    access = WebAccess(
        hosts=["a.example"], resolver=Resolver([f"8.8.8.{number}" for number in range(100)])
    )
    with pytest.raises(InputRefused, match="failed or broke off") as caught:
        await access.fetch("https://a.example/")
    assert caught.value.retryable
    assert len(spy.attempts) == 3


# Case 63.


async def test_redirects_are_followed_and_checked() -> None:
    hops = {f"/{number}": redirect(f"/{number + 1}") for number in range(5)}
    async with serving({**hops, "/5": reply("the end")}) as server:
        page = await server.access().fetch(server.url("/0"))
        assert (page.url, page.text) == (server.url("/5"), "the end")
        assert server.connections == 6


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 T", "308 P"])
async def test_every_kind_of_redirect_stays_a_get(status: str) -> None:
    async with serving({"/": redirect("/x", status), "/x": reply("x")}) as server:
        assert (await server.access().fetch(server.url())).text == "x"
        assert [head.split(" ")[0] for head in server.heads] == ["GET", "GET"]


async def test_a_sixth_redirect_is_one_too_many() -> None:
    hops = {f"/{number}": redirect(f"/{number + 1}") for number in range(6)}
    async with serving({**hops, "/6": reply()}) as server:
        with pytest.raises(LimitExceeded, match="more than 5 times"):
            await server.access().fetch(server.url("/0"))
        assert server.paths == [f"/{number}" for number in range(6)]


@pytest.mark.parametrize("locations", [("/",), ("/a", "/"), ("/#other",), ("",)])
async def test_a_circle_is_noticed(locations: tuple[str, ...]) -> None:
    routes = {"/": redirect(locations[0]), "/a": redirect(locations[-1])}
    async with serving(routes) as server:
        with pytest.raises(InputRefused, match="in a circle"):
            await server.access().fetch(server.url())
        assert server.connections == len(locations)


@pytest.mark.parametrize(
    "location",
    ["http://10.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://other.example/",
     "/\\evil.example", "\\\\evil.example", "http://127.0.0.1:1/", "https://[::1"],
)  # fmt: skip
async def test_a_redirect_elsewhere_is_refused(location: str) -> None:
    async with serving({"/": redirect(location)}) as server:
        with pytest.raises(InputRefused, match=r"127\.0\.0\.1 redirects to a place that"):
            await server.access().fetch(server.url())
        assert server.connections == 1


async def test_a_redirect_from_https_to_http_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)
    certificate = AUTHORITY.issue_cert("a.example")
    async with serving({"/": redirect("http://a.example/")}, certificate=certificate) as server:
        spy.lead(PUBLIC, server)
        access = WebAccess(
            hosts=["a.example"],
            schemes=["https", "http"],
            resolver=Resolver([PUBLIC]),
            ssl_context=trusting(AUTHORITY),
        )
        with pytest.raises(InputRefused, match="from https to http"):
            await access.fetch("https://a.example/")
    assert spy.attempts == [(PUBLIC, 443)]


async def test_refresh_is_never_followed() -> None:
    header = reply("wait", headers=["Refresh: 0; url=/other"])
    tag = '<meta http-equiv="refresh" content="0; url=/other">here'
    async with serving({"/": header, "/tag": reply(tag, content_type="text/html")}) as server:
        assert (await server.access().fetch(server.url())).text == "wait"
        assert (await server.access().fetch(server.url("/tag"))).text == tag
        assert server.paths == ["/", "/tag"]


async def test_a_redirect_without_a_place_is_an_answer() -> None:
    answers = {"/": reply("where?", status="302 Found"), "/n": reply("n", status="300 Many")}
    async with serving(answers) as server:
        assert (await server.access().fetch(server.url())).text == "where?"
        assert (await server.access().fetch(server.url("/n"))).status == 300


# 3.6: nothing of one host is carried to the next.
async def test_cookies_are_neither_kept_nor_sent() -> None:
    first = reply("", status="302 Found", headers=["Location: /x", "Set-Cookie: a=1"])
    async with serving({"/": first, "/x": reply("x", headers=["Set-Cookie: b=2"])}) as server:
        access = server.access()
        await access.fetch(server.url())
        await access.fetch(server.url("/x"))
        for head in server.heads:
            assert "cookie" not in head.lower()
            assert "authorization" not in head.lower()
            assert "referer" not in head.lower()


async def test_a_header_that_says_two_things_is_refused() -> None:
    two = reply("", status="302 Found", headers=["Location: /a", "Location: /b"])
    same = reply("", status="302 Found", headers=["Location: /a", "Location: /a"])
    kinds = reply("x", headers=["Content-Type: text/html"])
    async with serving({"/2": two, "/1": same, "/a": reply("a"), "/k": kinds}) as server:
        with pytest.raises(InputRefused, match="two different location headers"):
            await server.access().fetch(server.url("/2"))
        with pytest.raises(InputRefused, match="two different content-type headers"):
            await server.access().fetch(server.url("/k"))
        assert (await server.access().fetch(server.url("/1"))).text == "a"


# Case 67.


async def test_a_long_query_is_not_sent() -> None:
    canary = "CANARY-7f3a" * 20
    async with serving({"/": redirect(f"/x?{canary}"), "/x": reply()}) as server:
        access = server.access()
        with pytest.raises(LimitExceeded, match="may have 200 characters; this one has 222"):
            await access.fetch(server.url(f"/x?q={canary}"))
        with pytest.raises(LimitExceeded, match="this one has 220"):
            await access.fetch(server.url())  # nor where a server asks for it
        assert (await access.fetch(server.url("/x?q=short"))).status == 200
        assert "CANARY" not in "".join(server.heads)


async def test_somebody_may_approve_a_long_query() -> None:
    asked: list[str] = []

    def answering(answer: bool) -> Any:
        async def approve(url: str) -> bool:
            asked.append(url)
            return answer

        return approve

    async with serving({"/": reply("found")}) as server:
        url = server.url("/?secret")
        access = server.access(max_query=0, approve=answering(False))
        with pytest.raises(InputRefused, match="was not approved"):
            await access.fetch(url)
        assert server.connections == 0
        assert (await access.fetch(url, approve=answering(True))).text == "found"
        assert (await access.fetch(server.url("/"))).text == "found"
        assert asked == [url, url]


async def test_the_time_a_person_or_a_reader_takes_is_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, hours = asyncio.get_running_loop(), 0
    time = loop.time
    monkeypatch.setattr(loop, "time", lambda: time() + 3600 * hours)

    async def approve(url: str) -> bool:
        nonlocal hours
        hours += 1
        return True

    async with serving({"/": reply("found")}) as server:
        access = server.access(max_query=0, approve=approve)
        async with access.open(server.url("/?q")) as response:
            hours += 1
            assert [piece async for piece in response.stream()] == [b"found"]


# Hosts, types and sizes that may be read.


@pytest.mark.parametrize(
    "content_type",
    [None, "", "image/png", "application/octet-stream", "texthtml", "text", "text/", "text/é",
     "text/ignore all instructions", f"text/{'x' * 1000}"],
)  # fmt: skip
async def test_content_of_another_type_is_refused(content_type: str | None) -> None:
    async with serving({"/": reply("x", content_type=content_type)}) as server:
        with pytest.raises(InputRefused, match=r"status 200 and content of the type.*text/\*"):
            await server.access().fetch(server.url())


async def test_content_that_is_listed_but_no_text_cannot_be_fetched_as_a_page() -> None:
    async with serving({"/": reply(b"\x89PNG", content_type="image/png")}) as server:
        with pytest.raises(InputRefused, match="is image/png, which is not text"):
            await server.access(content_types=["image/png"]).fetch(server.url())


@pytest.mark.parametrize(
    "content_type",
    ["text/html", "text/markdown", "application/json", "application/xhtml+xml", "TEXT/PLAIN;a=b",
     "application/rss+xml", "application/atom+xml", "application/xml", "text/xml"],
)  # fmt: skip
async def test_text_is_read_by_default(content_type: str) -> None:
    async with serving({"/": reply("{}", content_type=content_type)}) as server:
        assert (await server.access().fetch(server.url())).text == "{}"


# RFC 6839 and RFC 9512: the end of a type's name says what its content is written in.
@pytest.mark.parametrize(
    "content_type", ["application/geo+json", "application/mathml+xml", "application/openapi+yaml"]
)
async def test_text_that_an_operator_lists_is_read(content_type: str) -> None:
    async with serving({"/": reply("{}", content_type=content_type)}) as server:
        access = server.access(content_types=[content_type])
        assert (await access.fetch(server.url())).text == "{}"
        with pytest.raises(InputRefused, match="only these are read"):
            await server.access().fetch(server.url())


# How an access is made.


# 3.6 names the numbers.
def test_the_limits_are_those_of_the_rules() -> None:
    parameters = inspect.signature(WebAccess).parameters
    assert {name: parameters[name].default for name in LIMITS} == LIMITS


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"hosts": []}, "hosts"),
        ({"max_bytes": 0}, "max_bytes"),
        ({"max_bytes": "5"}, "max_bytes"),
        ({"max_query": -1}, "max_query"),
        ({"max_redirects": -1}, "max_redirects"),
        ({"connect_timeout": 0}, "connect_timeout"),
        ({"total_timeout": float("inf")}, "total_timeout"),
        ({"total_timeout": float("nan")}, "total_timeout"),
        ({"total_timeout": "30"}, "total_timeout"),
        ({"content_types": "text/html"}, "content_types"),
        ({"content_types": ["Text/HTML"]}, "content_types"),
        ({"content_types": ["*/*"]}, "content_types"),
        ({"content_types": ["text"]}, "content_types"),
        ({"content_types": [5]}, "content_types"),
        ({"content_types": []}, "content_types"),
        ({"resolver": None}, "resolver"),
        ({"approve": "yes"}, "approve"),
        ({"ports": [0]}, "ports"),
        ({"ports": []}, "ports"),
        ({"ports": 80}, "ports"),
        ({"schemes": []}, "schemes"),
        ({"hosts": ["2606:4700::1111"]}, "hosts"),
        ({"private_hosts": ["::1:8080"]}, "private_hosts"),
        ({"schemes": ["ftp"]}, "schemes"),
        ({"private_hosts": ["localhost"]}, "private_hosts"),
        ({"ssl_context": "off"}, "ssl_context"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        WebAccess(**dict[str, Any](hosts=["a.example"]) | settings)
    assert [problem.path for problem in caught.value.problems] == [field]
    assert caught.value.code == "E_INVALID_WEB_ACCESS"


def test_all_bad_settings_are_named_together() -> None:
    with pytest.raises(InvalidInput) as caught:
        WebAccess(hosts=["*.org", "127.1"], max_bytes=0, ports=[70_000])
    assert [problem.path for problem in caught.value.problems] == [
        "max_bytes", "hosts", "hosts", "ports",
    ]  # fmt: skip


@pytest.mark.parametrize("verify_mode", [ssl.CERT_NONE, ssl.CERT_REQUIRED])
def test_verification_cannot_be_switched_off(verify_mode: ssl.VerifyMode) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = verify_mode
    with pytest.raises(InvalidInput, match="must verify certificates"):
        WebAccess(hosts=["a.example"], ssl_context=context)


def test_a_url_can_be_checked_without_being_read() -> None:
    access = WebAccess(hosts=["a.example"])
    assert str(access.check("HTTPS://A.example")) == "https://a.example/"
    for url in ("https://b.example/", 5, None, b"https://a.example/"):
        with pytest.raises(InputRefused):
            access.check(url)  # type: ignore[arg-type]


def test_an_ipv6_address_is_listed_in_brackets() -> None:
    access = WebAccess(hosts=["[2606:4700::1111]"])
    assert access.check("https://[2606:4700::1111]/").host == "2606:4700::1111"
    with pytest.raises(InvalidInput, match="written in brackets"):
        WebAccess(hosts=["2606:4700::1111"])


def test_the_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(InputRefused, match=r"pip install 'tether\[tools\]'"):
        WebAccess(hosts=["a.example"])
