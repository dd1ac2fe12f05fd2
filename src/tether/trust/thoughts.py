"""Reasoning: which of it is shown again, and between which tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.trust.messages import is_own, shown_name
from tether.trust.prompt import ThoughtItem
from tether.trust.tags import envelope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.core.thought import Thought
    from tether.trust.rendering import Rendering

PLAIN = "plain-text"
"""The tag of reasoning that any wire can take: it is text and nothing else."""


def surfaced_thoughts(rendering: Rendering, thoughts: Sequence[Thought]) -> Sequence[Thought]:
    """Return the thoughts that the model sees again.

    What the wire cannot take back is left out first, so that it never hides an older thought that
    the wire can take.
    """
    surfacing = rendering.settings.thought_surfacing
    seen = [thought for thought in thoughts if _can_return(rendering, thought)]
    if surfacing == "all":
        return seen
    own = [thought for thought in seen if is_own(rendering, thought.identity)]
    if surfacing == "all-self":
        return own
    latest = sorted(own, key=lambda thought: thought.created_at)
    return latest[-1:]


def render_thought(rendering: Rendering, thought: Thought) -> ThoughtItem:
    """Return a thought in its envelope; somebody else's lies in a second one that names them.

    Only its own opaque block goes back to the model: on the wire it stands outside any envelope, as
    the model's own reasoning.
    """
    nonce = rendering.nonces.of("thought", thought.id)
    own = is_own(rendering, thought.identity)
    identity = thought.identity
    shown = rendering.seen(str(identity.identifier)) if own else shown_name(rendering, identity)
    created = thought.created_at.isoformat()
    attributes = {
        "nonce": nonce,
        "kind": "self-reasoning" if own else "peer-reasoning",
        "from": shown,
        "createdAt": created,
    }
    tag = thought.replay_compatibility
    if thought.payload is not None:
        attributes |= {"kind": "opaque-reasoning", "replayCompatibility": rendering.seen(str(tag))}
    text = envelope("thought", nonce, attributes, _body(rendering, thought))
    if not own:
        outer = {"kind": "reasoning", "from": shown, "createdAt": created}
        text = envelope("peer_agent_output", nonce, outer, text)
    if not own or tag is None or tag not in rendering.settings.replay_compatibility:
        return ThoughtItem(thought.id, text, None, None)
    return ThoughtItem(thought.id, text, thought.payload, tag)


def _can_return(rendering: Rendering, thought: Thought) -> bool:
    tag = thought.replay_compatibility
    if thought.payload is None and tag in {None, PLAIN}:
        return True
    return tag in rendering.settings.replay_compatibility


def _body(rendering: Rendering, thought: Thought) -> str:
    if thought.payload is None:
        return rendering.payload(str(thought.content))
    tag = str(thought.replay_compatibility)
    where = "sent apart" if is_own(rendering, thought.identity) else "not shown"
    note = f"(an opaque block of reasoning of the kind {tag!r} was kept; it is {where})"
    return rendering.payload(note)
