"""Chat-template tokens in what a model says: its own punctuation, and nothing for a reader.

A model that was cut out of its template, or imitates one, writes them as text. Only those that mark
turns and ends are removed: `<think>`, `<tool_call>` and their like are for parsers to read.
"""

from __future__ import annotations

import re

TEMPLATE_TOKENS = (
    "<|python_tag|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|turn>",
    "<turn|>",
    "<|tool>",
    "<tool|>",
    "<|tool_response>",
    "<tool_response|>",
    "<eos>",
    "<bos>",
    "<pad>",
    "<s>",
    "</s>",
)
"""As the templates of Llama, Qwen and SmolLM, Gemma, and Mistral write them."""

_ANY = re.compile("|".join(map(re.escape, TEMPLATE_TOKENS)))
_BEGUN = frozenset(token[:length] for token in TEMPLATE_TOKENS for length in range(1, len(token)))


def strip_template_tokens(text: str) -> str:
    """Return the text without the tokens, nor any that removing others would leave."""
    stripped = _ANY.sub("", text)
    while stripped != text:
        text, stripped = stripped, _ANY.sub("", stripped)
    return stripped


class TokenStripper:
    """Strips a text that comes in pieces: what may be the beginning of a token waits for the rest.

    Together the pieces that come out are what `strip_template_tokens` makes of the whole.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece and return what can be shown."""
        text = strip_template_tokens(self._held + piece)
        end = _end_of_shown(text)
        self._held = text[end:]
        return text[:end]

    def finish(self) -> str:
        """Return what was still waiting: it was no token after all."""
        rest, self._held = self._held, ""
        return rest


def _end_of_shown(text: str) -> int:
    """Return where the beginnings of tokens begin with which the text ends.

    Several, since one inside another may yet be completed and removed. Every token has its only
    `<` in front.
    """
    end = len(text)
    while (begin := text.rfind("<", 0, end)) >= 0 and text[begin:end] in _BEGUN:
        end = begin
    return end
