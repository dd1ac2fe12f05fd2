"""What a renderer is told besides the records."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from tether.trust.prompt import BUCKETS, Bucket

ThoughtSurfacing = Literal["all-self", "latest-self", "all"]
"""Which thoughts are shown again: the assistant's own, only its latest, or everybody's."""

THOUGHT_SURFACINGS: tuple[ThoughtSurfacing, ...] = get_args(ThoughtSurfacing)

STASH_KEYS = ("text:transcript", "text:caption", "text:description")
"""Where text about an asset is looked for, in this order."""


class FallbackStash(NamedTuple):
    """Show the text that stands in an asset's stash under the first of these keys that is there."""

    stash_keys: tuple[str, ...] = STASH_KEYS


MediaPolicy = Literal["throw", "fallback-stash", "synthetic-description"]
MEDIA_POLICIES: tuple[MediaPolicy, ...] = get_args(MediaPolicy)

UnsupportedMedia = MediaPolicy | FallbackStash
"""What happens to an asset that the wire cannot carry: an error, the text that stands in its stash,
or a line that says what it is."""


class RenderSettings(NamedTuple):
    """What a renderer was made with; its steps read it."""

    self_identity: str = "assistant"
    """The identifier of the model that is asked: who it is that "own" turns are of."""
    bucket_order: tuple[Bucket, ...] = BUCKETS
    thought_surfacing: ThoughtSurfacing = "all-self"
    replay_compatibility: tuple[str, ...] = ()
    """The tags of the opaque blocks that the wire takes back."""
    unsupported_media: UnsupportedMedia = "throw"
