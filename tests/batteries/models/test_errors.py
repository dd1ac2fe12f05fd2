"""Errors of models keep their facts as fields."""

from __future__ import annotations

from tether.batteries.models.errors import ModelHttpError, ModelRequestTimeout, ModelStreamError


def test_what_an_endpoint_did_is_kept_as_fields() -> None:
    http = ModelHttpError("no", http_status=503, attempts=3)
    assert (http.http_status, http.attempts) == (503, 3)
    assert ModelStreamError("no", partial="The answer").partial == "The answer"
    assert ModelRequestTimeout("no", phase="connecting", attempts=2).phase == "connecting"
