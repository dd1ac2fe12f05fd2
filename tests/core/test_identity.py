"""Identities: two names of one participant."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from types import MappingProxyType
from typing import Any

import pytest

from tether.core.errors import InvalidInitialIdentityValue
from tether.core.identity import Identity
from tether.core.tokenizable import Tokenizable


def refused_paths(value: Any) -> list[str]:
    with pytest.raises(InvalidInitialIdentityValue) as refused:
        Identity.of(value)
    assert refused.value.code == "E_INVALID_INITIAL_IDENTITY_VALUE"
    return sorted(problem.path for problem in refused.value.problems)


def test_a_bare_name_fills_both_names() -> None:
    # CONTRACT 65
    ada = Identity.of("Ada")
    assert ada.identifier == "Ada"
    assert ada.representation == "Ada"


@pytest.mark.parametrize("kind", [dict, MappingProxyType])
def test_a_dictionary_gives_both_names(kind: type[Any]) -> None:
    # CONTRACT 65
    ada = Identity.of(kind({"identifier": 17, "representation": "Ada"}))
    assert (ada.identifier, str(ada.representation)) == (17, "Ada")


def test_an_instance_is_kept_by_identity() -> None:
    # CONTRACT 65
    ada = Identity(identifier=17, representation="Ada")
    assert Identity.of(ada) is ada


def test_the_shortcut_for_known_names_gives_the_same_identity() -> None:
    assert Identity.named("assistant") == Identity.of("assistant")


def test_a_wrapped_representation_is_kept_by_identity() -> None:
    shown = Tokenizable("Ada")
    assert Identity(identifier="a", representation=shown).representation is shown


@pytest.mark.parametrize("value", [None, 17, True, ["Ada"], b"Ada", object()])
def test_anything_else_is_no_identity(value: object) -> None:
    assert refused_paths(value) == [""]


def test_every_bad_field_is_reported_at_once() -> None:
    assert refused_paths({"identifier": "", "colour": "red"}) == [
        "colour",
        "identifier",
        "representation",
    ]
    assert refused_paths({}) == ["identifier", "representation"]


@pytest.mark.parametrize("identifier", ["", None, True, 1.5, "a\nb", "\ud800", ["a"]])
def test_an_identifier_is_text_or_a_whole_number(identifier: object) -> None:
    assert refused_paths({"identifier": identifier, "representation": "Ada"}) == ["identifier"]


@pytest.mark.parametrize("representation", ["", "\x00", None, 17])
def test_a_representation_is_text_that_is_not_empty(representation: object) -> None:
    value = {"identifier": "a", "representation": representation}
    assert refused_paths(value) == ["representation"]


def test_keys_that_are_not_text_are_refused_like_other_unknown_fields() -> None:
    with pytest.raises(InvalidInitialIdentityValue):
        Identity.of({"identifier": "a", "representation": "Ada", 1: 2})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]


def test_a_key_called_self_is_an_unknown_field() -> None:
    assert refused_paths({"identifier": "a", "representation": "Ada", "self": 1}) == ["self"]


def test_an_empty_name_is_reported_for_both_names() -> None:
    assert refused_paths("") == ["identifier", "representation"]


def test_every_field_is_read_only() -> None:
    ada = Identity.of("Ada")
    for field in fields(ada):
        with pytest.raises(FrozenInstanceError):
            setattr(ada, field.name, "Eve")


def test_fields_are_given_by_name_only() -> None:
    make: Any = Identity
    with pytest.raises(TypeError, match="positional"):
        make("a", "Ada")


@pytest.mark.parametrize("identifier", ["a", 17])
def test_the_json_form_makes_an_equal_identity(identifier: str | int) -> None:
    ada = Identity(identifier=identifier, representation="Ada")
    assert Identity(**json.loads(json.dumps(ada.to_json()))) == ada


def test_identities_hash_by_identifier() -> None:
    ada, alias = (Identity(identifier=17, representation=name) for name in ("Ada", "Countess"))
    assert hash(ada) == hash(alias)
    assert ada != alias
    assert len({ada, alias, Identity(identifier=17, representation="Ada")}) == 2


def test_replacing_a_field_checks_it_again() -> None:
    ada = Identity.of("Ada")
    countess = replace(ada, representation=Tokenizable("Countess"))
    assert (countess.identifier, str(countess.representation)) == ("Ada", "Countess")
    with pytest.raises(InvalidInitialIdentityValue):
        replace(ada, identifier="")
