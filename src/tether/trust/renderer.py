"""The renderer: a pure function from records to a prompt, the same for every wire."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from tether.core.checks import Checks, in_short
from tether.trust.errors import InvalidRenderer
from tether.trust.nonces import Nonces
from tether.trust.prompt import (
    BUCKETS,
    QUESTION_BUCKETS,
    Bucket,
    Prompt,
    QuestionBucket,
    Section,
)
from tether.trust.render_context import (
    HIDDEN,
    MEDIA_POLICIES,
    THOUGHT_SURFACINGS,
    FallbackStash,
    Rendering,
    RenderSettings,
    ThoughtSurfacing,
    UnsupportedMedia,
)
from tether.trust.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tether.trust.records import PromptRecords


class Renderer:
    """Its settings are the same for all prompts; the nonces change with the turn.

    `steps` replaces single steps by name, or all of them. Without `nonces` it draws its own secret,
    so that two renderers never agree on a nonce. `question_buckets` are shown beside the user's
    newest message, in the user's role, and not in a system message: text that was retrieved has no
    more authority than that. Raises `InvalidRenderer`.
    """

    __slots__ = ("_nonces", "_settings", "_steps")

    def __init__(
        self,
        *,
        nonces: Nonces | None = None,
        steps: Steps | Mapping[str, Callable[..., Any]] | None = None,
        self_identity: str = "assistant",
        bucket_order: Iterable[Bucket] = BUCKETS,
        thought_surfacing: ThoughtSurfacing = "all-self",
        replay_compatibility: Iterable[str] = (),
        unsupported_media: UnsupportedMedia = "throw",
        question_buckets: Iterable[QuestionBucket] = (),
    ) -> None:
        check = Checks()
        self._settings = RenderSettings(
            check.identifier("self_identity", self_identity),
            _bucket_order(check, bucket_order),
            check.choice("thought_surfacing", thought_surfacing, THOUGHT_SURFACINGS),
            check.instances("replay_compatibility", replay_compatibility, str, "text"),
            _policy(check, unsupported_media),
            _question_buckets(check, question_buckets),
        )
        self._nonces = Nonces() if nonces is None else nonces
        check.instance("nonces", self._nonces, Nonces, "Nonces")
        self._steps = check.made("", _steps, {} if steps is None else steps)
        check.done(InvalidRenderer)

    def replaced(
        self,
        *,
        steps: Mapping[str, Callable[..., Any]],
        question_buckets: Iterable[QuestionBucket],
    ) -> Renderer:
        """Return a renderer with the same nonces, and these settings over its own."""
        check = Checks()
        twin = copy(self)
        placed = _question_buckets(check, question_buckets)
        twin._settings = self._settings._replace(question_buckets=placed)  # noqa: SLF001  # its own kind
        twin._steps = self._steps.with_overrides(steps)  # noqa: SLF001
        check.done(InvalidRenderer)
        return twin

    def render(
        self,
        records: PromptRecords,
        *,
        turn_id: str,
        warn: Callable[[str, str], None] | None = None,
    ) -> Prompt:
        """Return the prompt. `warn` receives the kind and the message of each warning.

        Raises `UnsupportedMediaModality` if an asset cannot be carried and the policy is `throw`.
        """
        nonces = self._nonces.for_turn(turn_id)
        rendering = Rendering(self._settings, nonces, self._steps, warn)
        order, asked = self._settings.bucket_order, self._settings.question_buckets
        others: tuple[Bucket, ...] = tuple(bucket for bucket in order if bucket not in asked)
        place = others.index("timeline") if "timeline" in others else len(others)
        prompt = Prompt(
            records.system_prompt,
            _sections(rendering, records, others[:place]),
            tuple(self._steps.timeline(rendering, records)) if "timeline" in others else (),
            _sections(rendering, records, others[place + 1 :]),
            _sections(rendering, records, (bucket for bucket in order if bucket in asked)),
        )
        if rendering.hidden:
            rendering.warn(f"{rendering.hidden} hidden characters were made harmless", HIDDEN)
        return prompt


def _sections(
    rendering: Rendering, records: PromptRecords, buckets: Iterable[Bucket]
) -> tuple[Section, ...]:
    found = (Section(bucket, _bucket(rendering, records, bucket)) for bucket in buckets)
    return tuple(section for section in found if section.text)


def _bucket(rendering: Rendering, records: PromptRecords, bucket: Bucket) -> str:
    steps = rendering.steps
    if bucket == "standing_instructions":
        return steps.standing_instructions(rendering, records.standing_instructions)
    if bucket == "memories":
        return steps.memories(rendering, records.memories)
    return steps.retrievables(rendering, records.retrievables)


def _bucket_order(check: Checks, order: Iterable[Bucket]) -> tuple[Bucket, ...]:
    buckets = check.instances("bucket_order", order, str, "bucket names")
    for position, bucket in enumerate(buckets):
        check.choice(f"bucket_order[{position}]", bucket, BUCKETS)
        if bucket in buckets[:position]:
            check.fail(f"bucket_order[{position}]", f"{in_short(bucket)} stands before it already")
    return buckets


def _question_buckets(
    check: Checks, buckets: Iterable[QuestionBucket]
) -> tuple[QuestionBucket, ...]:
    given = check.instances("question_buckets", buckets, str, "bucket names")
    for position, bucket in enumerate(given):
        check.choice(f"question_buckets[{position}]", bucket, QUESTION_BUCKETS)
    return given


def _policy(check: Checks, policy: UnsupportedMedia) -> UnsupportedMedia:
    if isinstance(policy, FallbackStash):
        check.instances("unsupported_media.stash_keys", policy.stash_keys, str, "text")
        return policy
    return check.choice("unsupported_media", policy, MEDIA_POLICIES)


def _steps(given: Steps | Mapping[str, Callable[..., Any]]) -> Steps:
    return given if isinstance(given, Steps) else Steps().with_overrides(given)
