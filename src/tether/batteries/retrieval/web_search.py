"""A web search over HTTP: SearXNG, or any endpoint that answers a question with a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast, get_args

from tether.batteries.http.syntax import is_http_address
from tether.batteries.retrieval.endpoint import EndpointClient, JsonRequest, clean
from tether.core.checks import Checks
from tether.retrieval.errors import InvalidRetrievalSettings, ProviderFailed
from tether.retrieval.providers.web import WebResult

if TYPE_CHECKING:
    from tether.batteries.retrieval.endpoint import Endpoint

SearchShape = Literal["searxng", "post"]
"""`GET /search?q=...&format=json`, or `POST /search` with `{"query": ..., "limit": ...}`."""

LONGEST_ADDRESS = 2_048
"""Characters; browsers cannot open longer ones."""

TEXTS = ("content", "snippet", "description", "text")
"""The fields for the text of a result, in the order of preference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchSettings:
    """The form and the limits of a search; longer questions and texts of results are cut."""

    shape: SearchShape = "searxng"
    max_question_characters: int = 400
    max_text_characters: int = 4_000

    def __post_init__(self) -> None:
        check = Checks()
        check.choice("shape", self.shape, get_args(SearchShape))
        for name in ("max_question_characters", "max_text_characters"):
            check.whole_number(name, getattr(self, name))
        check.done(InvalidRetrievalSettings)


class HttpWebSearch:
    """Searches at an endpoint: a function of a question and the number of results.

    Results without a usable http address are skipped, and so is a second one for the same address.
    The results are untrusted: the caller decides which hosts count, and how far to trust them.
    Every failure is a `ProviderFailed`.
    """

    __slots__ = ("_client", "_endpoint", "_settings")

    def __init__(self, endpoint: Endpoint, settings: WebSearchSettings | None = None) -> None:
        self._endpoint = endpoint
        self._settings = settings or WebSearchSettings()
        self._client = EndpointClient(endpoint, ProviderFailed)

    def __call__(self, question: str, limit: int) -> list[WebResult]:
        """Return at most `limit` results, best first; raises `ProviderFailed`."""
        if limit < 1:
            return []
        answer = self._client.ask(self._question(question, limit))
        entries = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(entries, list):
            raise ProviderFailed(f"{self._endpoint.place} did not send a list of results")
        found: dict[str, WebResult] = {}
        for entry in cast("list[object]", entries):
            result = self._result(entry)
            if result is not None and len(found) < limit:
                found.setdefault(result.url, result)
        return list(found.values())

    def _question(self, question: str, limit: int) -> JsonRequest:
        text = clean(question[: self._settings.max_question_characters])
        if self._settings.shape == "post":
            return JsonRequest("POST", "/search", {"query": text, "limit": limit})
        return JsonRequest("GET", "/search", parameters={"q": text, "format": "json"})

    def _result(self, entry: object) -> WebResult | None:
        if not isinstance(entry, dict):
            return None
        fields = {name: value for name, value in entry.items() if isinstance(value, str)}
        url = fields.get("url", "")
        if len(url) > LONGEST_ADDRESS or not is_http_address(url):
            return None
        text = next((fields[name] for name in TEXTS if fields.get(name)), "")
        title = fields.get("title") or url
        most = self._settings.max_text_characters
        return WebResult(url=url, title=title[:most], text=text[:most])
