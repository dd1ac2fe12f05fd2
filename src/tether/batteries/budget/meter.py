"""The cost of a rendered prompt, in the tokens of one encoding.

Text is counted exactly if the encoding is one of the public OpenAI ones, and otherwise estimated:
with the encoding's own heuristic, but never lower than with a real vocabulary. Three things are
always estimated, because only the provider knows them, and each is rated higher than in all
templates and price lists known to us: the frame that a chat template puts around every message and
before the answer, the form in which tool definitions reach the model, and media.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

from tether.core.bpe import ENCODING_NAMES
from tether.core.tokens import builtin_encodings, count_tokens
from tether.runtime.tool_definition import tool_definition
from tether.trust.errors import UnsupportedMediaModality
from tether.trust.prompt import MediaPart, MessageItem, TextPart, ThoughtItem
from tether.trust.records import LoadedMedia, PromptRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tether.core.media import Media, MediaKind
    from tether.runtime.tool import Tool
    from tether.trust.prompt import Item, Part, Prompt
    from tether.trust.records import LoadedCall, LoadedMessage

    Carries = Callable[[Media], bool]

PROMPT_BUCKETS: tuple[str, ...] = (
    "system_prompt",
    "standing_instructions",
    "memories",
    "retrievables",
    "timeline",
    "tools",
)
"""The keys of every measurement."""

LONGEST_PIECE = 1 << 15
"""Characters that are counted at once: some texts, such as one repeated letter, take microseconds
for each."""

SEARCHED_FOR_A_PLACE = 1 << 12
LONGEST_TOKEN = 128
"""In bytes: no token of the built-in vocabularies is longer."""

_BETWEEN_WORDS = re.compile("[A-Za-z] [A-Za-z]")

HEURISTICS = frozenset(builtin_encodings()) - ENCODING_NAMES
STAND_IN = "r50k_base"
"""Vocabularies agree about prose; with nonces, base64 and rare scripts all of them do badly. If the
real one is missing, a heuristic is not trusted below the count of this one, the smallest."""

BYTES = "bytes"
"""An encoding of one token per byte: no byte-based vocabulary makes more."""

FRAME_TOKENS = 6
"""Tokens around one message in a chat template: ChatML and Llama 3 use 5."""

ANSWERS = 1
"""A prompt ends with the frame of the answer."""

IMAGE_TOKENS = 1_600
"""One image of the usual largest size: providers scale larger ones down."""

BYTES_PER_TOKEN: dict[MediaKind, int] = {"audio": 250, "video": 250, "document": 4}
"""Speech at 8 kB/s and 32 tokens/s; video at the same rate; a document as if it were text."""


def prompt_tokens(prompt: Prompt, encoding: str, tools: Sequence[Tool] = ()) -> dict[str, int]:
    """Return the tokens of each bucket of a prompt; their sum must fit the window.

    `timeline` includes the frames of all messages, of the texts before and after it, and of the
    answer, which a chat template opens at the end of the prompt.
    """
    return PromptMeter(encoding).measure(prompt, tools)


class PromptMeter:
    """Counts prompts that share most of their text: each text is counted once.

    It remembers every text, so it is made for one assembly and then dropped. A text that alone
    exceeds `enough` may get only a minimum: `look_at` stops counting there.
    """

    __slots__ = ("_encoding", "_enough", "_is_cut_short", "_texts", "_tools")

    def __init__(self, encoding: str, *, enough: int | None = None) -> None:
        self._encoding = encoding
        self._enough = enough
        self._is_cut_short = False
        self._texts: dict[str, int] = {}
        self._tools: dict[int, tuple[Tool, int]] = {}

    @property
    def estimated(self) -> bool:
        """Whether text is estimated, because the encoding's vocabulary is not available."""
        return count_tokens("", self._encoding).estimated

    @property
    def is_cut_short(self) -> bool:
        """Whether a text was not counted to its end; a prompt with it exceeds `enough`."""
        return self._is_cut_short

    async def look_at(self, prompt: Prompt) -> None:
        """Count the texts of a prompt, so that `measure` has little left to do.

        Other tasks run in between. A text that alone exceeds `enough` is not counted to its end:
        the minimum for the rest is added.
        """
        since = 0
        for text in _texts(prompt):
            if text not in self._texts:
                if len(text) > LONGEST_PIECE:
                    self._texts[text] = await self._long_text(text)
                since += len(text)
                self.text(text)
            if since > LONGEST_PIECE:
                since = 0
                await asyncio.sleep(0)

    def text(self, text: str) -> int:
        """Return the tokens of a text."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = _text_tokens(text, self._encoding)
        return known

    def measure(self, prompt: Prompt, tools: Sequence[Tool] = ()) -> dict[str, int]:
        """Return the tokens of each bucket of a prompt, as `prompt_tokens` does."""
        found = dict.fromkeys(PROMPT_BUCKETS, 0)
        found["system_prompt"] = self.text(prompt.system_prompt)
        for section in prompt.sections:
            found[section.bucket] += self.text(section.text)
        frames = ANSWERS + bool(prompt.leading) + bool(prompt.trailing)
        frames += len(prompt.dialogue) - len(prompt.timeline)
        found["timeline"] = frames * FRAME_TOKENS + sum(map(self.item, prompt.timeline))
        found["tools"] = sum(map(self.tool, tools))
        return found

    def item(self, item: Item) -> int:
        """Return the tokens of one item of the timeline, with its frame."""
        if isinstance(item, MessageItem):
            return FRAME_TOKENS + self._parts(item.parts) + self.text(item.name or "")
        if isinstance(item, ThoughtItem):
            return FRAME_TOKENS + self.text(item.text) + self._payload(item.payload)
        # A call is a request and an answer to it: two messages.
        request = self.text(item.tool) + self.text(_json(item.args))
        answer = self._parts(item.parts) + self._payload(item.payload)
        return 2 * FRAME_TOKENS + request + answer

    def tool(self, tool: Tool) -> int:
        """Return the tokens of a tool's definition, written as JSON."""
        known = self._tools.get(id(tool))
        if known is None:  # the tool is kept with its count, so that its id is not reused
            known = tool, FRAME_TOKENS + self.text(_json(tool_definition(tool)))
            self._tools[id(tool)] = known
        return known[1]

    async def _long_text(self, text: str) -> int:
        """Count piece by piece, until the limit is exceeded."""
        if self._encoding == BYTES or self._encoding not in builtin_encodings():
            return self.text(text)
        least = _least(text, self._encoding)
        if self._enough is not None and least > self._enough:
            self._is_cut_short = True
            return least
        vocabulary = self._encoding if self._encoding in ENCODING_NAMES else STAND_IN
        tokens = position = 0
        for piece in _pieces(text):
            tokens += count_tokens(piece, vocabulary)
            position += len(piece)
            if self._enough is not None and tokens > self._enough and position < len(text):
                self._is_cut_short = True
                tokens += _least(text[position:], vocabulary)
                break
            await asyncio.sleep(0)
        return max(least, tokens)

    def _parts(self, parts: Iterable[Part]) -> int:
        return sum(
            self.text(part.text) if isinstance(part, TextPart) else _media_tokens(part)
            for part in parts
        )

    def _payload(self, payload: Any) -> int:
        return 0 if payload is None else self.text(_json(payload))


def _text_tokens(text: str, encoding: str) -> int:
    if encoding == BYTES:
        return len(text.encode("utf-8", "surrogatepass"))
    if encoding in ENCODING_NAMES:
        return _exact_tokens(text, encoding)
    estimate = int(count_tokens(text, encoding))
    return max(estimate, _exact_tokens(text, STAND_IN)) if encoding in HEURISTICS else estimate


def _least(text: str, encoding: str) -> int:
    """Return a lower bound for the tokens of a text in a built-in encoding, quickly."""
    if encoding in HEURISTICS:
        return int(count_tokens(text, encoding))
    size = sum(len(piece.encode("utf-8", "surrogatepass")) for piece in _pieces(text))
    return -(-size // LONGEST_TOKEN)


def _texts(prompt: Prompt) -> Iterator[str]:
    """Yield the texts of a prompt that may be long."""
    yield prompt.system_prompt
    for section in prompt.sections:
        yield section.text
    for item in prompt.timeline:
        if isinstance(item, ThoughtItem):
            yield item.text
        else:
            yield from (part.text for part in item.parts if isinstance(part, TextPart))
        if not isinstance(item, MessageItem) and item.payload is not None:
            yield _json(item.payload)


def _exact_tokens(text: str, encoding: str) -> int:
    return sum(count_tokens(piece, encoding) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Split a text that would take much memory to count at once.

    All vocabularies split between a letter and a space that a letter follows, so the sum stays
    exact. A stretch without such a place is split anyway, which may count one more token.
    """
    start = 0
    while len(text) - start > LONGEST_PIECE:
        latest = start + LONGEST_PIECE
        place = _BETWEEN_WORDS.search(text, latest - SEARCHED_FOR_A_PLACE, latest)
        end = place.start() + 1 if place else latest
        yield text[start:end]
        start = end
    yield text[start:]


def _media_tokens(part: MediaPart) -> int:
    if part.kind == "image":
        return IMAGE_TOKENS
    size = len(part.data) * 3 // 4  # of base64
    return -(-size // BYTES_PER_TOKEN[part.kind])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)


class UnreadBytes(str):
    """Stands for unread base64; only its length is real.

    Measuring must not open assets that the executor may never open: a broken one would end a turn
    that does not need it.
    """

    __slots__ = ("_length",)

    _length: int

    def __new__(cls, size: int) -> UnreadBytes:
        """Stand for this many bytes."""
        self = super().__new__(cls)
        self._length = -(-size // 3) * 4
        return self

    def __len__(self) -> int:
        return self._length


def carry_nothing(_media: Media) -> bool:
    """Say that no asset may be read."""
    return False


class Rating:
    """Chooses how the assets of records are counted: as bytes, or as the text that replaces them.

    `carries` says which assets the wire takes. Without it the more expensive form counts, so that
    neither a long transcript nor an image is missed.
    """

    __slots__ = ("_carries", "_cost")

    def __init__(self, carries: Carries | None, cost: Callable[[PromptRecords], int]) -> None:
        self._carries = carries
        self._cost = cost

    def rated(self, records: PromptRecords) -> PromptRecords:
        """Return the records with every asset in the form in which it is counted."""
        return records._replace(
            messages=tuple(self._message(it) if it.media else it for it in records.messages),
            calls=tuple(self._call(it) for it in records.calls),
        )

    def _message(self, message: LoadedMessage) -> LoadedMessage:
        def alone(asset: LoadedMedia) -> PromptRecords:
            return PromptRecords(messages=(message._replace(media=(asset,)),))

        return message._replace(media=tuple(self._asset(it, alone) for it in message.media))

    def _call(self, call: LoadedCall) -> LoadedCall:
        def alone(asset: LoadedMedia) -> PromptRecords:
            return PromptRecords(calls=(call._replace(results=(asset,)),))

        assets = [it for it in call.results if isinstance(it, LoadedMedia)]
        if not assets:
            return call
        return call._replace(results=tuple(self._asset(it, alone) for it in assets))

    def _asset(
        self, asset: LoadedMedia, alone: Callable[[LoadedMedia], PromptRecords]
    ) -> LoadedMedia:
        carried = asset._replace(data=UnreadBytes(_size(asset)))
        if self._carries is not None:
            return carried if self._carries(asset.media) else asset
        try:
            described = self._cost(alone(asset))
        except UnsupportedMediaModality:  # an unsupported asset is refused, not described
            return carried
        return asset if described > self._cost(alone(carried)) else carried


def _size(asset: LoadedMedia) -> int:
    """Return the size in bytes; an unknown size costs as much as an image."""
    if asset.size is not None:
        return asset.size
    return IMAGE_TOKENS * BYTES_PER_TOKEN.get(asset.media.kind, 1)
