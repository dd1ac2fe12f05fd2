"""What is known while one question is being answered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tether.ask.answer import AbstainReason, Answer, Consulted, Near
from tether.ask.events import AskEvent, Provisional, Retracted, Step, StepKind, StepState
from tether.ask.evidence import Evidence
from tether.ask.library import Library
from tether.ask.model import AskModel
from tether.ask.settings import AskSettings
from tether.core.message import Message
from tether.core.tiers import TrustTier
from tether.retrieval.chunk import Chunk
from tether.retrieval.query import Query
from tether.retrieval.search.findings import Findings, nearest_pages
from tether.runtime.clock import Clock

if TYPE_CHECKING:
    from tether.ask.citations.composing import Draft
    from tether.ask.citations.review import Review
    from tether.batteries.storage.records import Exchange

Listener = Callable[[AskEvent], None]
"""Is told every event of a turn, at once and in order."""


@dataclass(slots=True, kw_only=True, eq=False)
class AskTurn:
    """The mutable state of one turn: made for it, shared by its stages, gone with it.

    Nothing in it is stored but what `persist` takes: the question as it was asked and the answer
    that stood. `held` are the messages that were said meanwhile, `reviews` what the gate found.
    Either `draft` or `refused` is set when the turn may end, and `answer` once it is stored.
    """

    id: str
    question: str
    conversation: str
    owner: str
    library: Library
    model: AskModel
    settings: AskSettings
    clock: Clock
    listener: Listener | None = None
    is_new: bool = False
    """Whether the conversation begins with this turn."""
    is_named: bool = False
    """Whether somebody chose the id, and may ask again with it."""

    started_at: datetime = field(init=False)
    history: Sequence[Exchange] = ()
    query: Query = field(init=False)
    findings: Findings | None = None
    evidence: list[Evidence] = field(default_factory=list[Evidence])
    held: dict[str, Message] = field(default_factory=dict[str, Message])
    reviews: list[Review] = field(default_factory=list["Review"])
    attempts: int = 0
    draft: Draft | None = None
    refused: AbstainReason | None = None
    notes: tuple[str, ...] = ()
    prompt: str = ""
    ledger: dict[str, int] | None = None
    answer: Answer | None = None
    _last: float = field(init=False)
    _numbered: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.started_at = self.clock.now()
        self.query = Query(question=self.question)
        self._last = self.clock.monotonic()

    @property
    def question_id(self) -> str:
        """The id of the question's message."""
        return f"{self.id}.question"

    @property
    def resolved(self) -> str:
        """The question as it reads without what was said before it."""
        return (self.query.rewrite if self.history else "") or self.question

    @property
    def retries(self) -> int:
        """How often a failed answer may be written anew.

        What answers by quotation says the same to the same question, so it is asked once.
        """
        return 0 if self.model.style == "quotes" else self.settings.retries

    @property
    def allows_code(self) -> bool:
        """Whether an answer may hold code; quotations are verbatim and may."""
        if self.settings.code != "auto":
            return self.settings.code == "allow"
        return self.model.profile.code or self.model.style == "quotes"

    @property
    def nearest(self) -> tuple[Near, ...]:
        """The pages that come closest to the question."""
        found = self.findings
        if found is None:
            return ()
        pages = nearest_pages(found.hits) if found.refusal is None else found.refusal.nearest
        return tuple(Near(title=page.title, url=page.url) for page in pages)

    def tell(self, kind: StepKind, state: StepState, label: str, **detail: Any) -> None:
        """Tell that something was done, and how long it took since the last thing."""
        now = self.clock.monotonic()
        elapsed, self._last = (now - self._last) * 1000, now
        self.emit(Step(kind, state, label, detail, elapsed))

    def provisional(self, delta: str) -> None:
        """Tell text that nobody has checked."""
        if delta:
            self.emit(Provisional(self.attempts + 1, delta))

    def retract(self, reason: str) -> None:
        """Tell that the text of the last attempt is void."""
        self.emit(Retracted(self.attempts, reason))

    def retract_next(self, reason: str) -> None:
        """Tell that what was said of the attempt to come is void so far."""
        self.emit(Retracted(self.attempts + 1, reason))

    def emit(self, event: AskEvent) -> None:
        """Tell the listener, if there is one."""
        if self.listener is not None:
            self.listener(event)

    def add_evidence(self, chunks: Iterable[Chunk], tier: TrustTier) -> list[Evidence]:
        """Let passages be cited from now on, numbered on; return them in the order given.

        A passage that is there already keeps its number, and none is given twice. Reads the index:
        call it in a thread.
        """
        known = {item.chunk.id: item for item in self.evidence}
        added: list[Evidence] = []
        for chunk in chunks:
            item = known.get(chunk.id)
            if item is None:
                version = self.library.version(chunk.document)
                self._numbered += 1
                item = Evidence(number=self._numbered, chunk=chunk, version=version, tier=tier)
                known[chunk.id] = item
                self.evidence.append(item)
            added.append(item)
        return added

    def drop_evidence(self, chunks: Collection[str]) -> list[Evidence]:
        """Forget passages that the model is not shown after all; return them."""
        gone = [item for item in self.evidence if item.chunk.id in chunks]
        self.evidence[:] = [item for item in self.evidence if item.chunk.id not in chunks]
        return gone

    def refuse(self, reason: AbstainReason, *notes: str) -> None:
        """Decide that there is no answer."""
        self.refused = reason
        self.notes = notes

    def consulted(self) -> tuple[Consulted, ...]:
        """Return the passages that the model was shown, best first."""
        draft = None if self.refused is not None else self.draft
        cited = set[str]() if draft is None else {citation.chunk for citation in draft.citations}
        return tuple(
            Consulted(
                chunk=item.chunk.id,
                document=item.chunk.document,
                title=item.chunk.title,
                url=item.chunk.url,
                anchor=item.chunk.anchor,
                version=item.version,
                cited=item.chunk.id in cited,
            )
            for item in self.evidence
        )
