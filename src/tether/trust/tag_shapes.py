"""The names and attributes of our tags: the table by which a parsed tag is checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Sequence

NoncedName = Literal[
    "memory",
    "retrieved",
    "passage",
    "untrusted_content",
    "trusted_content",
    "message",
    "peer_agent_output",
    "thought",
]
"""Envelopes: in a tag, an underscore and the nonce follow the name; for a passage, its mark."""

PlainName = Literal["system_instructions", "memories", "retrieved_corpus"]
"""Blocks around envelopes or around the developer's text: they need no nonce."""

NONCED_NAMES: tuple[NoncedName, ...] = get_args(NoncedName)
PLAIN_NAMES: tuple[PlainName, ...] = get_args(PlainName)

NONCE_PATTERN = "(?:(?<=passage_)[0-9a-f]{8}|(?<!passage_)[0-9a-f]{32})"
"""Matches a nonce after its name: short in the compact form of a passage."""

# The names that a payload must not contain after a "<", whatever follows the name.
LOOK_ALIKES = (
    "system_instructions",
    "memories",
    "memory_",
    "retrieved_",
    "passage_",
    "untrusted_content",
    "trusted_content",
    "message_",
    "peer_agent_output",
    "thought_",
)


_CONTENT = ("nonce", "kind", "tool?", "modality?", "cut?")
_ATTRIBUTES: dict[NoncedName | PlainName, tuple[str, ...]] = {
    "system_instructions": ("kind", "version?"),
    "memories": (),
    "retrieved_corpus": (),
    "memory": ("nonce", "createdAt", "confidence", "importance", "cut?"),
    "passage": ("source?", "tier?", "cut?"),
    "retrieved": ("source?", "nonce", "createdAt", "kind?", "score?", "cut?"),
    "untrusted_content": _CONTENT,
    "trusted_content": _CONTENT,
    "message": ("from", "role", "createdAt", "cut?"),
    "peer_agent_output": ("kind?", "from", "createdAt", "cut?"),
    "thought": ("nonce", "kind", "from", "createdAt", "replayCompatibility?", "cut?"),
}
"""The attributes of each tag in their order. A question mark means optional; every record may have
the mark of a cut."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_VALUES = {
    "createdAt": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?[+-]\d\d:\d\d"),
    "confidence": _NUMBER,
    "importance": _NUMBER,
    "score": _NUMBER,
    "role": re.compile("user"),
    "tier": re.compile("third-party-(?:public|private)"),
    "modality": re.compile("inert|extractable|opaque"),
    "cut": re.compile("true"),
}


def shape_problem(
    name: NoncedName | PlainName, nonce: str | None, attributes: Sequence[tuple[str, str]]
) -> str | None:
    """Return the reason why the renderer cannot have written this tag, or None."""
    given, shape = [key for key, _ in attributes], _ATTRIBUTES[name]
    needed = [key for key in shape if not key.endswith("?")]
    if missing := [key for key in needed if key not in given]:
        return f"the tag has no {missing[0]}"
    known = [key.rstrip("?") for key in shape]
    if given != [key for key in known if key in given]:
        return f"the attributes of the tag are not {', '.join(known)}"
    for key, value in attributes:
        if key in _VALUES and not _VALUES[key].fullmatch(value):
            return f"{value!r} is not a valid {key}"
    if dict(attributes).get("nonce", nonce) != nonce:
        return "the tag has somebody else's nonce"
    return None
