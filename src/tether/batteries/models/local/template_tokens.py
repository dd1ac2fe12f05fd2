"""Chat-template tokens in a model's text, which are not for a reader.

A model that leaves its template, or imitates one, writes them as text. Only tokens that mark turns
and ends are removed: `<think>`, `<tool_call>` and the like are for parsers.
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
"""The tokens in the templates of Llama, Qwen and SmolLM, Gemma, and Mistral."""

_ANY = re.compile("|".join(map(re.escape, TEMPLATE_TOKENS)))
_BEGUN = frozenset(token[:length] for token in TEMPLATE_TOKENS for length in range(1, len(token)))


def strip_template_tokens(text: str) -> str:
    """Return the text without tokens, including those that appear when others are removed."""
    stripped = _ANY.sub("", text)
    while stripped != text:
        text, stripped = stripped, _ANY.sub("", stripped)
    return stripped


class TokenStripper:
    """Strips a text that arrives in pieces: a possible beginning of a token waits for the rest.

    The returned pieces together equal `strip_template_tokens` of the whole text.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece and return the text that can be shown."""
        text = strip_template_tokens(self._held + piece)
        end = _end_of_shown(text)
        self._held = text[end:]
        return text[:end]

    def finish(self) -> str:
        """Return the text that was held back: it was not a token."""
        rest, self._held = self._held, ""
        return rest


def _end_of_shown(text: str) -> int:
    """Return the start of the incomplete tokens at the end of the text.

    There may be several, since one inside another may yet be completed and removed. Every token has
    its only `<` at the start.
    """
    end = len(text)
    while (begin := text.rfind("<", 0, end)) >= 0 and text[begin:end] in _BEGUN:
        end = begin
    return end
