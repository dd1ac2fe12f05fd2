"""What a renderer is told besides the records."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

ThoughtSurfacing = Literal["all-self", "latest-self", "all"]
"""Which thoughts are shown again: the assistant's own, only its latest, or everybody's."""

THOUGHT_SURFACINGS: tuple[ThoughtSurfacing, ...] = get_args(ThoughtSurfacing)

STASH_KEYS = ("text:transcript", "text:caption", "text:description")
"""Where text about an asset is looked for, in this order."""


class FallbackStash(NamedTuple):
    """Show the text that stands in an asset's stash under the first of these keys that is there."""

    stash_keys: tuple[str, ...] = STASH_KEYS


UnsupportedMedia = Literal["throw", "fallback-stash", "synthetic-description"] | FallbackStash
"""What happens to an asset that the wire cannot carry: an error, the text that stands in its stash,
or a line that says what it is."""
