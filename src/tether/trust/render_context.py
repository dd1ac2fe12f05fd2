"""The settings of a renderer, and the state of one prompt that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from tether.trust.prompt import BUCKETS, Bucket, QuestionBucket
from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.trust.nonces import TurnNonces
    from tether.trust.steps import Steps


WARNING = "helper-warning"

HIDDEN = "hidden-characters"

ThoughtSurfacing = Literal["all-self", "latest-self", "all"]
"""The thoughts that are shown again: the assistant's own, only its latest, or all."""

THOUGHT_SURFACINGS: tuple[ThoughtSurfacing, ...] = get_args(ThoughtSurfacing)

STASH_KEYS = ("text:transcript", "text:caption", "text:description")
"""The stash keys with text about an asset, in order of preference."""


class FallbackStash(NamedTuple):
    """Show the text in an asset's stash under the first of these keys that exists."""

    stash_keys: tuple[str, ...] = STASH_KEYS


MediaPolicy = Literal["throw", "fallback-stash", "synthetic-description"]

MEDIA_POLICIES: tuple[MediaPolicy, ...] = get_args(MediaPolicy)

UnsupportedMedia = MediaPolicy | FallbackStash
"""The policy for an asset that the wire cannot carry: an error, the text in its stash, or a line
that describes it."""


class RenderSettings(NamedTuple):
    """The settings of a renderer, read by its steps."""

    self_identity: str = "assistant"
    """The identifier of the model: messages with it are its own."""
    bucket_order: tuple[Bucket, ...] = BUCKETS
    thought_surfacing: ThoughtSurfacing = "all-self"
    replay_compatibility: tuple[str, ...] = ()
    """The tags of the opaque blocks that the wire accepts."""
    unsupported_media: UnsupportedMedia = "throw"
    question_buckets: tuple[QuestionBucket, ...] = ()
    """The buckets beside the question, in the user's role, instead of in a system message."""


class Rendering:
    """The settings, the nonces and the steps of one prompt that is being made.

    A step calls the others through `steps`, never directly: so each can be replaced alone.
    """

    __slots__ = ("_tell", "_told", "hidden", "nonces", "settings", "steps")

    def __init__(
        self,
        settings: RenderSettings,
        nonces: TurnNonces,
        steps: Steps,
        tell: Callable[[str, str], None] | None = None,
    ) -> None:
        self.settings = settings
        self.nonces = nonces
        self.steps = steps
        self.hidden = 0
        """The number of hidden characters that were removed or made visible."""
        self._tell = tell
        self._told: set[str] = set()

    def seen(self, text: str) -> str:
        """Return a text as a person sees it, and count its hidden characters.

        Every attribute, name and marker passes here; payloads do so in their step.
        """
        visible = visible_text(text)
        self.hidden += visible.hidden
        return visible.text

    def payload(self, text: str) -> str:
        """Return a text as it may appear in an envelope."""
        return self.steps.payload(self, text)

    def warn(self, message: str, kind: str = WARNING) -> None:
        """Report a warning to the caller, once per message."""
        if self._tell is not None and message not in self._told:
            self._told.add(message)
            self._tell(kind, message)
