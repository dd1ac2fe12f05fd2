"""Running a model tells nobody: ONNX Runtime would report its use unless it is told not to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

EMBED = "from tether.retrieval import MiniLm; MiniLm(threads=1).embed_questions(['a question'])"


def test_nothing_is_collected_while_a_model_runs(tmp_path: Path) -> None:
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("COV", "ORT"))}
    home = plain | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", EMBED], check=True, env=home)
    assert list(tmp_path.rglob("*")) == []
