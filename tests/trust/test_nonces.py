"""Nonces: stable while a turn lasts, and of no use to anybody else."""

from __future__ import annotations

import random
import re
from typing import get_args

import pytest

from tether.trust.errors import InvalidRenderer
from tether.trust.nonces import Nonces, RecordKind

SECRET = bytes(range(32))


def test_a_nonce_is_128_bits_in_hexadecimal() -> None:
    assert re.fullmatch("[0-9a-f]{32}", Nonces().for_turn("t").of("memory", "1"))


def test_a_record_has_one_nonce_however_often_it_is_rendered_in_a_turn() -> None:
    nonces = Nonces(SECRET)
    turn = nonces.for_turn("t")
    assert turn.of("memory", "1") == turn.of("memory", "1")
    assert turn.of("memory", "1") == nonces.for_turn("t").of("memory", "1")


def test_the_next_turn_has_other_nonces() -> None:
    nonces = Nonces(SECRET)
    assert nonces.for_turn("t").of("memory", "1") != nonces.for_turn("u").of("memory", "1")


def test_a_conversation_keeps_its_nonces_over_its_turns() -> None:
    kept = Nonces(SECRET, conversation="c")
    assert kept.for_turn("t").of("memory", "1") == kept.for_turn("u").of("memory", "1")
    other = Nonces(SECRET, conversation="d")
    assert kept.for_turn("t").of("memory", "1") != other.for_turn("t").of("memory", "1")


def test_a_conversation_is_not_a_turn_of_that_name() -> None:
    talk, turn = Nonces(SECRET, conversation="x"), Nonces(SECRET)
    assert talk.for_turn("x").of("memory", "1") != turn.for_turn("x").of("memory", "1")


def test_kinds_and_ids_do_not_run_into_each_other() -> None:
    turn = Nonces(SECRET).for_turn("t")
    ids = ("", "1", "11", "memory", "\0", "1\0")
    made = {turn.of(kind, id) for kind in get_args(RecordKind) for id in ids}
    assert len(made) == len(get_args(RecordKind)) * len(ids)


def test_counters_and_their_neighbours_share_nothing() -> None:
    turn = Nonces(SECRET).for_turn("t")
    made = [turn.of("message", str(number)) for number in range(1000)]
    assert len({nonce[:8] for nonce in made}) == 1000


def test_two_secrets_never_agree() -> None:
    assert Nonces().for_turn("t").of("memory", "1") != Nonces().for_turn("t").of("memory", "1")


def test_a_seed_of_the_random_module_says_nothing() -> None:
    random.seed(1)
    one = Nonces().for_turn("t").of("memory", "1")
    random.seed(1)
    assert Nonces().for_turn("t").of("memory", "1") != one


def test_a_secret_may_have_any_length_from_128_bits_on() -> None:
    assert Nonces(b"x" * 16).for_turn("t").of("memory", "1")
    assert Nonces(b"x" * 1000).for_turn("t").of("memory", "1")
    with pytest.raises(InvalidRenderer, match="secret: needs at least 16 bytes, not 15"):
        Nonces(b"x" * 15)


def test_nothing_of_a_secret_is_printed() -> None:
    nonces = Nonces(SECRET)
    shown = f"{nonces!r} {nonces} {nonces.for_turn('t')!r} {nonces.for_turn('t')}"
    assert shown == "Nonces(…) Nonces(…) TurnNonces(…) TurnNonces(…)"


def test_a_secret_or_a_conversation_of_another_type_is_refused_and_not_shown() -> None:
    with pytest.raises(InvalidRenderer, match="secret: must be bytes") as refused:
        Nonces("a secret in text, forty characters long.")  # type: ignore[arg-type]
    assert "forty" not in str(refused.value)
    with pytest.raises(InvalidRenderer, match="conversation: must be text"):
        Nonces(SECRET, conversation=7)  # type: ignore[arg-type]


def test_the_id_of_a_turn_is_text() -> None:
    with pytest.raises(InvalidRenderer, match="turn_id: must be text"):
        Nonces(SECRET).for_turn(None)  # type: ignore[arg-type]


def test_half_a_character_in_an_id_is_an_id() -> None:
    turn = Nonces(SECRET).for_turn("\ud800")
    assert turn.of("memory", "\udfff") != Nonces(SECRET).for_turn("?").of("memory", "\udfff")
