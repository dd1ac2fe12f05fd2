"""A web in memory: answers by address, with a note of every question."""

from __future__ import annotations

from collections.abc import Mapping

from tether.core.errors import InputRefused, TetherError
from tether.retrieval.sources.fetch import Fetched, FetchRequest

Answer = str | bytes | Fetched | TetherError


def page(
    body: str | bytes = "<h1>Page</h1>",
    kind: str = "text/html",
    status: int = 200,
    *,
    etag: str = "",
    last_modified: str = "",
    retry_after: str | None = None,
) -> Fetched:
    """Return an answer; its address is the one that is asked."""
    given = {"etag": etag, "last-modified": last_modified}
    headers = {"content-type": kind} | {name: value for name, value in given.items() if value}
    if retry_after is not None:
        headers["retry-after"] = retry_after
    data = body.encode() if isinstance(body, str) else body
    return Fetched(status=status, url="", headers=headers, body=data)


def offline() -> InputRefused:
    return InputRefused("the connection failed", retryable=True)


class Web:
    """A `Fetch`. Several answers of one address are given in turn, the last one for good."""

    def __init__(self, answers: Mapping[str, Answer | list[Answer]]) -> None:
        self.answers: dict[str, list[Answer]] = {
            url: list(answer) if isinstance(answer, list) else [answer]
            for url, answer in answers.items()
        }
        self.requests: list[FetchRequest] = []

    @property
    def asked(self) -> list[str]:
        return [request.url for request in self.requests]

    def __call__(self, request: FetchRequest) -> Fetched:
        self.requests.append(request)
        left = self.answers.get(request.url, [page("no", status=404)])
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, TetherError):
            raise answer
        found = answer if isinstance(answer, Fetched) else page(answer)
        etag = found.headers.get("etag", "")
        if etag and etag == request.etag:
            return Fetched(status=304, url=request.url)
        return Fetched(
            status=found.status,
            url=found.url or request.url,
            headers=found.headers,
            body=found.body,
        )
