"""What an endpoint says about its models, and what to do where it does not answer as expected."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from tether.app.display import one_line
from tether.app.settings.short_models import Product, product_at
from tether.app.settings.values import Settings, WireName, hidden

TIMEOUT_S = 5.0
LARGEST = 2_000_000
MOST_NAMED = 8
ANTHROPIC_VERSION = "2023-06-01"
REFUSED = (401, 403)
NO_SERVER = "Check that the server runs, and the address (most end in /v1)."


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The status of the answer, and the names of the models; None if it is not a list."""

    status: int
    names: tuple[str, ...] | None = None

    def has(self, name: str) -> bool:
        """Return whether a model is there; where nobody knows, it may be."""
        return self.names is None or name in self.names or f"{name}:latest" in self.names


def listing_of(address: str, wire: WireName, key: str = "") -> Listing:
    """Ask an endpoint for its models. Raises `OSError`, `HTTPException` or `ValueError`."""
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port
    made = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    if parts.scheme.lower() == "https":
        context = ssl.create_default_context()
        made = http.client.HTTPSConnection(host, port, timeout=TIMEOUT_S, context=context)
    path = f"{parts.path.rstrip('/')}{'/v1' if wire == 'anthropic' else ''}/models"
    try:
        made.request("GET", path, headers=_headers(wire, key))
        answer = made.getresponse()
        names = _names(answer.read(LARGEST)) if answer.status == http.client.OK else None
        return Listing(status=answer.status, names=names)
    finally:
        made.close()


def advice_about(settings: Settings, key: str, environ: Mapping[str, str]) -> str:
    """Return what to do about an endpoint that failed; "" where its list of models is as it should.

    A server that is not there, a model that it does not have and a key that it refuses are told
    apart by its list of models, which is requested for it.
    """
    product = product_at(settings.model, environ)
    place = hidden(settings.model)
    try:
        found = listing_of(settings.model, settings.wire, key)
    except (OSError, http.client.HTTPException, ValueError):
        return absent_advice(place, product, settings.model_name)
    if found.status in REFUSED:
        return _key_advice(place, settings.api_key_env)
    is_any = product is not None and product.single
    if is_any or found.has(settings.model_name):
        return ""
    return unknown_advice(place, product, settings.model_name, found)


def absent_advice(place: str, product: Product | None, model: str) -> str:
    """Return what to do where nothing answers."""
    if product is None or not product.start:
        return f"Nothing answers at {place}. {NO_SERVER}"
    start = product.start.format(model=model or "MODEL")
    return f"Nothing answers at {place}. Is {product.title} running? Start it: `{start}`"


def unknown_advice(place: str, product: Product | None, model: str, found: Listing) -> str:
    """Return what to do about a model that an endpoint does not have."""
    title = place if product is None else product.title
    names = found.names or ()
    shown = ", ".join(one_line(name) for name in names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    has = f"It has: {shown}{more}." if names else "It has no model at all."
    get = f" Get it: `{product.fetch.format(model=model)}`" if product and product.fetch else ""
    return f"{title} has no model {one_line(model)!r}. {has}{get}"


def names_note(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return the names of the models of an endpoint, as the end of a sentence; "" without any."""
    try:
        found = listing_of(settings.model, settings.wire)
    except (OSError, http.client.HTTPException, ValueError):
        place, product = hidden(settings.model), product_at(settings.model, environ)
        return f". {absent_advice(place, product, '')}" if product and product.start else ""
    shown = ", ".join(one_line(name) for name in (found.names or ())[:MOST_NAMED])
    return f"; it has {shown}" if shown else ""


def _key_advice(place: str, variable: str) -> str:
    if not variable:
        return f"{place} wants a key: name the variable that has it with --api-key-env."
    return f"{place} refused the key in {variable}, or the one that `tether keys list` names."


def _headers(wire: WireName, key: str) -> dict[str, str]:
    if wire == "anthropic":
        return {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {})
    return {"Authorization": f"Bearer {key}"} if key else {}


def _names(body: bytes) -> tuple[str, ...] | None:
    """Return the ids of a list of models; None for anything else."""
    try:
        form: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    listed = cast("dict[str, Any]", form).get("data") if isinstance(form, dict) else None
    return tuple(_ids(listed)) if isinstance(listed, list) else None


def _ids(listed: list[Any]) -> Iterator[str]:
    for entry in listed:
        id = cast("dict[str, Any]", entry).get("id") if isinstance(entry, dict) else None
        if isinstance(id, str):
            yield id
