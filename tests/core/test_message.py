"""Messages: two roles, text or attachments, and who speaks."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from tether.core.byte_sources import BytesReader
from tether.core.errors import InvalidInitialMessageValue
from tether.core.identity import Identity
from tether.core.media import Media
from tether.core.message import ROLES, Message
from tether.core.tokenizable import Tokenizable

if TYPE_CHECKING:
    from collections.abc import Callable

MIDNIGHT = datetime(2024, 2, 29, tzinfo=UTC)


def picture() -> Media:
    return Media.user_attachment(
        kind="image", mime_type="image/png", filename="cat.png", reader=BytesReader(b"cat")
    )


def valid(**changes: Any) -> dict[str, Any]:
    return {"id": "m1", "role": "user", "content": "hello", "created_at": MIDNIGHT} | changes


def refused_paths(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidInitialMessageValue) as refused:
        Message(**given)
    assert refused.value.code == "E_INVALID_INITIAL_MESSAGE_VALUE"
    return sorted(problem.path for problem in refused.value.problems)


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_message_is_by_the_user_or_the_assistant(role: str) -> None:
    # CONTRACT 64
    assert role in ROLES
    assert Message(**valid(role=role)).role == role


@pytest.mark.parametrize("role", ["system", "tool", "developer", "", "USER", None, ["user"]])
def test_any_other_role_is_refused(role: object) -> None:
    # CONTRACT 64
    assert refused_paths(valid(role=role)) == ["role"]


def test_a_missing_role_is_reported_beside_other_bad_fields() -> None:
    given = valid(id="")
    del given["role"]
    assert refused_paths(given) == ["id", "role"]


def test_a_message_needs_content_or_at_least_one_attachment() -> None:
    # CONTRACT 64
    given = valid()
    del given["content"]
    assert refused_paths(given) == ["content"]
    cat = picture()
    only_picture = Message(**given, attachments=[cat])
    assert only_picture.content is None
    assert only_picture.attachments == (cat,)
    assert Message(**valid(attachments=[cat])).content == "hello"


def test_an_empty_attachment_list_without_content_is_refused() -> None:
    # CONTRACT 64
    assert refused_paths(valid(content=None, attachments=[])) == ["content"]


def test_attachments_that_are_not_media_are_refused() -> None:
    # CONTRACT 64
    given = valid(attachments=["cat.png", picture(), b"cat"])
    assert refused_paths(given) == ["attachments[0]", "attachments[2]"]
    assert refused_paths(valid(attachments="cat.png")) == ["attachments"]
    assert refused_paths(valid(attachments=None)) == ["attachments"]


def test_attachments_are_immutable() -> None:
    # CONTRACT 64
    files = [picture()]
    message = Message(**valid(attachments=files))
    files.append(picture())
    assert isinstance(message.attachments, tuple)
    assert len(message.attachments) == 1


@pytest.mark.parametrize("role", ROLES)
def test_identity_defaults_to_the_role(role: str) -> None:
    # CONTRACT 65
    identity = Message(**valid(role=role)).identity
    assert (identity.identifier, str(identity.representation)) == (role, role)


def test_identity_may_be_a_string_an_object_or_an_instance() -> None:
    # CONTRACT 65
    ada = Identity(identifier=17, representation="Ada")
    assert Message(**valid(identity="Ada")).identity == Identity.of("Ada")
    assert Message(**valid(identity=ada.to_json())).identity == ada
    assert Message(**valid(identity=ada)).identity is ada


@pytest.mark.parametrize(
    ("identity", "paths"),
    [
        (5, ["identity"]),
        ("", ["identity.identifier", "identity.representation"]),
        ({"identifier": "a"}, ["identity.representation"]),
        (
            {"identifier": "a", "representation": "b", "colour": "red"},
            ["identity.colour"],
        ),
    ],
)
def test_a_bad_identity_is_reported_under_its_field(identity: object, paths: list[str]) -> None:
    assert refused_paths(valid(identity=identity)) == paths


def test_an_identity_with_keys_that_are_not_text_is_refused() -> None:
    with pytest.raises(InvalidInitialMessageValue):
        Message(**valid(identity={1: 2}))


@pytest.mark.parametrize(
    "value",
    [
        MIDNIGHT,
        MIDNIGHT.replace(tzinfo=None),
        date(2024, 2, 29),
        "2024-02-29T00:00:00Z",
        MIDNIGHT.timestamp() * 1000,
        int(MIDNIGHT.timestamp()) * 1000,
    ],
)
def test_times_accept_iso_epoch_milliseconds_and_date_objects(value: object) -> None:
    # CONTRACT 66
    message = Message(**valid(created_at=value, updated_at=value))
    assert message.created_at == message.updated_at == MIDNIGHT


@pytest.mark.parametrize("value", ["soon", "", float("nan"), True, [1], 10**30])
def test_unparsable_times_are_refused(value: object) -> None:
    # CONTRACT 66
    given = valid(created_at=value, updated_at=value)
    assert refused_paths(given) == ["created_at", "updated_at"]


def test_the_time_of_change_defaults_to_the_time_of_creation() -> None:
    assert Message(**valid()).updated_at == MIDNIGHT
    assert refused_paths(valid(created_at=None)) == ["created_at"]


def test_plain_text_is_wrapped_and_a_wrapped_text_is_kept_by_identity() -> None:
    # CONTRACT 67
    text = Tokenizable("hello")
    assert isinstance(Message(**valid(content="hello")).content, Tokenizable)
    assert Message(**valid(content=text)).content is text


@pytest.mark.parametrize("content", ["", "\x00", 5, b"hello", ["hello"]])
def test_content_is_text_that_is_not_empty(content: object) -> None:
    assert refused_paths(valid(content=content)) == ["content"]


def test_every_bad_field_is_reported_at_once() -> None:
    given = {"role": "system", "attachments": [5], "identity": 5, "colour": "red"}
    assert refused_paths(given) == [
        "attachments[0]",
        "colour",
        "created_at",
        "id",
        "identity",
        "role",
    ]


def test_every_field_is_read_only() -> None:
    message = Message(**valid())
    for field in fields(message):
        with pytest.raises(FrozenInstanceError):
            setattr(message, field.name, None)


def test_fields_are_given_by_name_only() -> None:
    make: Any = Message
    with pytest.raises(TypeError, match="positional"):
        make("m1", "user")


def test_the_json_form_makes_an_equal_message() -> None:
    message = Message(**valid(identity="Ada", updated_at=MIDNIGHT.replace(hour=5)))
    assert Message(**json.loads(json.dumps(message.to_json()))) == message


def test_the_json_form_shows_attachments_without_their_bytes() -> None:
    cat = picture()
    form = Message(**valid(content=None, attachments=[cat])).to_json()
    assert form["content"] is None
    assert form["attachments"] == [cat.to_json()]


def test_messages_hash_by_id() -> None:
    first, second = Message(**valid()), Message(**valid(content="goodbye"))
    assert hash(first) == hash(second)
    assert len({first, second, Message(**valid())}) == 2


def test_replacing_a_field_checks_it_again() -> None:
    message = Message(**valid(attachments=[picture()]))
    changed = replace(message, content=Tokenizable("goodbye"))
    assert changed.content == "goodbye"
    assert (changed.id, changed.attachments) == (message.id, message.attachments)
    with pytest.raises(InvalidInitialMessageValue):
        replace(message, id="")


@pytest.mark.parametrize(
    ("make", "role"), [(Message.user, "user"), (Message.assistant, "assistant")]
)
def test_a_short_form_fills_id_and_time(make: Callable[..., Message], role: str) -> None:
    before = datetime.now(UTC)
    first, second = make("hello"), make("hello", identity="Ada")
    assert before <= first.created_at <= second.created_at <= datetime.now(UTC)
    assert UUID(first.id).version == 6
    assert first.id != second.id
    assert (first.role, str(first.content), first.identity) == (role, "hello", Identity.of(role))
    assert second.identity == Identity.of("Ada")
