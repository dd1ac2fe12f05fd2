"""A few pages, and putting pages into a folder."""

from __future__ import annotations

from pathlib import Path

DOCS = {
    "volumes.md": "# Volumes\n\nA volume keeps data when a container restarts.\n\n"
    "## Size\n\nAsk for a size with `storage: 5Gi`. A volume can grow, and never shrinks.\n",
    "pods.md": "# Pods\n\nA pod is the smallest thing that runs.\n\n"
    "## Restarting\n\nA pod that fails is restarted after a pause that doubles each time.\n",
}


def put(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
