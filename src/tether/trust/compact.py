"""Retrieved content at a low price: steps of a renderer for prompts that must be short.

A passage is in one short tag, `<passage_1f0c9a3b>`, and not in two nonces and five attributes. Its
mark is keyed like a nonce and changes with the turn. It is shorter, because it is not what keeps a
payload inside: every look-alike of a tag in a payload is made harmless, whatever its mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.trust.tags import envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tether.trust.records import LoadedRetrievable
    from tether.trust.render_context import Rendering

    Step = Callable[[Rendering, Sequence[LoadedRetrievable]], str]


def compact_steps(*, sources: bool = True) -> Mapping[str, Callable[..., Any]]:
    """Return the steps that show passages in short tags, best first within each tier.

    A tag names the source, unless the passages do so themselves (`sources=False`), and the tier of
    a third party. Use them as the `steps` of a `Renderer` or of a model.
    """
    step = _with_sources if sources else _without_sources
    return {
        "first_party_retrievables": step,
        "third_party_public_retrievables": step,
        "third_party_private_retrievables": step,
    }


def _with_sources(rendering: Rendering, retrievables: Sequence[LoadedRetrievable]) -> str:
    shown = (_passage(rendering, loaded, loaded.record.source) for loaded in retrievables)
    return "\n\n".join(shown)


def _without_sources(rendering: Rendering, retrievables: Sequence[LoadedRetrievable]) -> str:
    return "\n\n".join(_passage(rendering, loaded, None) for loaded in retrievables)


def _passage(rendering: Rendering, loaded: LoadedRetrievable, source: str | None) -> str:
    record, content = loaded.record, loaded.content
    text = content if isinstance(content, str) else rendering.steps.handle(rendering, content)
    attributes = {
        "source": None if source is None else rendering.seen(source),
        "tier": None if record.trust_tier == "first-party" else record.trust_tier,
    }
    mark = rendering.nonces.mark("retrievable", record.id)
    return envelope("passage", mark, attributes, rendering.payload(text))
