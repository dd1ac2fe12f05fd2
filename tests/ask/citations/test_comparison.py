"""Words and signs of a text, and where others stand in it."""

from __future__ import annotations

from tether.ask.citations.comparison import written


def test_a_text_of_stops_is_nowhere_and_has_no_key() -> None:
    assert written("It stops. It goes on.").find(written("...")) is None
    assert written("?!").key == ()


def test_the_first_letter_and_the_last_stop_do_not_count() -> None:
    text = "Before that, it stops at once, and goes on."
    assert written(text).find(written("It stops at once.")) == (13, 29)
    assert written("It stops.").key == written("it stops").key
