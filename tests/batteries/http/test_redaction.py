"""Secrets do not show, however an endpoint writes them."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.http.redaction import REDACTED, Redactor, secrets_in

KEY = 'sk-proj-7Q+f/9x"Kd\\2mZ==Vb'
printable = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=80)


def test_text_without_a_secret_stays_as_it_is() -> None:
    assert Redactor([KEY]).redact("the model is not loaded") == "the model is not loaded"
    assert Redactor([]).redact("anything") == "anything"
    assert Redactor([KEY]).redact("") == ""


def test_a_secret_is_replaced_wherever_it_stands() -> None:
    assert Redactor([KEY]).redact(f"{KEY} is wrong: {KEY}") == f"{REDACTED} is wrong: {REDACTED}"


@pytest.mark.parametrize(
    "written",
    [
        KEY.upper(),
        KEY.lower(),
        quote(KEY, safe=""),
        quote(KEY, safe="").lower(),
        quote_plus(KEY),
        json.dumps(KEY)[1:-1],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        repr(KEY),
        repr(KEY.encode()),
        KEY.encode().hex(),
        KEY.encode().hex().upper(),
        base64.b64encode(KEY.encode()).decode(),
        base64.urlsafe_b64encode(KEY.encode()).decode(),
    ],
)
def test_a_secret_is_found_however_it_is_written(written: str) -> None:
    shown = Redactor([KEY]).redact(f"bad key ({written}), ask your administrator")
    assert REDACTED in shown
    assert shown.startswith("bad key (")
    assert shown.endswith("), ask your administrator")
    assert not shared_runs(written, shown.replace(REDACTED, ""), 8)


@given(st.binary(max_size=9), st.binary(max_size=9))
def test_a_secret_is_found_in_base64_among_other_bytes(before: bytes, after: bytes) -> None:
    written = base64.b64encode(before + KEY.encode() + after).decode()
    left, _, right = Redactor([KEY]).redact(written).partition(REDACTED)
    readable = base64.b64decode(left + "A" * (-len(left) % 4))
    readable += base64.b64decode("A" * (-len(right) % 4) + right)
    others = before + b"\n" + after
    assert not shared_runs(KEY, readable.decode("latin-1"), 4) - shared_runs(
        KEY, others.decode("latin-1"), 4
    )


@given(printable, st.data())
def test_part_of_a_secret_is_replaced_too(secret: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(secret) - 6))
    end = data.draw(st.integers(start + 6, len(secret)))
    shown = Redactor([secret]).redact(f"~{secret[start:end]}~")
    assert not shared_runs(secret, shown.replace(REDACTED, "\n"), 6)


@given(st.text(), printable, st.text())
def test_no_neighbour_hides_a_secret(before: str, secret: str, after: str) -> None:
    shown = Redactor([secret]).redact(before + secret + after).replace(REDACTED, "\n")
    assert secret.lower() not in shown.lower()


def test_letters_that_grow_in_lower_case_hide_nothing() -> None:
    assert Redactor([KEY]).redact(f"İİİ {KEY}").endswith(f" {REDACTED}")


def test_a_short_secret_is_replaced_whole_only() -> None:
    redactor = Redactor(["ollama-key"])
    assert redactor.redact("ollama-key is refused by ollama") == f"{REDACTED} is refused by ollama"


def test_what_is_too_short_to_be_a_secret_is_none() -> None:
    assert Redactor(["", "abc"]).redact("abc is not a key") == "abc is not a key"
    assert Redactor(["abcd"]).redact("abcd is a key") == f"{REDACTED} is a key"


def test_a_redactor_does_not_show_what_it_knows() -> None:
    assert KEY not in repr(Redactor([KEY]))


@pytest.mark.parametrize(
    "name",
    ["Authorization", "x-api-key", "API-KEY", "Cookie", "X-Auth-Token", "Proxy-Authorization",
     "x-amz-signature", "X-Client-Secret"],
)  # fmt: skip
def test_headers_are_secret_by_their_names(name: str) -> None:
    headers = {name: f"Bearer {KEY}", "X-Trace": "not-a-secret"}
    secrets = list(secrets_in(headers, "http://host/v1", {}))
    assert KEY in secrets
    assert "not-a-secret" not in secrets
    assert "Bearer" not in secrets


def test_an_address_has_secrets_of_its_own() -> None:
    secrets = list(secrets_in({}, "https://user:p%40ss@host/v1?api-version=1&sig=abc%2Bdef", {}))
    assert {"user", "p@ss", "abc%2Bdef"} <= set(secrets)


def test_headers_of_the_user_are_secret_by_their_length() -> None:
    given = {"X-Session": "12345678", "X-Team": "1234567"}
    assert set(secrets_in(given, "http://host/v1", given)) - {""} == {"12345678"}


def shared_runs(one: str, other: str, length: int) -> set[str]:
    """Return the runs of characters that two texts have in common, in any case."""
    runs = [
        {text.lower()[at : at + length] for at in range(len(text) - length + 1)}
        for text in (one, other)
    ]
    return runs[0] & runs[1]
