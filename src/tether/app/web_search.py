"""The web search of the settings, for a model with tools."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tether.app.api_keys import api_key
from tether.app.search_models import checked
from tether.app.settings.values import Settings
from tether.ask.errors import InvalidSettings
from tether.batteries.retrieval.endpoint import Endpoint
from tether.batteries.retrieval.web_search import HttpWebSearch, WebSearchSettings
from tether.core.errors import Problem
from tether.retrieval.providers.web import WebProvider

NO_HOSTS = "needs hosts: only results on those of `web` are shown"


def web_search_of(
    settings: Settings, *, environ: Mapping[str, str] = os.environ
) -> WebProvider | None:
    """Return the search; None if the settings name none, and offline.

    Raises `InvalidSettings`.
    """
    remote = settings.web_search
    if not remote.url or settings.offline:
        return None
    if not settings.web:
        raise InvalidSettings([Problem("web_search.url", NO_HOSTS)])
    key = api_key(remote.api_key_env, environ, setting="web_search.api_key_env")
    hosts = [host.partition(":")[0] for host in settings.web]
    return checked(
        "web_search",
        lambda: WebProvider(
            HttpWebSearch(
                Endpoint(base_url=remote.url, api_key=key), WebSearchSettings(shape=remote.shape)
            ),
            hosts=hosts,
        ),
    )
