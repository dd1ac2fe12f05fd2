"""The models of a search: the included ones, or those at the endpoints of the settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tether.app.api_keys import api_key
from tether.app.settings.remote import RemoteEmbedder, RemoteReranker
from tether.app.settings.values import Settings
from tether.ask.errors import InvalidSettings
from tether.batteries.retrieval.embedder import HttpEmbedder, HttpEmbedderSettings
from tether.batteries.retrieval.endpoint import Endpoint
from tether.batteries.retrieval.judge import HttpJudge, HttpJudgeSettings
from tether.core.errors import Problem
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.judge import OnnxJudge
from tether.retrieval.ports import Embedder, Judge

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchModels:
    """Makes the embedder and the judges; nothing is loaded or called before they are used."""

    remote_embedder: RemoteEmbedder = field(default_factory=RemoteEmbedder)
    reranker: RemoteReranker = field(default_factory=RemoteReranker)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    @classmethod
    def of(cls, settings: Settings) -> SearchModels:
        """Return those of the settings."""
        return cls(remote_embedder=settings.embedder, reranker=settings.reranker)

    def embedder(self) -> Embedder:
        """Return the embedder; raises `InvalidSettings`."""
        remote = self.remote_embedder
        if not remote.url:
            return MiniLm()
        return checked(
            "embedder",
            lambda: HttpEmbedder(
                self._endpoint("embedder", remote.url, remote.api_key_env),
                HttpEmbedderSettings(
                    model=remote.model,
                    dimensions=remote.dimensions,
                    question_prefix=remote.question_prefix,
                    passage_prefix=remote.passage_prefix,
                ),
            ),
        )

    def judge(self) -> Judge:
        """Return the judge of passages; raises `InvalidSettings`."""
        remote = self.reranker
        if not remote.url:
            return OnnxJudge()
        return checked(
            "reranker",
            lambda: HttpJudge(
                self._endpoint("reranker", remote.url, remote.api_key_env),
                HttpJudgeSettings(shape=remote.shape, model=remote.model),
            ),
        )

    def unit_judge(self, judge: Judge | None) -> Judge | None:
        """Return the judge of units beside a judge of passages: always the included one."""
        return OnnxJudge() if judge is not None and self.reranker.url else judge

    def _endpoint(self, table: str, url: str, key_name: str) -> Endpoint:
        key = api_key(key_name, self.environ, setting=f"{table}.api_key_env")
        return Endpoint(base_url=url, api_key=key)


def checked(table: str, make: Callable[[], T]) -> T:
    """Return what was made from a table of settings; raises `InvalidSettings` in its words."""
    try:
        return make()
    except InvalidRetrievalSettings as error:
        names = {"base_url": "url"}
        raise InvalidSettings(
            [Problem(f"{table}.{names.get(it.path, it.path)}", it.message) for it in error.problems]
        ) from error
