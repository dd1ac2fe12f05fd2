"""The helper model: one small job outside of any turn, and the checks of a query it wrote.

A small model that should write keywords often answers instead, writes code, or goes on talking.
Each of these is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tether.ask.model import abortable
from tether.core.errors import InvalidInitialMessageValue
from tether.core.message import Message
from tether.runtime.abort import AbortSignal
from tether.runtime.context import Context
from tether.runtime.dispatch import DispatchRunner, RawDispatch
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.loop import Executor
from tether.runtime.pipeline import CallNext
from tether.runtime.storage import NoopStorage
from tether.text.terms import Vocabulary
from tether.trust.visible import visible_text

LONGEST_QUERY, MOST_WORDS = 200, 24
"""Characters and words of a query."""

MOST_WORDS_OF_A_STATEMENT = 6
"""A query that ends with a full stop and has more words than this is a sentence."""

_LABEL = re.compile(
    r"^(?:the )?(?:(?:search|rewritten|new|short) )*(?:query|keywords?|question|output|rewrite)"
    r"\s*(?:is)?\s*[:\-]\s*",
    re.IGNORECASE,
)

_QUOTES = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb*_ "

_CODE = re.compile(
    r"```|[{};<>]|=>|==|\b\w+\([^)]*\)|^\s*(?:def|class|import|from \w+ import|return|const|let"
    r"|var|function|print|SELECT)\b"
)

_ADDRESS = re.compile(r"\w+://|\]\(|\bwww\.", re.IGNORECASE)

_ANSWERS = re.compile(
    r"^(?:i|i'm|i\u2019m|i'd|we|you|yes|no|sure|okay|ok|certainly|of course|sorry|unfortunately"
    r"|here|it|this|these|they|there|the answer|as an|based on|according to|thank)\b(?!\?)",
    re.IGNORECASE,
)

_SENTENCES = re.compile(r"[.!]\s+\S")


def spoken(text: str) -> list[Message]:
    """Return a text as a message of a person; nothing where it has no readable character."""
    try:
        return [Message.user(text)] if text.strip() else []
    except InvalidInitialMessageValue:
        return []


async def ask_helper(
    helper: Executor,
    system_prompt: str,
    messages: Sequence[Message],
    *,
    abort_signal: AbortSignal | None,
) -> str:
    """Return the helper's reply to the messages, stripped; "" where it fails or says nothing.

    It is called once, even if it does not ack. Its reply is not stored, and no tool is offered.
    Raises `Aborted` where the signal is on afterwards; cancellation passes.
    """
    heard = _Heard()
    try:
        await DispatchRunner.dispatch(
            executor=abortable(helper),
            raw=RawDispatch(
                system_prompt=system_prompt,
                storage=heard,
                messages=messages,
                abort_signal=abort_signal,
            ),
            input_pipeline=[_once],
        )
    except Exception:  # noqa: BLE001  # an executor may fail with anything; the search goes on
        heard.text = ""
    if abort_signal is not None:
        abort_signal.raise_if_aborted()
    return heard.text.strip()


def unwrapped(text: str) -> str:
    """Return a reply without a label before it and quotation marks around it."""
    return _LABEL.sub("", text.strip().strip(_QUOTES)).strip(_QUOTES)


def complaint(text: str, known: Iterable[str]) -> str:
    """Return why a text is not a search query for the known texts; "" where it may be one.

    `known` are the texts that it has to share a word with: the question, the conversation.
    """
    if not text:
        return "nothing was said"
    if "\n" in text or visible_text(text).hidden:
        return "it is not one plain line"
    words = text.split()
    if len(text) > LONGEST_QUERY or len(words) > MOST_WORDS:
        return "it is too long for a query"
    if _CODE.search(text) or _ADDRESS.search(text):
        return "it contains code or an address"
    if _is_prose(text, len(words)):
        return "it answers instead of asking"
    return "" if _shares(text, known) else "it has no word in common with the question"


class _Heard(NoopStorage):
    """Keeps the last message, and nothing else."""

    def __init__(self) -> None:
        self.text = ""

    async def store_message(self, ctx: Context, value: Message) -> None:
        self.text = "" if value.content is None else value.content.render(ctx)


async def _once(ctx: DispatchContext, call_next: CallNext) -> None:
    """End a dispatch whose executor was called before: its first reply counts."""
    if ctx.iteration:
        ctx.ack()
        return
    await call_next()


def _is_prose(text: str, words: int) -> bool:
    ends = text.endswith((".", "!")) and words > MOST_WORDS_OF_A_STATEMENT
    return ends or _ANSWERS.match(text) is not None or _SENTENCES.search(text) is not None


def _shares(text: str, known: Iterable[str]) -> bool:
    vocabulary = Vocabulary(text)
    own = frozenset(vocabulary.terms_of(text))
    return any(not own.isdisjoint(vocabulary.terms_of(other)) for other in known)
