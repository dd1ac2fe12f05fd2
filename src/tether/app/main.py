"""The entry point of the `tether` command."""

from __future__ import annotations

import sys
from importlib import import_module

INTERRUPTED = 130
"""For Ctrl-C during the import; later `tether.app.cli` handles it."""

MISSING = "The command needs {name}, which is not installed: pip install tether"


def main() -> None:
    """Run the command line, or name the package that it needs; `--version` needs none."""
    try:
        import_module("tether.app.cli").cli.main(prog_name="tether")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "tether":
            raise
        if sys.argv[1:] != ["--version"]:
            sys.exit(MISSING.format(name=missing.name))
        print(f"tether, version {import_module('tether').__version__}")
