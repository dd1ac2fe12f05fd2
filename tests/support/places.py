"""The places of a prompt where a stranger's text may come to stand, each among neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.prompts import call, call_nonce, memory, nonce, passage, said, thought
from tether.trust.records import PromptRecords


@dataclass(frozen=True)
class Place:
    """Somewhere in a prompt where a stranger's text may come to stand."""

    records: Callable[[str], PromptRecords]
    closer: str


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


PLACES = {
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
