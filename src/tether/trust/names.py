"""The names of our tags."""

from __future__ import annotations

from typing import Literal, get_args

NoncedName = Literal[
    "memory",
    "retrieved",
    "untrusted_content",
    "trusted_content",
    "message",
    "peer_agent_output",
    "thought",
]
"""Envelopes: in a tag an underscore and the nonce follow the name."""

PlainName = Literal["system_instructions", "memories", "retrieved_corpus"]
"""Blocks around envelopes or around what the developer wrote: they need no nonce."""

NONCED_NAMES: tuple[NoncedName, ...] = get_args(NoncedName)
PLAIN_NAMES: tuple[PlainName, ...] = get_args(PlainName)

# What a payload must not hold after a "<". Whatever follows the name, it could be taken for one.
LOOK_ALIKES = (
    "system_instructions",
    "memories",
    "memory_",
    "retrieved_",
    "untrusted_content",
    "trusted_content",
    "message_",
    "peer_agent_output",
    "thought_",
)
