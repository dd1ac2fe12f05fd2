"""The places of a prompt where a stranger's text may come to stand, each among neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.expected_prompt import comparable, expected_prompt
from support.prompts import (
    COMPACT,
    Warnings,
    call,
    call_nonce,
    mark,
    memory,
    nonce,
    passage,
    rendered,
    said,
    thought,
)
from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.trust.parse import parse_prompt
from tether.trust.parsed import ParsedPrompt
from tether.trust.prompt import Prompt
from tether.trust.records import PromptRecords


@dataclass(frozen=True)
class Place:
    """Somewhere in a prompt where a stranger's text may come to stand."""

    records: Callable[[str], PromptRecords]
    closer: str
    compact: bool = False
    """Whether passages are rendered in short tags, beside the question."""

    def rendered(self, text: str, warnings: Warnings | None = None) -> Prompt:
        """The prompt with this text in the place."""
        return rendered(self.records(text), warnings, **(COMPACT if self.compact else {}))

    def read(self, text: str) -> ParsedPrompt:
        """The prompt with this text in the place, read back."""
        return comparable(parse_prompt(self.rendered(text)))

    def expected(self, text: str) -> ParsedPrompt:
        """What has to come back."""
        return expected_prompt(self.records(text), compact=self.compact)


NEIGHBOURS = PromptRecords(
    "Be kind.",
    ("Cite your sources.",),
    (memory("before"), memory("after")),
    (passage("ours"), passage("public", trust_tier="third-party-public")),
    (said("question"),),
    (thought("idea"),),
    (call("call"),),
)


def planted(**changes: object) -> PromptRecords:
    """The neighbours, with one bucket replaced."""
    return NEIGHBOURS._replace(**changes)  # type: ignore[arg-type]  # a field and its value


def _compact(tier: TrustTier) -> Place:
    def records(text: str) -> PromptRecords:
        return planted(
            retrievables=(
                passage("x", text, trust_tier=tier, source="guide.md#one"),
                passage("after", trust_tier=tier),
                passage("ours"),
                passage("public", trust_tier="third-party-public"),
            )
        )

    return Place(records, f"passage_{mark('x')}", compact=True)


PLACES = {
    **{f"compact {tier}": _compact(tier) for tier in TRUST_TIERS},
    "memory": Place(
        lambda text: planted(memories=(memory("before"), memory("x", text), memory("after"))),
        f"memory_{nonce('memory', 'x')}",
    ),
    "first-party": Place(
        lambda text: planted(retrievables=(passage("x", text), passage("after"))),
        f"retrieved_{nonce('retrievable', 'x')}",
    ),
    "third-party-public": Place(
        lambda text: planted(
            retrievables=(passage("x", text, trust_tier="third-party-public"), passage("after"))
        ),
        f"untrusted_content_{nonce('retrievable', 'x')}",
    ),
    "third-party-private": Place(
        lambda text: planted(
            retrievables=(passage("x", text, trust_tier="third-party-private"), passage("after"))
        ),
        f"untrusted_content_{nonce('retrievable', 'x')}",
    ),
    "user": Place(
        lambda text: planted(messages=(said("x", text), said("after"))),
        f"message_{nonce('message', 'x')}",
    ),
    "peer": Place(
        lambda text: planted(messages=(said("x", text, role="assistant", identity="rival"),)),
        f"peer_agent_output_{nonce('message', 'x')}",
    ),
    "own": Place(
        lambda text: planted(messages=(said("x", text, role="assistant"), said("after"))),
        "system_instructions",
    ),
    "thought": Place(
        lambda text: planted(thoughts=(thought("x", text), thought("after"))),
        f"thought_{nonce('thought', 'x')}",
    ),
    "tool result": Place(
        lambda text: planted(calls=(call("x", text), call("after"))),
        f"untrusted_content_{call_nonce(call('x'))}",
    ),
    "trusted tool result": Place(
        lambda text: planted(calls=(call("x", text, trusted=True), call("after"))),
        f"trusted_content_{call_nonce(call('x'))}",
    ),
    "arguments": Place(
        lambda text: planted(calls=(call("x", args={"q": [text]}), call("after"))),
        f"untrusted_content_{call_nonce(call('x'))}",
    ),
}
