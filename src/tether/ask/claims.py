"""Answers as claims: JSON with sources from a list, from which code writes Markdown with links.

A model that is held to a schema cannot misspell a link or invent a page: it chooses a number. The
gate then reads ordinary Markdown and checks it like any other answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from tether.ask.citations.markdown import escaped, unlinkable
from tether.ask.prompt import link_destination
from tether.ask.refusal import DECLINE
from tether.core.registry import ABSENT
from tether.core.tokenizable import Tokenizable
from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from tether.ask.evidence import Citable, Evidence
    from tether.ask.gate import Buffer
    from tether.core.retrievable import Retrievable
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.pipeline import CallNext

NOT_COVERED = DECLINE
"""The text of an answer that claims nothing, or says that the passages do not cover the question:
the sentence by which an agent knows that it has to abstain."""

MOST_CLAIMS = 4
"""Without a limit, a model that is held to a schema sometimes goes on for ever."""

LONGEST_STATEMENT, LONGEST_REPLY = 1_000, 200_000
"""In characters; a longer statement is cut, a longer reply is not read."""

_FENCED = re.compile(r"^\s*```[a-z]*\s*\n?|\n?```\s*$")
_ARRAY = re.compile(r'"claims"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_BLOCK_START = re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))|^(?=[#>+*=|~:-])")
_NO_TITLE = re.compile(r"[\[\]\\`<>!]")


def claims_schema(evidence: Sequence[Evidence]) -> dict[str, Any]:
    """Return the JSON schema of an answer whose sources are these passages, by number.

    The claims come first, so that whether they cover the question is decided after them.
    """
    source: dict[str, Any] = {"type": "string"}
    if evidence:
        source["enum"] = [str(item.number) for item in evidence]
    claim = _closed(statement={"type": "string"}, source=source)
    claims = {"type": "array", "items": claim, "maxItems": MOST_CLAIMS}
    return _closed(claims=claims, covered={"type": "boolean"})


def response_format(evidence: Sequence[Evidence]) -> dict[str, Any]:
    """Return the option by which chat completions are held to the schema."""
    form = {"name": "claims", "strict": True, "schema": claims_schema(evidence)}
    return {"type": "json_schema", "json_schema": form}


def claims_to_markdown(text: str, evidence: Sequence[Evidence]) -> str | None:
    """Return claims as paragraphs that each end with a link; None for a text without claims.

    The complete claims of a reply that broke off are kept. A claim with an unknown source stays
    without a link, for the gate to judge. Nothing in a statement becomes a link or another block.
    Without a claim, or not covered, the result is `NOT_COVERED`.
    """
    reply = _parsed(text)
    if reply is None:
        return None
    if reply.get("covered") is False:
        return NOT_COVERED
    sources = {str(item.number): item for item in evidence}
    written = dict.fromkeys(_written(claim, sources) for claim in _claims(reply))
    kept = [paragraph for paragraph in written if paragraph][:MOST_CLAIMS]
    return "\n\n".join(kept) or NOT_COVERED


@dataclass(frozen=True, slots=True)
class ClaimsInput:
    """Holds the model to the schema of the turn's evidence, and numbers the passages it reads.

    The option lies in the stash, where the model's executor looks for it (`AskModel.stash_key`),
    until `ClaimsOutput` takes it out. The numbers are only in this dispatch: nothing is stored.
    """

    citable: Citable
    stash_key: str

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Number the passages, request the form, and continue."""
        shown = self._numbered(ctx)
        if self.stash_key:
            ctx.stash.set(f"{self.stash_key}.response_format", response_format(shown))
        await call_next()

    def _numbered(self, ctx: DispatchContext) -> list[Evidence]:
        """Write each passage's number before it; return the evidence that the model is shown."""
        by_id = {item.chunk.id: item for item in self.citable.passages}
        shown: list[Evidence] = []
        for record in list(ctx.turn_retrievables):
            item = by_id.get(record.id)
            if item is None or not isinstance(record.content, Tokenizable):
                continue
            shown.append(item)
            mark, text = f"Source {item.number}: ", str(record.content)
            if not text.startswith(mark):
                numbered = replace(record, content=Tokenizable(f"{mark}{text}"))
                ctx.turn_retrievables.replace_where(partial(_is_same, record), numbered)
        return shown


@dataclass(frozen=True, slots=True)
class ClaimsOutput:
    """Makes Markdown of the model's claims before the gate reads them; other text stays."""

    citable: Citable
    buffer: Buffer
    stash_key: str

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Take the option out, rewrite the messages, and continue."""
        if self.stash_key:
            ctx.stash.set(f"{self.stash_key}.response_format", ABSENT)
        for message in [it for it in ctx.turn_messages if it.id in self.buffer.messages]:
            text = "" if message.content is None else str(message.content)
            markdown = claims_to_markdown(text, self.citable.passages)
            if message.role == "assistant" and markdown is not None:
                await ctx.mutate_message(replace(message, content=Tokenizable(markdown)))
        await call_next()


def _is_same(record: Retrievable, other: Retrievable) -> bool:
    return other.id == record.id


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _parsed(text: str) -> dict[str, Any] | None:
    """Return the reply as an object with claims; of a broken one, the claims that are whole."""
    if len(text) > LONGEST_REPLY or '"claims"' not in text:
        return None
    try:
        reply = json.loads(_FENCED.sub("", text))
    except (ValueError, RecursionError):
        return _whole_claims(text)
    return cast("dict[str, Any]", reply) if isinstance(reply, dict) else None


def _whole_claims(text: str) -> dict[str, Any] | None:
    found = _ARRAY.search(text)
    if found is None:
        return None
    decoder, at = json.JSONDecoder(), found.end()
    claims: list[Any] = []
    while len(claims) < MOST_CLAIMS:
        start = cast("re.Match[str]", _BETWEEN.match(text, at)).end()
        try:
            claim, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        claims.append(claim)
    is_refused = re.search(r'"covered"\s*:\s*false', text[: found.start()] + text[at:]) is not None
    return {"covered": not is_refused, "claims": claims} if claims or is_refused else None


def _claims(reply: dict[str, Any]) -> Iterable[dict[str, Any]]:
    claims = reply.get("claims")
    listed: list[Any] = claims if isinstance(claims, list) else []
    return (cast("dict[str, Any]", claim) for claim in listed if isinstance(claim, dict))


def _written(claim: dict[str, Any], sources: dict[str, Evidence]) -> str:
    """Return one claim as a paragraph, "" where it states nothing."""
    statement = claim.get("statement")
    text = _inert(statement[:LONGEST_STATEMENT]) if isinstance(statement, str) else ""
    item = sources.get(str(claim.get("source", "")))
    return text if not text or item is None else f"{text} {_link(item)}"


def _inert(statement: str) -> str:
    """Return a statement on one line of which nothing is Markdown but its code spans."""
    text = " ".join(visible_text(statement).text.split())
    return _BLOCK_START.sub(r"\1\\", unlinkable(escaped(text)))


def _link(item: Evidence) -> str:
    title = " ".join(_NO_TITLE.sub(" ", visible_text(item.title).text).split()) or "Source"
    return f"[{title}]({link_destination(item.link)})"
