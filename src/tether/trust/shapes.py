"""What stands in each of our tags: the one table by which a parsed tag is checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.trust.names import NoncedName, PlainName

_CONTENT = ("nonce", "kind", "tool?", "modality?", "cut?")
_ATTRIBUTES: dict[NoncedName | PlainName, tuple[str, ...]] = {
    "system_instructions": ("kind", "version?"),
    "memories": (),
    "retrieved_corpus": (),
    "memory": ("nonce", "createdAt", "confidence", "importance", "cut?"),
    "retrieved": ("source?", "nonce", "createdAt", "kind?", "score?", "cut?"),
    "untrusted_content": _CONTENT,
    "trusted_content": _CONTENT,
    "message": ("from", "role", "createdAt", "cut?"),
    "peer_agent_output": ("kind?", "from", "createdAt", "cut?"),
    "thought": ("nonce", "kind", "from", "createdAt", "replayCompatibility?", "cut?"),
}
"""Of each tag in their order. A question mark follows what may be missing; the mark of a cut may
stand in the tag of every record."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_VALUES = {
    "createdAt": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?[+-]\d\d:\d\d"),
    "confidence": _NUMBER,
    "importance": _NUMBER,
    "score": _NUMBER,
    "role": re.compile("user"),
    "modality": re.compile("inert|extractable|opaque"),
    "cut": re.compile("true"),
}


def shape_problem(
    name: NoncedName | PlainName, nonce: str | None, attributes: Sequence[tuple[str, str]]
) -> str | None:
    """Say what of a tag the renderer cannot have written, or None."""
    given, shape = [key for key, _ in attributes], _ATTRIBUTES[name]
    needed = [key for key in shape if not key.endswith("?")]
    if missing := [key for key in needed if key not in given]:
        return f"the tag has no {missing[0]}"
    known = [key.rstrip("?") for key in shape]
    if given != [key for key in known if key in given]:
        return f"the attributes of the tag are not {', '.join(known)}"
    for key, value in attributes:
        if key in _VALUES and not _VALUES[key].fullmatch(value):
            return f"{value!r} is no {key}"
    if dict(attributes).get("nonce", nonce) != nonce:
        return "the tag has somebody else's nonce"
    return None
