"""What the distributions share with the kit: its version, its extras, and who made it.

A `pyproject.toml` beside this file lists a field as dynamic to take it from the kit's. The version
is the one of the kit, and whatever a distribution depends on has the same: code, models and the
thresholds that were measured with them belong together.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

KIT = Path(__file__).parent.parent / "pyproject.toml"


class KitMetadata(MetadataHookInterface):
    """Fills in the dynamic fields of a distribution."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add what the kit says, and the dependencies that the hook is configured with."""
        kit: dict[str, Any] = tomllib.loads(KIT.read_text("utf-8"))["project"]
        pin = f"=={metadata['version']}"
        taken = [name for name in metadata["dynamic"] if name in kit]
        metadata |= {name: kit[name] for name in taken}
        if needed := self.config.get("dependencies"):
            extras = kit["optional-dependencies"]
            metadata["dependencies"] = [name + pin for name in needed]
            metadata["optional-dependencies"] = {
                name: [f"{kit['name']}[{name}]{pin}"] for name in extras
            }
