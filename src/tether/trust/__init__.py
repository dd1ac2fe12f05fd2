"""The prompt of a turn: envelopes by authority, and the proof that none is forged."""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.trust.buckets import SAFETY_DIRECTIVE as SAFETY_DIRECTIVE
    from tether.trust.buckets import (
        render_standing_instructions as render_standing_instructions,
    )
    from tether.trust.compact import compact_steps as compact_steps
    from tether.trust.content import ContentLabel as ContentLabel
    from tether.trust.loader import load_records as load_records
    from tether.trust.media import MediaPlace as MediaPlace
    from tether.trust.neutral import neutralise as neutralise
    from tether.trust.neutral import restore as restore
    from tether.trust.nonces import Nonces as Nonces
    from tether.trust.nonces import TurnNonces as TurnNonces
    from tether.trust.parse import parse_prompt as parse_prompt
    from tether.trust.parsed import ParsedBlock as ParsedBlock
    from tether.trust.parsed import ParsedCall as ParsedCall
    from tether.trust.parsed import ParsedMessage as ParsedMessage
    from tether.trust.parsed import ParsedPrompt as ParsedPrompt
    from tether.trust.parsed import ParsedThought as ParsedThought
    from tether.trust.prompt import BUCKETS as BUCKETS
    from tether.trust.prompt import CallItem as CallItem
    from tether.trust.prompt import MediaPart as MediaPart
    from tether.trust.prompt import MessageItem as MessageItem
    from tether.trust.prompt import Prompt as Prompt
    from tether.trust.prompt import Section as Section
    from tether.trust.prompt import TextPart as TextPart
    from tether.trust.prompt import ThoughtItem as ThoughtItem
    from tether.trust.records import Handle as Handle
    from tether.trust.records import HandleTool as HandleTool
    from tether.trust.records import LoadedCall as LoadedCall
    from tether.trust.records import LoadedMedia as LoadedMedia
    from tether.trust.records import LoadedMessage as LoadedMessage
    from tether.trust.records import LoadedRetrievable as LoadedRetrievable
    from tether.trust.records import PromptRecords as PromptRecords
    from tether.trust.render_context import FallbackStash as FallbackStash
    from tether.trust.render_context import Rendering as Rendering
    from tether.trust.renderer import Renderer as Renderer
    from tether.trust.steps import Steps as Steps
    from tether.trust.tags import cut_text as cut_text
    from tether.trust.tags import envelope as envelope
    from tether.trust.visible import VisibleText as VisibleText
    from tether.trust.visible import visible_text as visible_text

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.trust.buckets: SAFETY_DIRECTIVE render_standing_instructions
        tether.trust.compact: compact_steps
        tether.trust.content: ContentLabel
        tether.trust.loader: load_records
        tether.trust.media: MediaPlace
        tether.trust.neutral: neutralise restore
        tether.trust.nonces: Nonces TurnNonces
        tether.trust.parse: parse_prompt
        tether.trust.parsed: ParsedBlock ParsedCall ParsedMessage ParsedPrompt ParsedThought
        tether.trust.prompt:
            BUCKETS CallItem MediaPart MessageItem Prompt Section TextPart ThoughtItem
        tether.trust.records:
            Handle HandleTool LoadedCall LoadedMedia LoadedMessage LoadedRetrievable PromptRecords
        tether.trust.render_context: FallbackStash Rendering
        tether.trust.renderer: Renderer
        tether.trust.steps: Steps
        tether.trust.tags: cut_text envelope
        tether.trust.visible: VisibleText visible_text
        """,
    )
