"""One rendering at work: what every step is handed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.trust.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.trust.nonces import TurnNonces
    from tether.trust.settings import RenderSettings
    from tether.trust.steps import Steps

WARNING = "helper-warning"
HIDDEN = "hidden-characters"


class Rendering:
    """The settings, the nonces and the steps of one prompt that is being made.

    A step calls the others through `steps`, never by their own names: that is why each of them can
    be replaced alone.
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
        """How many characters were taken out, or made visible, that nobody would have seen."""
        self._tell = tell
        self._told: set[str] = set()

    def seen(self, text: str) -> str:
        """Return a text as a person sees it, and count what nobody would have seen.

        Whatever goes into an attribute, a name or a marker passes here; payloads do so in their
        step.
        """
        visible = visible_text(text)
        self.hidden += visible.hidden
        return visible.text

    def payload(self, text: str) -> str:
        """Return somebody's text as it may stand in an envelope."""
        return self.steps.payload(self, text)

    def warn(self, message: str, kind: str = WARNING) -> None:
        """Tell whoever asked for the prompt, once per message."""
        if self._tell is not None and message not in self._told:
            self._told.add(message)
            self._tell(kind, message)
