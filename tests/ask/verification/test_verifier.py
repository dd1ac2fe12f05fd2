"""The verifier that is included, other files in its place, and its double."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from retrieval.dense.tiny_onnx import tiny_onnx
from tether.ask.errors import VerifierFailed
from tether.ask.verification.onnx import MOST_STATEMENT_TOKENS, MOST_TOKENS, UNREAD, OnnxVerifier
from tether.ask.verification.port import Claim, Opinion, Verifier
from tether.ask.verification.scripted import ScriptedVerifier

QUOTE = "Workers > Restarts: A worker restarts after three failed health checks."
CLAIMS = [
    Claim("A worker restarts after three failed health checks.", QUOTE),
    Claim("When three health checks have failed, the worker is restarted.", QUOTE),
    Claim("A worker never restarts after failed health checks.", QUOTE),
    Claim("Volumes keep their data when a pod is deleted.", QUOTE),
]


@cache
def verifier() -> OnnxVerifier:
    return OnnxVerifier(threads=2)


def test_it_tells_what_a_quote_says_from_what_it_denies_and_from_something_else() -> None:
    port: Verifier = verifier()
    opinions = port.verify(CLAIMS)
    assert [one.verdict for one in opinions] == ["supports", "supports", "contradicts", "neither"]
    assert all(sum(one) == pytest.approx(1) for one in opinions)
    assert opinions[0].supports >= port.supported_at > 0.5
    assert opinions[2].contradicts >= port.contradicted_at > 0.5


def test_an_opinion_depends_on_its_claim_alone_to_the_bit() -> None:
    alone = OnnxVerifier(threads=1)
    opinions = verifier().verify(CLAIMS)
    assert [alone.verify([claim])[0] for claim in CLAIMS] == opinions
    assert verifier().verify(CLAIMS[::-1]) == opinions[::-1]
    assert verifier().verify([]) == []


@pytest.mark.parametrize(
    ("statement", "premise", "is_read"),
    [
        (MOST_STATEMENT_TOKENS, 10, True),
        (MOST_STATEMENT_TOKENS + 1, 10, False),
        (MOST_TOKENS * 2, 1, False),
        (10, MOST_TOKENS - 14, True),
        (10, MOST_TOKENS - 13, False),
        (1, MOST_TOKENS * 2, False),
    ],
)
def test_a_claim_that_is_not_read_to_its_end_is_not_supported(
    statement: int, premise: int, is_read: bool
) -> None:
    claim = Claim("so " * statement, "so " * premise)
    assert (verifier().verify([claim]) != [UNREAD]) == is_read
    assert UNREAD.verdict == "neither"


def test_the_fingerprint_names_the_file_and_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "verifier.onnx"
    path.write_bytes(tiny_onnx("Identity"))
    other = OnnxVerifier(path=path)
    assert verifier().fingerprint.startswith("verifier:")
    assert verifier().fingerprint == verifier().fingerprint != other.fingerprint
    assert repr(other) == "OnnxVerifier('verifier')"


def test_thresholds_can_be_chosen() -> None:
    chosen = OnnxVerifier(supported_at=0.9, contradicted_at=0.4)
    assert (chosen.supported_at, chosen.contradicted_at) == (0.9, 0.4)


def test_a_file_with_other_numbers_than_three_logits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.onnx"
    path.write_bytes(tiny_onnx("Identity"))
    with pytest.raises(VerifierFailed, match="many is not a verifier") as caught:
        OnnxVerifier(path=path).verify(CLAIMS)
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("opinion", "verdict"),
    [
        (Opinion(0.6, 0.2, 0.2), "supports"),
        (Opinion(0.2, 0.6, 0.2), "contradicts"),
        (Opinion(0.2, 0.2, 0.6), "neither"),
        (Opinion(0.5, 0.5, 0.0), "contradicts"),
        (Opinion(0.5, 0.0, 0.5), "neither"),
        (Opinion(0.0, 0.5, 0.5), "neither"),
    ],
)
def test_the_verdict_is_the_most_probable(opinion: Opinion, verdict: str) -> None:
    assert opinion.verdict == verdict


def test_the_double_believes_what_it_was_told_to_believe() -> None:
    for double, expected in (
        (ScriptedVerifier(), ["supports", "supports"]),
        (ScriptedVerifier(supports=[]), ["neither", "neither"]),
        (ScriptedVerifier(supports=["so"]), ["supports", "neither"]),
        (ScriptedVerifier(contradicts=["so"]), ["contradicts", "supports"]),
        (ScriptedVerifier(premise="it"), ["neither", "supports"]),
    ):
        port: Verifier = double
        claims = [Claim("It is so.", "that"), Claim("It was.", "it")]
        assert [one.verdict for one in port.verify(claims)] == expected
        assert (double.claims, port.fingerprint) == (claims, "scripted")
        assert port.supported_at == port.contradicted_at == 0.5
