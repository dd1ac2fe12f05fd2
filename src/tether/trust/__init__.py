"""What a model is shown of a turn: envelopes by authority, and the proof that none is forged."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.trust.content import ContentLabel
    from tether.trust.loaded import (
        Handle,
        HandleTool,
        LoadedCall,
        LoadedMedia,
        LoadedMessage,
        LoadedRetrievable,
        PromptRecords,
    )
    from tether.trust.loading import load_records
    from tether.trust.media import MediaPlace
    from tether.trust.neutral import neutralise, restore
    from tether.trust.nonces import Nonces, TurnNonces
    from tether.trust.parse import parse_prompt
    from tether.trust.parsed import (
        ParsedBlock,
        ParsedCall,
        ParsedMessage,
        ParsedPrompt,
        ParsedThought,
    )
    from tether.trust.prompt import (
        BUCKETS,
        CallItem,
        MediaPart,
        MessageItem,
        Prompt,
        Section,
        TextPart,
        ThoughtItem,
    )
    from tether.trust.renderer import Renderer
    from tether.trust.rendering import Rendering
    from tether.trust.retrievables import SAFETY_DIRECTIVE
    from tether.trust.settings import FallbackStash
    from tether.trust.standing_instructions import render_standing_instructions
    from tether.trust.steps import Steps
    from tether.trust.tags import cut_text, envelope
    from tether.trust.visible import VisibleText, visible_text

__all__ = [
    "BUCKETS",
    "CallItem",
    "ContentLabel",
    "FallbackStash",
    "Handle",
    "HandleTool",
    "LoadedCall",
    "LoadedMedia",
    "LoadedMessage",
    "LoadedRetrievable",
    "MediaPart",
    "MediaPlace",
    "MessageItem",
    "Nonces",
    "ParsedBlock",
    "ParsedCall",
    "ParsedMessage",
    "ParsedPrompt",
    "ParsedThought",
    "Prompt",
    "PromptRecords",
    "Renderer",
    "Rendering",
    "SAFETY_DIRECTIVE",
    "Section",
    "Steps",
    "TextPart",
    "ThoughtItem",
    "TurnNonces",
    "VisibleText",
    "cut_text",
    "envelope",
    "load_records",
    "neutralise",
    "parse_prompt",
    "render_standing_instructions",
    "restore",
    "visible_text",
]

_HOMES = {
    "BUCKETS": "prompt",
    "CallItem": "prompt",
    "ContentLabel": "content",
    "FallbackStash": "settings",
    "Handle": "loaded",
    "HandleTool": "loaded",
    "LoadedCall": "loaded",
    "LoadedMedia": "loaded",
    "LoadedMessage": "loaded",
    "LoadedRetrievable": "loaded",
    "MediaPart": "prompt",
    "MediaPlace": "media",
    "MessageItem": "prompt",
    "Nonces": "nonces",
    "ParsedBlock": "parsed",
    "ParsedCall": "parsed",
    "ParsedMessage": "parsed",
    "ParsedPrompt": "parsed",
    "ParsedThought": "parsed",
    "Prompt": "prompt",
    "PromptRecords": "loaded",
    "Renderer": "renderer",
    "Rendering": "rendering",
    "SAFETY_DIRECTIVE": "retrievables",
    "Section": "prompt",
    "Steps": "steps",
    "TextPart": "prompt",
    "ThoughtItem": "prompt",
    "TurnNonces": "nonces",
    "VisibleText": "visible",
    "cut_text": "tags",
    "envelope": "tags",
    "load_records": "loading",
    "neutralise": "neutral",
    "parse_prompt": "parse",
    "render_standing_instructions": "standing_instructions",
    "restore": "neutral",
    "visible_text": "visible",
}

if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a name when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
