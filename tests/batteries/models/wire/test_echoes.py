"""Case 139: an endpoint that echoes our secrets."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest

from support.faulty_endpoint import (
    Close,
    FaultyEndpoint,
    Script,
    chunked_head,
    http_response,
    sse,
    streamed,
)
from support.plain_wire import Asking

HELLO = sse({"text": "hel"}, {"text": "lo"}, "[DONE]")
ANSWER = streamed(HELLO)
THRICE = {"max_attempts": 3, "base_delay_ms": 1}
PHASES = ["connecting", "waiting for the answer", "reading the answer"]


KEY = 'sk-proj-Zq8"w/Tn+4RbYk2\\mC7xLs0vHd9'
OTHER = "another-secret-5Jd8Wq1z"
ECHOES = {
    "as it is": KEY,
    "as a header": f"Authorization: Bearer {KEY}",
    "in capitals": KEY.upper(),
    "as JSON": json.dumps(KEY),
    "in base64": base64.b64encode(KEY.encode()).decode(),
    "in base64 with its scheme": base64.b64encode(f"Bearer {KEY}".encode()).decode(),
    "in hex": KEY.encode().hex(),
    "in part": f"{KEY[:20]}***",
    "its end": f"***{KEY[-9:]}",
    "twice": KEY + KEY,
    "another header": f"x-custom-key={OTHER}",
    "far into the text": "x" * 490 + KEY,
}


def echoing(echo: str) -> Iterator[Script]:
    """Ways for an endpoint to say something where we would quote it."""
    written = json.dumps(echo)
    yield http_response(401, body=f"Incorrect API key provided: {echo}")
    yield http_response(400, body={"error": {"message": echo}})
    yield http_response(301, {"Location": f"https://host/?key={echo}"})
    yield http_response(200, {"Content-Type": f"text/html-{echo}"}, echo)
    yield http_response(200, {"Content-Type": "application/json"}, f'{{"error": {written}}}')
    yield streamed(sse({"text": "hel"}, {"error": echo}))
    yield streamed(sse(f"{{not json: {echo}"))
    yield [f"{echo}\r\n\r\n".encode(), Close()]
    yield [chunked_head(), f"{echo}\r\n".encode(), Close()]
    yield http_response(503, {"Retry-After": echo}, echo)


def traces_of(asking: Asking, error: BaseException) -> str:
    """Return all that anybody could show of a failure."""
    parts: list[object] = list(asking.lines.entries)
    chain: BaseException | None = error
    while chain is not None:
        parts += [str(chain), repr(chain), chain.args, vars(chain)]
        chain = chain.__cause__ or chain.__context__
    return repr([*parts, asking.exchange])


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
async def test_139_a_secret_that_comes_back_is_not_shown(echo: str) -> None:
    scripts = list(echoing(echo))
    async with FaultyEndpoint(*scripts) as endpoint:
        for _ in scripts:
            asking = Asking(
                endpoint.url,
                api_key=KEY,
                headers={"X-Custom-Key": OTHER},
                retry={"max_attempts": 2, "base_delay_ms": 0, "retriable_statuses": (503,)},
            )
            shown = traces_of(asking, await asking.failure())
            assert "[redacted]" in shown or "Bearer" not in shown
            assert not secrets_left(shown)


def secrets_left(shown: str) -> list[str]:
    """Return runs of eight characters of a secret, or of one of its encodings, in a text."""
    forms = [KEY, OTHER, json.dumps(KEY), KEY.encode().hex(), repr(KEY)]
    forms += [base64.b64encode(bytes(shift) + KEY.encode()).decode()[4:-4] for shift in range(3)]
    lowered = shown.lower()
    runs = {form.lower()[at : at + 8] for form in forms for at in range(len(form) - 7)}
    return sorted(run for run in runs if run in lowered)


async def test_139_a_key_that_http_cannot_carry_is_not_shown() -> None:
    async with FaultyEndpoint() as endpoint:
        asking = Asking(endpoint.url, headers={"Authorization": f"Bearer {KEY} "})
        shown = traces_of(asking, await asking.failure())
    assert endpoint.requests == []
    assert "[redacted]" in shown
    assert not secrets_left(shown)


async def test_139_secrets_in_an_address_are_not_shown() -> None:
    async with FaultyEndpoint(lambda it: http_response(403, body=it.target)) as endpoint:
        url = endpoint.url.replace("//", "//user:pass-4711-word@") + "/v1?sig=Zq8wTn4RbYk2"
        asking = Asking(url)
        shown = traces_of(asking, await asking.failure())
    assert "pass-4711" not in shown
    assert "Zq8wTn4R" not in shown
    assert "/v1/ask answered 403" in shown
