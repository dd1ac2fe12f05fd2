"""Binary assets: typed handles whose bytes are read only when they are needed."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from tether.core.checks import Checks, Value, freeze, has_methods, refuses_with
from tether.core.errors import InvalidInitialMediaValue, NotAMediaReader
from tether.core.ids import new_id
from tether.core.tiers import TRUST_TIERS, TrustTier, lower_tier
from tether.core.tokenizable import TextInput, Tokenizable, text_field

MediaKind = Literal["image", "audio", "video", "document"]
MEDIA_KINDS: tuple[MediaKind, ...] = get_args(MediaKind)

ModalityHazard = Literal["inert", "extractable-instructions", "opaque-perceptual"]
"""The risk in the bytes: none, readable text, or content that only perception reveals."""

MODALITY_HAZARDS: tuple[ModalityHazard, ...] = get_args(ModalityHazard)


@runtime_checkable
class MediaReader(Protocol):
    """A source of bytes. `stream` may be called again and returns the same bytes each time."""

    def stream(self) -> AsyncIterator[bytes]:
        """Return the bytes, piece by piece."""
        ...


@refuses_with(InvalidInitialMediaValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class MediaStashEntry(Value):
    """Text made from a media asset (a caption, a transcript), with its own trust tier."""

    value: Tokenizable
    trust_tier: TrustTier
    derived_from_media: str | None

    def __init__(
        self, *, value: TextInput, trust_tier: TrustTier, derived_from_media: str | None = None
    ) -> None:
        check = Checks()
        text = text_field(check, "value", value, may_be_empty=True)
        tier = check.choice("trust_tier", trust_tier, TRUST_TIERS)
        if derived_from_media is not None:
            check.identifier("derived_from_media", derived_from_media)
        check.done(InvalidInitialMediaValue)
        freeze(self, value=text, trust_tier=tier, derived_from_media=derived_from_media)

    @classmethod
    def of(cls, value: MediaStashEntry | Mapping[str, Any]) -> MediaStashEntry:
        """Return the entry that `value` is, or describes."""
        if isinstance(value, MediaStashEntry):
            return value
        check = Checks()
        fields = check.mapping("", value)
        check.done(InvalidInitialMediaValue)
        return cls(**fields)

    def floored(self, tier: TrustTier) -> MediaStashEntry:
        """Return the entry with no more authority than `tier`."""
        lower = lower_tier(self.trust_tier, tier)
        if lower == self.trust_tier:
            return self
        source = self.derived_from_media
        return MediaStashEntry(value=self.value, trust_tier=lower, derived_from_media=source)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which the constructor accepts."""
        return {
            "value": str(self.value),
            "trust_tier": self.trust_tier,
            "derived_from_media": self.derived_from_media,
        }


class MediaStash:
    """Where middleware leaves text about an asset for readers that cannot see its bytes.

    With a `tier`, the asset's own, no entry has more authority than that: text made from what a
    stranger drew is a stranger's text, whoever read it off.
    """

    __slots__ = ("_entries", "_tier")

    def __init__(
        self,
        entries: Mapping[str, MediaStashEntry | Mapping[str, Any]],
        tier: TrustTier = "first-party",
    ) -> None:
        check = Checks()
        self._tier: TrustTier = check.choice("trust_tier", tier, TRUST_TIERS)
        self._entries: dict[str, MediaStashEntry] = {}
        for key, entry in check.mapping("stash", entries).items():
            made = check.made(f"stash[{key!r}]", MediaStashEntry.of, entry)
            self._entries[check.identifier("key", key)] = made
        check.done(InvalidInitialMediaValue)
        self._entries = {key: entry.floored(tier) for key, entry in self._entries.items()}

    def set(self, key: str, entry: MediaStashEntry | Mapping[str, Any]) -> None:
        """Keep an entry under `key`, its tier lowered to the asset's where it is higher.

        Raises `InvalidInitialMediaValue` if it is not a whole entry.
        """
        check = Checks()
        check.identifier("key", key)
        check.done(InvalidInitialMediaValue)
        self._entries |= MediaStash({key: entry}, self._tier).entries()

    def get(self, key: str) -> MediaStashEntry | None:
        """Return the entry under `key`, or None."""
        return self._entries.get(key)

    def entries(self) -> dict[str, MediaStashEntry]:
        """Return the entries by key, as a new dictionary."""
        return dict(self._entries)

    def keys(self) -> tuple[str, ...]:
        """Return the keys in the order in which they were first set."""
        return tuple(self._entries)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {key: entry.to_json() for key, entry in self._entries.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MediaStash) and self._entries == other._entries

    __hash__ = None  # type: ignore[assignment]  # entries are added while the asset lives


@refuses_with(InvalidInitialMediaValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Media(Value):
    """A handle to an image, a sound, a video or a document; it never holds the bytes itself.

    `trust_tier` and `modality_hazard` have no defaults: only the code that obtained the bytes knows
    them. The four factories say it in one word. Raises `InvalidInitialMediaValue`; if nothing else
    is wrong than a reader that cannot stream, its subclass `NotAMediaReader`.
    """

    id: str
    kind: MediaKind
    mime_type: str
    filename: str
    reader: MediaReader
    trust_tier: TrustTier
    modality_hazard: ModalityHazard
    source: str | None
    stash: MediaStash

    def __init__(
        self,
        *,
        kind: MediaKind,
        mime_type: str,
        filename: str,
        reader: MediaReader,
        trust_tier: TrustTier,
        modality_hazard: ModalityHazard,
        id: str | None = None,
        source: str | None = None,
        stash: MediaStash | Mapping[str, MediaStashEntry | Mapping[str, Any]] | None = None,
    ) -> None:
        check = Checks()
        freeze(
            self,
            id=new_id() if id is None else check.identifier("id", id),
            kind=check.choice("kind", kind, MEDIA_KINDS),
            mime_type=check.identifier("mime_type", mime_type),
            filename=check.identifier("filename", filename),
            reader=reader,
            trust_tier=check.choice("trust_tier", trust_tier, TRUST_TIERS),
            modality_hazard=check.choice("modality_hazard", modality_hazard, MODALITY_HAZARDS),
            source=check.line("source", source),
            stash=check.made("", partial(_own_stash, trust_tier), {} if stash is None else stash),
        )
        only_the_reader = not check.problems
        if not has_methods(reader, "stream"):
            check.refuse("reader", reader, "an object with a stream() method")
        check.done(NotAMediaReader if only_the_reader else InvalidInitialMediaValue)

    def stream(self) -> AsyncIterator[bytes]:
        """Return the bytes piece by piece, opening the reader anew."""
        return self.reader.stream()

    async def as_bytes(self) -> bytes:
        """Read everything into memory."""
        return b"".join([piece async for piece in self.stream()])

    async def as_base64(self) -> str:
        """Read everything into memory, as base64 text."""
        return b64encode(await self.as_bytes()).decode("ascii")

    def to_json(self) -> dict[str, Any]:
        """Return the metadata of the asset, without touching its reader."""
        return {
            "id": self.id,
            "kind": self.kind,
            "mime_type": self.mime_type,
            "filename": self.filename,
            "trust_tier": self.trust_tier,
            "modality_hazard": self.modality_hazard,
            "source": self.source,
            "stash": self.stash.to_json(),
        }

    @classmethod
    def user_attachment(
        cls,
        *,
        kind: MediaKind,
        mime_type: str,
        filename: str,
        reader: MediaReader,
        source: str | None = None,
    ) -> Media:
        """An asset that a person supplied: third-party-private."""
        return _labelled("third-party-private", kind, mime_type, filename, reader, source)

    @classmethod
    def tool_generated(
        cls,
        *,
        kind: MediaKind,
        mime_type: str,
        filename: str,
        reader: MediaReader,
        source: str | None = None,
    ) -> Media:
        """An asset that one of our tools made: first-party."""
        return _labelled("first-party", kind, mime_type, filename, reader, source)

    @classmethod
    def retrieved_public(
        cls,
        *,
        kind: MediaKind,
        mime_type: str,
        filename: str,
        reader: MediaReader,
        source: str | None = None,
    ) -> Media:
        """An asset from the open web: third-party-public."""
        return _labelled("third-party-public", kind, mime_type, filename, reader, source)

    @classmethod
    def retrieved_private(
        cls,
        *,
        kind: MediaKind,
        mime_type: str,
        filename: str,
        reader: MediaReader,
        source: str | None = None,
    ) -> Media:
        """An asset from a private place of others: third-party-private."""
        return _labelled("third-party-private", kind, mime_type, filename, reader, source)


def _own_stash(
    tier: TrustTier, stash: MediaStash | Mapping[str, MediaStashEntry | Mapping[str, Any]]
) -> MediaStash:
    """Return a stash that no other asset writes to, under the asset's tier."""
    known: TrustTier = tier if tier in TRUST_TIERS else "first-party"  # it has its own complaint
    return MediaStash(stash.entries() if isinstance(stash, MediaStash) else stash, known)


def _labelled(  # noqa: PLR0917  # one caller per factory
    tier: TrustTier,
    kind: MediaKind,
    mime_type: str,
    filename: str,
    reader: MediaReader,
    source: str | None,
) -> Media:
    return Media(
        kind=kind,
        mime_type=mime_type,
        filename=filename,
        reader=reader,
        trust_tier=tier,
        modality_hazard="extractable-instructions" if kind == "document" else "opaque-perceptual",
        source=source,
    )
