"""Media: typed handles that never touch their bytes unasked."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import AsyncIterator, Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any
from uuid import UUID

import pytest

from tether.core.byte_sources import BytesReader
from tether.core.errors import InvalidInitialMediaValue, NotAMediaReader
from tether.core.media import MEDIA_KINDS, MODALITY_HAZARDS, Media, MediaStash, MediaStashEntry
from tether.core.tiers import TRUST_TIERS, TrustTier, lower_tier
from tether.core.tokenizable import Tokenizable

CONTENT = bytes(range(256)) * 3
CAPTION = {"value": "a cat", "trust_tier": "first-party"}


class UntouchableReader:
    """A reader that must not be opened."""

    def stream(self) -> AsyncIterator[bytes]:
        raise AssertionError("the reader was opened")


def valid(**changes: Any) -> dict[str, Any]:
    required = {
        "kind": "image",
        "mime_type": "image/png",
        "filename": "cat.png",
        "reader": BytesReader(CONTENT),
        "trust_tier": "third-party-public",
        "modality_hazard": "opaque-perceptual",
    }
    return required | changes


def refused_paths(fields: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInitialMediaValue) as refused:
        Media(**fields)
    assert refused.value.code == "E_INVALID_INITIAL_MEDIA_VALUE"
    return sorted(problem.path for problem in refused.value.problems)


@pytest.mark.parametrize(
    "name", ["kind", "mime_type", "filename", "reader", "trust_tier", "modality_hazard"]
)
def test_a_missing_field_without_default_is_refused(name: str) -> None:
    # CONTRACT 113; 2.9: the bare constructor has no default for tier and hazard
    given = valid()
    del given[name]
    assert refused_paths(given) == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "hologram"),
        ("kind", None),
        ("mime_type", ""),
        ("mime_type", "image/png\r\n"),
        ("filename", ""),
        ("filename", 5),
        ("trust_tier", "user-supplied"),
        ("modality_hazard", "harmless"),
        ("id", ""),
        ("id", 17),
        ("source", 5),
        ("stash", ["caption"]),
        ("stash", {1: CAPTION}),
    ],
)
def test_a_wrong_field_is_refused(name: str, value: object) -> None:
    # CONTRACT 113
    assert refused_paths(valid(**{name: value})) == [name]


@pytest.mark.parametrize("reader", [None, 5, CONTENT, object()])
def test_what_cannot_stream_is_no_reader(reader: object) -> None:
    # CONTRACT 113
    with pytest.raises(NotAMediaReader) as refused:
        Media(**valid(reader=reader))
    assert refused.value.code == "E_NOT_A_MEDIA_READER"


def test_every_bad_field_is_reported_at_once() -> None:
    given = valid(kind="hologram", filename="", colour="red")
    del given["trust_tier"]
    assert refused_paths(given) == ["colour", "filename", "kind", "trust_tier"]


@pytest.mark.parametrize("other", [{"kind": "hologram"}, {"colour": "red"}])
def test_a_bad_reader_is_reported_beside_other_bad_fields(other: dict[str, Any]) -> None:
    assert refused_paths(valid(reader=5, **other)) == sorted([*other, "reader"])


def test_every_bad_stash_entry_is_reported_at_once() -> None:
    stash = {"caption": {"value": "a cat"}, "transcript": {"trust_tier": "first-party"}}
    assert refused_paths(valid(stash=stash)) == [
        "stash['caption'].trust_tier",
        "stash['transcript'].value",
    ]


@pytest.mark.parametrize("kind", MEDIA_KINDS)
@pytest.mark.parametrize("hazard", MODALITY_HAZARDS)
def test_every_kind_goes_with_every_hazard(kind: str, hazard: str) -> None:
    media = Media(**valid(kind=kind, modality_hazard=hazard))
    assert (media.kind, media.modality_hazard) == (kind, hazard)


def test_the_closed_sets_are_those_of_the_contract() -> None:
    # CONTRACT 1.6, 2.9
    assert set(MEDIA_KINDS) == {"image", "audio", "video", "document"}
    assert set(MODALITY_HAZARDS) == {"inert", "extractable-instructions", "opaque-perceptual"}


def test_an_id_is_generated_or_kept() -> None:
    # CONTRACT 114
    assert Media(**valid(id="cat-1")).id == "cat-1"
    first, second = Media(**valid()), Media(**valid())
    assert UUID(first.id).version == UUID(second.id).version == 6
    assert first.id != second.id


def test_every_field_is_read_only() -> None:
    # CONTRACT 114
    media = Media(**valid())
    for field in fields(media):
        with pytest.raises(FrozenInstanceError):
            setattr(media, field.name, None)


def test_fields_are_given_by_name_only() -> None:
    make: Any = Media
    with pytest.raises(TypeError, match="positional"):
        make("image")


async def test_bytes_are_readable_repeatedly_with_identical_result() -> None:
    # CONTRACT 115
    media = Media(**valid())
    assert await media.as_bytes() == CONTENT
    assert await media.as_bytes() == CONTENT
    assert b64decode(await media.as_base64(), validate=True) == CONTENT
    assert b"".join([piece async for piece in media.stream()]) == CONTENT


def test_the_json_form_never_opens_the_reader() -> None:
    # CONTRACT 115
    media = Media(**valid(reader=UntouchableReader(), id="cat-1", source="camera"))
    assert json.loads(json.dumps(media.to_json())) == {
        "id": "cat-1",
        "kind": "image",
        "mime_type": "image/png",
        "filename": "cat.png",
        "trust_tier": "third-party-public",
        "modality_hazard": "opaque-perceptual",
        "source": "camera",
        "stash": {},
    }
    with pytest.raises(AssertionError, match="was opened"):
        media.stream()


def test_the_json_form_and_the_reader_make_an_equal_asset() -> None:
    media = Media(**valid(stash={"caption": CAPTION}))
    assert Media(**json.loads(json.dumps(media.to_json())), reader=media.reader) == media


def test_assets_hash_by_id() -> None:
    first, second = Media(**valid(id="a")), Media(**valid(id="a", filename="dog.png"))
    assert hash(first) == hash(second)
    assert len({first, second}) == 2


def test_replacing_a_field_keeps_the_rest_and_checks_again() -> None:
    media = Media(**valid(stash={"caption": CAPTION}))
    renamed = replace(media, filename="dog.png")
    assert renamed.to_json() == media.to_json() | {"filename": "dog.png"}
    assert renamed.reader is media.reader
    with pytest.raises(InvalidInitialMediaValue):
        replace(media, filename="")


FACTORIES: list[tuple[Callable[..., Media], str]] = [
    (Media.user_attachment, "third-party-private"),
    (Media.tool_generated, "first-party"),
    (Media.retrieved_public, "third-party-public"),
    (Media.retrieved_private, "third-party-private"),
]
HAZARDS = [
    ("document", "extractable-instructions"),
    ("image", "opaque-perceptual"),
    ("audio", "opaque-perceptual"),
    ("video", "opaque-perceptual"),
]


@pytest.mark.parametrize(("factory", "tier"), FACTORIES)
@pytest.mark.parametrize(("kind", "hazard"), HAZARDS)
def test_factory_defaults_are_those_of_the_contract(
    factory: Callable[..., Media], tier: str, kind: str, hazard: str
) -> None:
    # CONTRACT 117, table 2.9
    reader = BytesReader(CONTENT)
    media = factory(kind=kind, mime_type="x/y", filename="f", reader=reader, source="s")
    assert (media.trust_tier, media.modality_hazard) == (tier, hazard)
    assert (media.kind, media.mime_type, media.filename) == (kind, "x/y", "f")
    assert (media.reader, media.source) == (reader, "s")


@pytest.mark.parametrize("entry", [{}, {"value": "a cat"}, {"value": "a", "trust_tier": "trusted"}])
def test_stash_entries_need_a_trust_tier(entry: dict[str, Any]) -> None:
    # CONTRACT 116
    with pytest.raises(InvalidInitialMediaValue) as refused:
        MediaStashEntry(**entry)
    assert "trust_tier" in {problem.path for problem in refused.value.problems}


def test_every_bad_field_of_an_entry_is_reported_at_once() -> None:
    given: dict[str, Any] = {"value": 5, "derived_from_media": "", "colour": "red"}
    with pytest.raises(InvalidInitialMediaValue) as refused:
        MediaStashEntry(**given)
    paths = sorted(problem.path for problem in refused.value.problems)
    assert paths == ["colour", "derived_from_media", "trust_tier", "value"]


def test_an_entry_holds_text_a_tier_and_an_origin() -> None:
    text = Tokenizable("a cat")
    entry = MediaStashEntry(value=text, trust_tier="first-party", derived_from_media="cat-1")
    assert entry.value is text
    assert MediaStashEntry(**json.loads(json.dumps(entry.to_json()))) == entry
    assert MediaStashEntry(value="", trust_tier="first-party").derived_from_media is None
    assert replace(entry, value=Tokenizable("a dog")).value == "a dog"
    wrong: dict[str, Any] = {"value": 5}
    with pytest.raises(InvalidInitialMediaValue):
        replace(entry, **wrong)


def test_the_stash_keeps_entries_in_the_order_of_their_first_setting() -> None:
    stash = MediaStash({"b": CAPTION})
    stash.set("a", MediaStashEntry(value="a dog", trust_tier="third-party-public"))
    stash.set("b", {"value": "a cow", "trust_tier": "first-party"})
    assert stash.keys() == ("b", "a")
    found = stash.get("b")
    assert found is not None
    assert found.value == "a cow"
    assert stash.get("c") is None


def test_an_entry_of_the_stash_that_claims_no_more_than_its_asset_is_kept_by_identity() -> None:
    entry = MediaStashEntry(value="a cat", trust_tier="third-party-public")
    assert Media(**valid(stash={"caption": entry})).stash.get("caption") is entry


@pytest.mark.parametrize(
    ("key", "entry", "path"),
    [
        ("", CAPTION, "key"),
        (5, CAPTION, "key"),
        ("caption", {"value": "a cat"}, "stash['caption'].trust_tier"),
        ("caption", "a cat", "stash['caption']"),
        ("caption", {1: "a cat"}, "stash['caption']"),
    ],
)
def test_a_bad_entry_is_refused_and_changes_nothing(key: Any, entry: Any, path: str) -> None:
    # CONTRACT 116
    stash = MediaStash({"caption": CAPTION})
    with pytest.raises(InvalidInitialMediaValue) as refused:
        stash.set(key, entry)
    assert [problem.path for problem in refused.value.problems] == [path]
    assert stash == MediaStash({"caption": CAPTION})


def test_stashes_compare_by_content_and_do_not_hash() -> None:
    assert MediaStash({"caption": CAPTION}) == MediaStash({"caption": CAPTION})
    assert MediaStash({"caption": CAPTION}) != MediaStash({})
    assert MediaStash({}) != {}
    with pytest.raises(TypeError, match="unhashable"):
        hash(MediaStash({}))


@pytest.mark.parametrize("asset", TRUST_TIERS)
@pytest.mark.parametrize("claimed", TRUST_TIERS)
def test_an_entry_never_has_more_authority_than_its_asset(
    asset: TrustTier, claimed: TrustTier
) -> None:
    # CONTRACT 1.4: the tier of an entry is floored to that of its media
    given = {"value": "a cat", "trust_tier": claimed, "derived_from_media": "cat-1"}
    media = Media(**valid(trust_tier=asset, stash={"caption": given}))
    media.stash.set("later", given)
    for entry in media.stash.entries().values():
        assert entry.trust_tier == lower_tier(asset, claimed)
        assert (str(entry.value), entry.derived_from_media) == ("a cat", "cat-1")
    assert media.to_json()["stash"]["later"]["trust_tier"] == lower_tier(asset, claimed)
    assert media.stash.keys() == ("caption", "later")


def test_an_entry_is_lowered_and_never_raised() -> None:
    entry = MediaStashEntry(value="a cat", trust_tier="third-party-public", derived_from_media="x")
    assert entry.floored("first-party") is entry
    own = replace(entry, trust_tier="first-party")
    assert own.floored("third-party-public") == entry
    assert own.trust_tier == "first-party"


def test_an_asset_whose_tier_is_raised_does_not_raise_its_entries() -> None:
    media = Media(**valid(stash={"caption": CAPTION}))
    raised = replace(media, trust_tier="first-party")
    caption = raised.stash.get("caption")
    assert caption is not None
    assert caption.trust_tier == "third-party-public"


def test_two_assets_never_share_a_stash() -> None:
    stash = MediaStash({"caption": CAPTION})
    ours = Media(**valid(trust_tier="first-party", stash=stash))
    strangers = Media(**valid(stash=stash))
    ours.stash.set("more", CAPTION)
    assert strangers.stash.keys() == ("caption",) == stash.keys()
    assert replace(ours, filename="b.png").stash is not ours.stash
    own, other = ours.stash.get("caption"), strangers.stash.get("caption")
    assert own is not None
    assert other is not None
    assert (own.trust_tier, other.trust_tier) == ("first-party", "third-party-public")


def test_a_stash_without_an_asset_lowers_nothing_and_takes_only_a_known_tier() -> None:
    free, low = MediaStash({"caption": CAPTION}), MediaStash({"caption": CAPTION}, TRUST_TIERS[1])
    tiers = [stash.to_json()["caption"]["trust_tier"] for stash in (free, low)]
    assert tiers == ["first-party", "third-party-public"]
    with pytest.raises(InvalidInitialMediaValue) as refused:
        MediaStash({"": {"value": 5}}, "trusted")  # type: ignore[arg-type]  # pyright: ignore
    assert {problem.path for problem in refused.value.problems} == {
        "trust_tier",
        "key",
        "stash[''].value",
        "stash[''].trust_tier",
    }


def test_a_bad_tier_and_a_bad_stash_are_reported_together() -> None:
    given = valid(trust_tier="trusted", stash={"caption": {"value": "a cat"}})
    assert refused_paths(given) == ["stash['caption'].trust_tier", "trust_tier"]


def test_the_entries_of_a_stash_are_handed_out_as_a_copy() -> None:
    media = Media(**valid(stash={"caption": CAPTION}))
    media.stash.entries().clear()
    assert media.stash.keys() == ("caption",)
