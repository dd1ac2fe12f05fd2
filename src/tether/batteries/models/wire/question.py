"""One request to a model's endpoint, ready to be sent as often as it takes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tether.batteries.models.wire.redaction import Redactor, secrets_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Wire
    from tether.batteries.models.wire.reply import Delta
    from tether.runtime.reporting import Log

MOST_SHOWN = 500
"""How many characters of an endpoint's words a message quotes."""

_NOT_TO_SHOW = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Question:
    """What goes over the wire and whom to tell; `place` is the address without what is secret."""

    wire: Wire
    options: ModelOptions
    url: str
    place: str
    headers: Mapping[str, str]
    content: bytes
    redactor: Redactor
    log: Log
    on_delta: Callable[[Delta], None]

    def shown(self, text: str) -> str:
        """Return words from outside as a message may quote them: short, on one line, no secret."""
        redacted = self.redactor.redact(text[: 8 * MOST_SHOWN])
        clean = _NOT_TO_SHOW.sub(" ", redacted).strip()
        return clean if len(clean) <= MOST_SHOWN else f"{clean[:MOST_SHOWN]}…"


def question(
    wire: Wire,
    options: ModelOptions,
    body: Mapping[str, Any],
    *,
    log: Log,
    on_delta: Callable[[Delta], None],
) -> Question:
    """Put a request together."""
    url, headers = wire.url(options), _headers(wire, options)
    parts = urlsplit(url)
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Question(
        wire=wire,
        options=options,
        url=url,
        place=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}",
        headers=headers,
        content=content.encode("utf-8", "replace"),
        redactor=Redactor([options.key(), *secrets_in(headers, url)]),
        log=log,
        on_delta=on_delta,
    )


def _headers(wire: Wire, options: ModelOptions) -> dict[str, str]:
    """Return the wire's headers with the user's over them; the case of a name says nothing."""
    accepted = "text/event-stream" if options.stream else "application/json"
    own = {"Accept": accepted, "Content-Type": "application/json", "User-Agent": "tether"}
    merged: dict[str, tuple[str, str]] = {}
    for layer in (own, wire.headers(options), options.headers):
        merged |= {name.lower(): (name, value) for name, value in layer.items()}
    return dict(merged.values())
