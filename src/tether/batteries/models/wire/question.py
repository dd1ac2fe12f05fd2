"""One request to a model's endpoint, ready to be sent as often as it takes."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tether.batteries.models.wire.redaction import Redactor, secrets_in
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from urllib.parse import SplitResult

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Wire
    from tether.batteries.models.wire.reply import Delta, Reply
    from tether.runtime.reporting import Log

MOST_SHOWN = 500
"""How many characters of an endpoint's words a message quotes."""

LONGEST_NAME = 200
"""How long a name may be that an endpoint gives: of a reply, a model, a reason."""

_NOT_TO_SHOW = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Question:
    """What goes over the wire and whom to tell.

    `url` is the address, whose user is in the headers; `place` is it without its query, as it may
    be shown.
    """

    wire: Wire
    options: ModelOptions
    url: str
    place: str
    headers: Mapping[str, str]
    content: bytes
    redactor: Redactor
    log: Log
    on_delta: Callable[[Delta], None]

    def shown(self, text: str, most: int = MOST_SHOWN) -> str:
        """Return words from outside as a message may quote them: short, on one line, no secret."""
        redacted = self.redactor.redact(text[: 8 * most])
        clean = _NOT_TO_SHOW.sub(" ", redacted).strip()
        return clean if len(clean) <= most else f"{clean[: most - 1]}…"

    def named(self, reply: Reply) -> Reply:
        """Return a reply whose names can be shown and stored.

        An id that cannot be is none: what would be left of it may be the same for another reply.
        """
        id, model, reason = reply.response_id, reply.model, reply.finish_reason
        return replace(
            reply,
            response_id=id if id and id == self.shown(id, LONGEST_NAME) else None,
            model=model and self.shown(model, LONGEST_NAME),
            finish_reason=reason and self.shown(reason, LONGEST_NAME),
        )


def question(
    wire: Wire,
    options: ModelOptions,
    body: Mapping[str, Any],
    *,
    log: Log,
    on_delta: Callable[[Delta], None],
) -> Question:
    """Put a request together; raises `InputRefused` for a body that JSON cannot write."""
    address = urlsplit(wire.url(options))
    headers = _headers(wire, options, address)
    bare = address._replace(netloc=address.netloc.rpartition("@")[2])
    secrets = secrets_in(headers, address.geturl(), options.headers)
    return Question(
        wire=wire,
        options=options,
        url=bare.geturl(),
        place=bare._replace(query="").geturl(),
        headers=headers,
        content=_content(body),
        redactor=Redactor([options.key(), *secrets]),
        log=log,
        on_delta=on_delta,
    )


def _content(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        told = "the request cannot be written as JSON: a record or an option holds NaN, an infinity"
        raise InputRefused(f"{told}, or more levels than can be written") from None
    return text.encode("utf-8", "replace")


def _headers(wire: Wire, options: ModelOptions, address: SplitResult) -> dict[str, str]:
    """Return the wire's headers with the user's over them; the case of a name says nothing."""
    accepted = "text/event-stream" if options.stream else "application/json"
    own = {"Accept": accepted, "Content-Type": "application/json", "User-Agent": "tether"}
    merged: dict[str, tuple[str, str]] = {}
    for layer in (own, _basic(address), wire.headers(options), options.headers):
        merged |= {name.lower(): (name, value) for name, value in layer.items()}
    return dict(merged.values())


def _basic(address: SplitResult) -> dict[str, str]:
    """Return the header for the user that an address names: libraries log addresses."""
    if "@" not in address.netloc:
        return {}
    user = f"{unquote(address.username or '')}:{unquote(address.password or '')}"
    return {"Authorization": f"Basic {b64encode(user.encode()).decode()}"}
