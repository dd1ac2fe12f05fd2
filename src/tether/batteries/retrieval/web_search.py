"""A web search behind HTTP: SearXNG, or any endpoint that answers a question with a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from tether.batteries.retrieval.asking import Asking, Question, clean
from tether.core.errors import InvalidRetrievalSettings, Problem, ProviderFailed
from tether.retrieval.providers.web_result import WebResult

if TYPE_CHECKING:
    from tether.batteries.retrieval.endpoint import Endpoint

SearchShape = Literal["searxng", "post"]
"""`GET /search?q=...&format=json`, or `POST /search` with `{"query": ..., "limit": ...}`."""

LONGEST_ADDRESS = 2_048
"""Characters; no page that anybody could open has a longer one."""

TEXTS = ("content", "snippet", "description", "text")
"""What endpoints call the text of a result, in the order of preference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchSettings:
    """How the endpoint is asked; longer questions are cut, and so are the texts of results."""

    shape: SearchShape = "searxng"
    max_question_characters: int = 400
    max_text_characters: int = 4_000

    def __post_init__(self) -> None:
        problems = [
            Problem(name, message)
            for name, message, is_wrong in (
                ("shape", "is searxng or post", self.shape not in ("searxng", "post")),
                (
                    "max_question_characters",
                    "is 1 or more",
                    self.max_question_characters < 1,
                ),
                ("max_text_characters", "is 1 or more", self.max_text_characters < 1),
            )
            if is_wrong
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)


class HttpWebSearch:
    """Asks a search endpoint, as a function of a question and how many results are wanted.

    Results without a usable http address are passed over, and so is a second one for an address.
    What comes back is somebody else's word: which hosts count, and how far they are trusted, is for
    the caller to decide. Every failure is a `ProviderFailed`.
    """

    __slots__ = ("_asking", "_endpoint", "_settings")

    def __init__(
        self,
        endpoint: Endpoint,
        settings: WebSearchSettings | None = None,
        *,
        asking: Asking | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._settings = settings or WebSearchSettings()
        self._asking = asking or Asking(endpoint, ProviderFailed)

    def __call__(self, question: str, limit: int) -> list[WebResult]:
        """Return at most `limit` results, best first; raises `ProviderFailed`."""
        if limit < 1:
            return []
        answer = self._asking.ask(self._question(question, limit))
        entries = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(entries, list):
            raise ProviderFailed(f"{self._endpoint.place} sent no list of results")
        found: dict[str, WebResult] = {}
        for entry in cast("list[object]", entries):
            result = self._result(entry)
            if result is not None and len(found) < limit:
                found.setdefault(result.url, result)
        return list(found.values())

    def _question(self, question: str, limit: int) -> Question:
        text = clean(question[: self._settings.max_question_characters])
        if self._settings.shape == "post":
            return Question("POST", "/search", {"query": text, "limit": limit})
        return Question("GET", "/search", parameters={"q": text, "format": "json"})

    def _result(self, entry: object) -> WebResult | None:
        if not isinstance(entry, dict):
            return None
        fields = {name: value for name, value in entry.items() if isinstance(value, str)}
        url = fields.get("url", "")
        if not _is_address(url):
            return None
        text = next((fields[name] for name in TEXTS if fields.get(name)), "")
        title = fields.get("title") or url
        most = self._settings.max_text_characters
        return WebResult(url=url, title=title[:most], text=text[:most])


def _is_address(url: str) -> bool:
    is_web = url.startswith(("http://", "https://"))
    return is_web and len(url) <= LONGEST_ADDRESS and url.isprintable() and " " not in url
