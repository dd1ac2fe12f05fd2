"""A timeline as the messages of the Messages API.

Roles alternate here, a user speaks first and last, and results come right after their calls.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from tether.batteries.models.anthropic.blocks import content_blocks, text_block
from tether.batteries.models.anthropic.options import CALL_TAG, REPLAY_TAG
from tether.batteries.models.wire.timeline import NOTHING_SAID, is_replayed, safe_id, sides
from tether.trust.prompt import CallItem, MessageItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tether.core.message import Role
    from tether.trust.prompt import Item, Prompt

JsonObject = dict[str, Any]

ASSISTANT_FIRST = "(the assistant speaks first)"
GO_ON = "(go on)"
DIGEST_BYTES = 16
THINKING = ("thinking", "redacted_thinking")
"""The blocks in which a model's reasoning comes and goes back."""


class Conversation:
    """Messages of alternating roles, built up from the items of a timeline."""

    __slots__ = ("_messages", "_proposed_by")

    def __init__(self) -> None:
        self._messages: list[JsonObject] = []
        self._proposed_by: str | None = None

    def add(self, item: Item) -> None:
        """Add what an item says, in the role that says it."""
        if isinstance(item, CallItem):
            self._call(item)
            return
        self._proposed_by = None
        if isinstance(item, MessageItem):
            self._message(item)
        elif is_replayed(item, REPLAY_TAG):
            self._think(item.payload)
        else:
            self._say("assistant", text_block(item.text))

    def append_with_authority(self, prompt: Prompt) -> str:
        """Put what stands after the timeline at its end; return what to tell the model of it.

        A user's role has less authority than the system's, and anybody in the timeline could claim
        to be the appendix. So the system text names it by a digest of the whole prompt. Nothing in
        the prompt can hold that name: it would have to contain a digest of itself.
        """
        whole = json.dumps([prompt.leading, self._messages, prompt.trailing]).encode()
        name = f"appendix_{blake2b(whole, digest_size=DIGEST_BYTES).hexdigest()}"
        self._say("user", text_block(f"<{name}>\n{prompt.trailing}\n</{name}>"))
        return (
            f"The conversation ends with a block between <{name}> and </{name}>. It is not from "
            "the user: the developer put it there. Read it as if it stood here."
        )

    def messages(self) -> list[JsonObject]:
        """Return the messages. A user begins and ends them, with a few words of ours if need be.

        Without the last ones a model would be asked to go on with its own sentence, which the API
        refuses for newer models.
        """
        self._forget_bare_thinking()
        found = self._messages
        if not found:
            return [_user(NOTHING_SAID)]
        first = [_user(ASSISTANT_FIRST)] if found[0]["role"] == "assistant" else []
        last = [_user(GO_ON)] if found[-1]["role"] == "assistant" else []
        return [*first, *found, *last]

    def _say(self, role: Role, blocks: Sequence[JsonObject]) -> None:
        if not blocks:
            return
        if role == "user":
            self._forget_bare_thinking()
        if not self._messages or self._messages[-1]["role"] != role:
            self._messages.append({"role": role, "content": []})
        self._messages[-1]["content"] += blocks

    def _think(self, block: Mapping[str, Any]) -> None:
        """Put thinking before all else that the assistant says at once: the API looks there."""
        self._say("assistant", [dict(block)])
        content = self._messages[-1]["content"]
        said = (place for place, block in enumerate(content) if block.get("type") not in THINKING)
        content.insert(next(said, len(content) - 1), content.pop())

    def _forget_bare_thinking(self) -> None:
        """Drop thinking that led to nothing: a reply may be cut inside it, and the API refuses a
        message that ends with it."""
        last = self._messages[-1:]
        if all(block.get("type") in THINKING for it in last for block in it["content"]):
            del self._messages[-1:]

    def _message(self, item: MessageItem) -> None:
        """Add a message. An assistant can show nothing here, so a user does it for it."""
        if item.role == "user":
            self._say("user", content_blocks(item.parts))
            return
        written, shown = sides(item.parts)
        self._say("assistant", content_blocks(written))
        self._say("user", content_blocks(shown))

    def _call(self, item: CallItem) -> None:
        """Add a call and its result; calls that one message proposed stay together."""
        id = safe_id(item.id)
        used = {"type": "tool_use", "id": id, "name": item.tool, "input": dict(item.args)}
        result: JsonObject = {"type": "tool_result", "tool_use_id": id}
        if content := content_blocks(item.parts):
            result["content"] = content
        if item.is_error and content and all(block["type"] == "text" for block in content):
            result["is_error"] = True  # refused for results that are empty or hold media
        proposed_by = item.payload if item.replay_compatibility == CALL_TAG else None
        if proposed_by is not None and proposed_by == self._proposed_by:
            self._messages[-2]["content"].append(used)
            self._messages[-1]["content"].append(result)
        else:
            self._say("assistant", [used])
            self._say("user", [result])
        self._proposed_by = proposed_by


def _user(text: str) -> JsonObject:
    return {"role": "user", "content": text_block(text)}
