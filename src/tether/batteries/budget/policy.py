"""The order in which parts of a prompt are shed until it fits.

The order never depends on the size of the window: a smaller window sheds more of the same list, so
it never keeps a part that a larger one sheds. The policy classifies records (a summary, a nudge,
…), because records have no such fields.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Literal

from tether.core.message import Message
from tether.runtime.tool import ArtifactTool
from tether.trust.records import (
    Handle,
    LoadedCall,
    LoadedMessage,
    LoadedRetrievable,
    PromptRecords,
)

if TYPE_CHECKING:
    from tether.core.thought import Thought
    from tether.runtime.tool import Tool

ShedKind = Literal["tool_results", "evidence", "memories", "control", "turns", "thoughts", "tools"]

PROTECTED_RESULTS = 3
"""The number of this turn's newest tool results that go only after most other parts."""

Turn = tuple[Message, ...]
"""A question and its answers."""


def is_summary(message: Message) -> bool:
    """Say whether a message summarises earlier turns: its speaker is `summary`."""
    return message.identity.identifier == "summary"


def is_control(message: Message) -> bool:
    """Say whether a message steers the model: its speaker is `control` or `nudge`."""
    return message.identity.identifier in ("control", "nudge")


def is_nudge(record: Message | Thought) -> bool:
    """Say whether a message or a thought tells the model to try again: its speaker is `nudge`."""
    return record.identity.identifier == "nudge"


def has_payload(thought: Thought) -> bool:
    """Say whether a provider wants a thought back: leaving it out may break the conversation."""
    return thought.payload is not None


def is_question(message: Message) -> bool:
    """Say whether a person asks: a user's message with the default speaker `user`."""
    return message.role == "user" and message.identity.identifier == "user"


def is_planned(tool: Tool) -> bool:
    """Say whether a plan relies on a tool: its `meta` has `planned` set to True."""
    return tool.meta.get("planned") is True


def oldest_first(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return turns in the order in which they are shed."""
    return turns


@dataclass(frozen=True, slots=True, kw_only=True)
class SheddingPolicy:
    """The kinds of records, and the order of turns. Each function can be replaced separately.

    `turn_order` gets all turns but the newest, oldest first, and returns them in the order of
    shedding; `least_relevant_first` makes such a function. `question` distinguishes a person from
    peers in the role of the user; if it rejects all messages, all of them count as questions.
    """

    summary: Callable[[Message], bool] = is_summary
    control: Callable[[Message], bool] = is_control
    nudge: Callable[[Message | Thought], bool] = is_nudge
    question: Callable[[Message], bool] = is_question
    protected: Callable[[Thought], bool] = has_payload
    planned: Callable[[Tool], bool] = is_planned
    turn_order: Callable[[Sequence[Turn]], Sequence[Turn]] = oldest_first


@dataclass(frozen=True, slots=True)
class Unit:
    """Records and tools that are shed together."""

    kind: ShedKind
    records: PromptRecords
    tools: tuple[Tool, ...] = ()


def shedding_order(
    records: PromptRecords, tools: Sequence[Tool], policy: SheddingPolicy, shown: Collection[str]
) -> list[Unit]:
    """Return all units that may be shed, in order.

    `shown` contains the ids of the thoughts that would be rendered. Some parts are never shed: the
    system prompt, the standing instructions, summaries, the newest question with its turn, the
    newest turn and its newest tool result, protected thoughts and the newest nudge. The tools that
    read handles go with the last handle, and before any evidence that is not a handle itself: a
    passage in the prompt is worth more than the means to read on.
    """
    question = newest_question(records, policy)
    prior, current = _calls(records, question)
    nudge = _newest_nudge(records, policy)
    old = [_of_call(call) for call in (*prior, *current[:-PROTECTED_RESULTS])]
    rest = [
        *_evidence(records),
        *_memories(records),
        *_control(records, policy, nudge),
        *_turns(records, policy, question),
        *_thoughts(records, policy, nudge, shown),
        *(_of_call(call) for call in current[-PROTECTED_RESULTS:-1]),
    ]
    others = [tool for tool in tools if not _is_reader(tool)]
    units = _with_readers(old, rest, [tool for tool in tools if _is_reader(tool)], records)
    return [*units, *_tools(others, policy)]


def newest_question(records: PromptRecords, policy: SheddingPolicy) -> LoadedMessage | None:
    """Return a person's last question, or else the last message in the role of the user."""
    asked = [it for it in _spoken(records, policy) if it.record.role == "user"]
    by_people = [it for it in asked if policy.question(it.record)]
    candidates = by_people or asked
    return candidates[-1] if candidates else None


def without(records: PromptRecords, units: Iterable[Unit]) -> PromptRecords:
    """Return the records without these units."""
    gone = {id(record) for unit in units for record in _parts(unit.records)}
    return records._replace(
        memories=tuple(it for it in records.memories if id(it) not in gone),
        retrievables=tuple(it for it in records.retrievables if id(it) not in gone),
        messages=tuple(it for it in records.messages if id(it) not in gone),
        thoughts=tuple(it for it in records.thoughts if id(it) not in gone),
        calls=tuple(it for it in records.calls if id(it) not in gone),
    )


def _parts(records: PromptRecords) -> Iterator[object]:
    return chain(
        records.memories, records.retrievables, records.messages, records.thoughts, records.calls
    )


def _spoken(records: PromptRecords, policy: SheddingPolicy) -> list[LoadedMessage]:
    """Return the messages of the conversation itself, oldest first."""
    said = [
        it
        for it in records.messages
        if not (policy.summary(it.record) or policy.control(it.record) or policy.nudge(it.record))
    ]
    return sorted(said, key=lambda it: it.record.created_at)


def _calls(
    records: PromptRecords, question: LoadedMessage | None
) -> tuple[list[LoadedCall], list[LoadedCall]]:
    """Return the tool calls of earlier turns and those of this one, oldest first."""
    calls = sorted(records.calls, key=lambda it: it.record.created_at)
    if question is None:
        return [], calls
    asked = question.record.created_at
    prior = [it for it in calls if it.record.created_at < asked]
    return prior, calls[len(prior) :]


def _of_call(call: LoadedCall) -> Unit:
    return Unit("tool_results", PromptRecords(calls=(call,)))


def _evidence(records: PromptRecords) -> Iterator[Unit]:
    """The lowest score first, or the last rank if some have no score."""
    ranked = list(reversed(records.retrievables))
    if all(it.record.score is not None for it in ranked):
        ranked.sort(key=lambda it: it.record.score or 0.0)
    for it in ranked:
        yield Unit("evidence", PromptRecords(retrievables=(it,)))


def _memories(records: PromptRecords) -> Iterator[Unit]:
    """The least important first, then the least certain, then the oldest."""
    for it in sorted(
        records.memories, key=lambda it: (it.importance, it.confidence, it.created_at)
    ):
        yield Unit("memories", PromptRecords(memories=(it,)))


def _newest_nudge(records: PromptRecords, policy: SheddingPolicy) -> Message | Thought | None:
    nudges: list[Message | Thought] = [
        *(it.record for it in records.messages if policy.nudge(it.record)),
        *(it for it in records.thoughts if policy.nudge(it)),
    ]
    return max(reversed(nudges), key=lambda it: it.created_at, default=None)


def _control(
    records: PromptRecords, policy: SheddingPolicy, nudge: Message | Thought | None
) -> Iterator[Unit]:
    """Messages that steered earlier attempts, oldest first; the newest nudge still steers."""
    for it in sorted(records.messages, key=lambda it: it.record.created_at):
        message = it.record
        steers = policy.control(message) or policy.nudge(message)
        if steers and message is not nudge and not policy.summary(message):
            yield Unit("control", PromptRecords(messages=(it,)))


def _turns(
    records: PromptRecords, policy: SheddingPolicy, question: LoadedMessage | None
) -> Iterator[Unit]:
    """All turns but the newest and that of the newest question; question and answer together."""
    loaded = {id(it.record): it for it in records.messages}
    turns: list[list[Message]] = []
    for it in _spoken(records, policy):
        if it.record.role == "user" or not turns:
            turns.append([])
        turns[-1].append(it.record)
    asked = None if question is None else question.record
    older = [tuple(turn) for turn in turns[:-1] if not any(it is asked for it in turn)]
    for turn in policy.turn_order(older):
        yield Unit("turns", PromptRecords(messages=tuple(loaded[id(it)] for it in turn)))


def _thoughts(
    records: PromptRecords,
    policy: SheddingPolicy,
    nudge: Message | Thought | None,
    shown: Collection[str],
) -> Iterator[Unit]:
    """Oldest first. A hidden thought goes with the next shown one, whose place it would take."""
    waiting: list[Thought] = []
    for it in sorted(records.thoughts, key=lambda it: it.created_at):
        if policy.protected(it) or it is nudge:
            continue
        waiting.append(it)
        if it.id in shown:
            yield Unit("thoughts", PromptRecords(thoughts=tuple(waiting)))
            waiting = []


def _tools(tools: Iterable[Tool], policy: SheddingPolicy) -> Iterator[Unit]:
    """The last registered tool first, and planned tools last."""
    newest_first = list(tools)[::-1]
    for tool in sorted(newest_first, key=policy.planned):
        yield Unit("tools", PromptRecords(), (tool,))


def _with_readers(
    old: list[Unit], rest: list[Unit], readers: Sequence[Tool], records: PromptRecords
) -> list[Unit]:
    """Return the units with the readers: in the last unit that they can read, if that is an old
    result or evidence; else between the old results and the evidence, or after all where evidence
    itself is to be read."""
    units = [*old, *rest]
    offered = any(map(_is_handle, records.retrievables))
    latest = len(units) if offered else len(old)
    last = max((at for at, unit in enumerate(units) if _can_read(unit.records)), default=latest)
    if last < latest and not _can_read(without(records, units)):
        units[last] = replace(units[last], tools=tuple(readers))
        return units
    apart = (Unit("tools", PromptRecords(), (tool,)) for tool in reversed(readers))
    return [*units[:latest], *apart, *units[latest:]]


def _is_reader(tool: Tool) -> bool:
    """Say whether a tool was made to read the artifacts of this turn."""
    return isinstance(tool, ArtifactTool) and tool.ephemeral


def _can_read(records: PromptRecords) -> bool:
    return any(map(_is_handle, _sources(records)))


def _sources(records: PromptRecords) -> Iterator[LoadedCall | LoadedRetrievable]:
    return chain(records.calls, records.retrievables)


def _is_handle(source: LoadedCall | LoadedRetrievable) -> bool:
    shown = source.results if isinstance(source, LoadedCall) else source.content
    return isinstance(shown, Handle)
