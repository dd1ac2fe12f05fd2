"""A rendered prompt, before any provider's wire shape.

The renderer makes it, the executors turn it into requests, the budget counts it and `parse_prompt`
reads it back.
"""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string, which would make this slow to import.
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from tether.core.media import MediaKind
from tether.core.message import Role

Bucket = Literal["standing_instructions", "memories", "retrievables", "timeline"]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
"""The default order. Buckets before the timeline lead the prompt, those after it end it; a bucket
that an order leaves out is not shown."""

QuestionBucket = Literal["memories", "retrievables"]
QUESTION_BUCKETS: tuple[QuestionBucket, ...] = get_args(QuestionBucket)
"""The buckets that may be shown in the user's role, beside the question."""


class TextPart(NamedTuple):
    """Text, in its envelope if it needs one."""

    text: str


class MediaPart(NamedTuple):
    """Bytes that the wire can carry as they are, in base64."""

    kind: MediaKind
    mime_type: str
    filename: str
    data: str


Part = TextPart | MediaPart


class MessageItem(NamedTuple):
    """A message. `name` is the speaker's sanitised identifier, for wires that have one."""

    role: Role
    name: str | None
    parts: tuple[Part, ...]


class ThoughtItem(NamedTuple):
    """Reasoning in its envelope. A `payload` goes back on the wire that its tag names, unread."""

    id: str
    text: str
    payload: Any
    replay_compatibility: str | None


class CallItem(NamedTuple):
    """A tool call and its result, which a wire correlates by `id`."""

    id: str
    tool: str
    args: Mapping[str, Any]
    parts: tuple[Part, ...]
    is_error: bool
    payload: Any
    replay_compatibility: str | None


Item = MessageItem | ThoughtItem | CallItem


class Section(NamedTuple):
    """One bucket as text; never empty."""

    bucket: Bucket
    text: str


class Prompt(NamedTuple):
    """Everything a model is shown, in order.

    `before` and `after` are for a system message, `beside` is for the message with the question.
    """

    system_prompt: str
    before: tuple[Section, ...]
    timeline: tuple[Item, ...]
    after: tuple[Section, ...]
    beside: tuple[Section, ...] = ()

    @property
    def leading(self) -> str:
        """The text before the timeline: the system prompt first, then the buckets."""
        texts = [self.system_prompt, *(section.text for section in self.before)]
        return "\n\n".join(text for text in texts if text)

    @property
    def evidence(self) -> str:
        """The text before the question, in the user's role; usually empty."""
        return _joined(self.beside)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The buckets, wherever they are."""
        return (*self.before, *self.beside, *self.after)

    @property
    def dialogue(self) -> tuple[Item, ...]:
        """The timeline as wires send it: the user's newest message begins with the evidence.

        Without a message of the user, the evidence is one, at the end.
        """
        if not self.beside:
            return self.timeline
        shown, items = TextPart(self.evidence), list(self.timeline)
        for place, item in reversed(list(enumerate(items))):
            if isinstance(item, MessageItem) and item.role == "user":
                items[place] = item._replace(parts=(shown, *item.parts))
                return tuple(items)
        return (*items, MessageItem("user", None, (shown,)))

    @property
    def trailing(self) -> str:
        """The text after the timeline; usually empty."""
        return _joined(self.after)


def _joined(sections: tuple[Section, ...]) -> str:
    return "\n\n".join(section.text for section in sections)
