from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.sources.web import Answer, Web, offline, page
from tether.core.errors import InputRefused
from tether.retrieval.sources.fetch import Fetched, FetchRequest, PatientFetch, wait_for

NOW = datetime(2026, 1, 1, tzinfo=UTC)
URL = "https://a.example/"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("0", 1),
        ("-5", 1),
        ("315360000", 300),  # ten years
        pytest.param("9" * 5_000, 300, id="many-digits"),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60),
        ("Thu, 01 Jan 2026 00:01:00 +0100", 1),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 1),
        ("Sat, 01 Jan 2039 00:00:00 GMT", 300),
        ("Thu, 01 Jan 0001 00:00:00 +1400", 1),
        ("Fri, 31 Dec 9999 23:59:59 -1400", 300),
        ("Thu, 01 Jan 2026 00:00:30 -0000", 30),
        ("soon", 1),
        ("", 1),
        ("²", 1),
        ("1e9", 1),
        ("inf", 1),
    ],
)
def test_a_wait_is_between_a_second_and_five_minutes(header: str, seconds: float) -> None:
    assert wait_for(header, 1, NOW) == seconds


@given(st.text())
def test_no_header_makes_us_wait_longer_or_fail(header: str) -> None:
    assert 1 <= wait_for(header, 1, NOW) <= 300


def ask(answers: list[Answer], patience: float = 900) -> tuple[Fetched, list[float], Web]:
    waits: list[float] = []
    web = Web({URL: answers})
    fetch = PatientFetch(web, sleep=waits.append, patience=patience, now=lambda: NOW)
    return fetch(FetchRequest(url=URL)), waits, web


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    answer, waits, _ = ask([page(status=429, retry_after="20"), page(status=503), page("here")])
    assert (answer.body, waits) == (b"here", [20, 2])


def test_what_broke_off_is_asked_again() -> None:
    answer, waits, _ = ask([offline(), page("here")])
    assert (answer.body, waits) == (b"here", [1])


def test_the_last_answer_counts() -> None:
    answer, waits, web = ask([page(status=503)])
    assert (answer.status, waits, len(web.asked)) == (503, [1, 2], 3)
    with pytest.raises(InputRefused, match="the connection failed"):
        ask([offline()])


def test_what_is_refused_is_not_asked_again() -> None:
    with pytest.raises(InputRefused, match="not on the list"):
        ask([InputRefused("not on the list"), page("here")])
    assert ask([page(status=404), page("here")])[0].status == 404


def test_all_requests_together_wait_only_so_long() -> None:
    waits: list[float] = []
    web = Web({URL: page(status=503, retry_after="86400")})
    fetch = PatientFetch(web, sleep=waits.append, patience=700, now=lambda: NOW)
    for _ in range(20):
        assert fetch(FetchRequest(url=URL)).status == 503
    assert waits == [300, 300]


def test_the_real_clock_is_there_when_none_is_given() -> None:
    web = Web({URL: [page(status=503, retry_after="Thu, 01 Jan 1970 00:00:00 GMT"), page("here")]})
    waits: list[float] = []
    assert PatientFetch(web, sleep=waits.append)(FetchRequest(url=URL)).body == b"here"
    assert waits == [1]
