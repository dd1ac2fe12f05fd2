"""The values of a turn: each stage takes one and returns the next.

`Asked → Talk → Prepared → Found → Gathered → Material → Shown → Accepted → Answer`. From `Prepared`
on, a stage may return a `Refusal` instead, which ends the way: no later stage sees it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.ask.answer import AbstainReason, Near
from tether.retrieval.hit import nearest_pages

if TYPE_CHECKING:
    from datetime import datetime

    from tether.ask.citations.draft import Draft
    from tether.ask.evidence import Evidence
    from tether.batteries.storage.records import Exchange, MemoryRecord
    from tether.core.message import Message
    from tether.retrieval.chunk import Chunk
    from tether.retrieval.hit import Findings
    from tether.retrieval.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it was asked, and the names under which the turn is stored."""

    id: str
    question: str
    conversation: str
    owner: str
    begins: bool
    """Whether the conversation begins with this turn."""
    is_named: bool
    """Whether the caller chose the id, and may ask again with it."""
    started_at: datetime
    context: str = ""
    """Text of others that accompanies the question; it is neither stored nor evidence."""

    @property
    def question_id(self) -> str:
        """The id of the question's message."""
        return f"{self.id}.question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The question in its conversation.

    `history` are the last exchanges, oldest first, and `messages` those of them that the model is
    shown. `instructions` are the standing instructions in force.
    """

    asked: Asked
    history: tuple[Exchange, ...]
    messages: tuple[Message, ...]
    instructions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The question ready to be searched.

    `resolved` is the question as it reads without the conversation, `message` the question as the
    model is shown it.
    """

    talk: Talk
    query: Query
    resolved: str
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of the search."""

    prepared: Prepared
    findings: Findings

    @property
    def in_doubt(self) -> bool:
        """Whether the floor refuses the question, and by little."""
        verdict = self.findings.verdict
        return verdict is not None and verdict.in_doubt

    @property
    def nearest(self) -> tuple[Near, ...]:
        """The pages that come closest to the question."""
        found = self.findings
        pages = nearest_pages(found.hits) if found.refusal is None else found.refusal.nearest
        return tuple(Near(title=page.title, url=page.url) for page in pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The passages chosen for the prompt, numbered, best first; there is at least one.

    `others` were found too, and the prompt has no room for them.
    """

    found: Found
    passages: tuple[Evidence, ...]
    others: tuple[Chunk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything the model is to be shown: passages and the memories that matter."""

    gathered: Gathered
    memories: tuple[MemoryRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A prompt that fits, and the parts of it that the gate needs to judge an answer.

    Where the floor refused by little, the question is `in_doubt`, and its answer must be clear.
    `others` are passages that the prompt had no room for: quotation may use them.
    """

    resolved: str
    message: Message
    nearest: tuple[Near, ...]
    in_doubt: bool = False
    others: tuple[Chunk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An answer that passed the gate.

    `passages` could be cited, `notes` name the parts that were taken out, and `prompt` is the exact
    prompt of the attempt.
    """

    draft: Draft
    passages: tuple[Evidence, ...]
    notes: tuple[str, ...]
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The decision not to answer, with its reason.

    `passages` and `prompt` are empty where no model was asked.
    """

    reason: AbstainReason
    nearest: tuple[Near, ...] = ()
    notes: tuple[str, ...] = ()
    passages: tuple[Evidence, ...] = ()
    prompt: str = ""


Outcome = Accepted | Refusal
"""How a turn ends, unless it fails."""
