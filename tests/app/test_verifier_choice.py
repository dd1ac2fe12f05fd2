"""The verifier by its setting."""

from __future__ import annotations

from pathlib import Path

from tether.app.verifier import fingerprint_of, verifier_of


def test_a_file_that_is_not_a_model_has_no_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "verifier.onnx"
    path.write_bytes(b"not a model")
    verifier = verifier_of(str(path))
    path.unlink()
    assert fingerprint_of(verifier) == ""
    assert fingerprint_of(None) == ""
