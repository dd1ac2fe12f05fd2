from __future__ import annotations

import pytest

from batteries.web.loopback import Resolver, Spy, redirect, reply, serving
from tether import Media
from tether.batteries.web import HttpReader, WebAccess
from tether.core.errors import InputRefused
from tether.core.media import MediaReader

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100_000)


async def test_media_are_read_from_the_web_each_time_anew() -> None:
    async with serving({"/a.png": reply(PNG, content_type="image/png")}) as server:
        reader = HttpReader(server.url("/a.png"), server.access(content_types=["image/*"]))
        assert isinstance(reader, MediaReader)
        media = Media.retrieved_public(
            kind="image", mime_type="image/png", filename="a.png", reader=reader, source=reader.url
        )
        stream = media.stream()
        assert server.connections == 0  # nothing is requested before it is read
        assert b"".join([piece async for piece in stream]) == PNG
        assert await media.as_bytes() == PNG
        assert server.connections == 2


# Media do not get around the rules either.
async def test_a_reader_of_a_forbidden_url_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)
    access = WebAccess(hosts=["a.example"], resolver=Resolver(["169.254.169.254"]))
    for url in ("https://169.254.169.254/", "file:///etc/passwd", "https://a.example@b.example/"):
        with pytest.raises(InputRefused):
            HttpReader(url, access)
    reader = HttpReader("https://a.example/", access)
    with pytest.raises(InputRefused, match="not on the public internet"):
        _ = [piece async for piece in reader.stream()]
    assert spy.attempts == []


async def test_a_reader_follows_only_what_may_be_read() -> None:
    async with serving({"/": redirect("http://169.254.169.254/latest/")}) as server:
        reader = HttpReader(server.url(), server.access(content_types=["image/*"]))
        with pytest.raises(InputRefused, match="redirects to a place that is refused"):
            _ = [piece async for piece in reader.stream()]


@pytest.mark.parametrize(
    ("status", "retryable"), [("404 No", False), ("503 Busy", True), ("204 Empty", False)]
)
async def test_an_error_page_is_not_the_media(status: str, retryable: bool) -> None:
    answer = reply("", status=status, content_type="image/png")
    async with serving({"/": answer}) as server:
        reader = HttpReader(server.url(), server.access(content_types=["image/*"]))
        with pytest.raises(InputRefused, match=f"status {status[:3]}") as caught:
            _ = [piece async for piece in reader.stream()]
        assert caught.value.retryable is retryable


async def test_media_can_be_left_half_read() -> None:
    async with serving({"/": reply(bytes(1_000_000), content_type="image/png")}) as server:
        reader = HttpReader(server.url(), server.access(content_types=["image/*"]))
        stream = reader.stream()
        assert await anext(stream)
        await stream.aclose()
        await server.closed.wait()
