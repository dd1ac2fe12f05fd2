"""The entry point of the `tether` command."""

from __future__ import annotations

import sys
from importlib import import_module

INTERRUPTED = 130
"""Before there is a command line, too; afterwards `tether.app.cli` sees to it."""

MISSING = "The command needs {name}, which is not installed: pip install 'tether[ask]'"


def main() -> None:
    """Run the command line; say what to install where it cannot run."""
    try:
        import_module("tether.app.cli").cli.main(prog_name="tether")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "tether":
            raise
        sys.exit(MISSING.format(name=missing.name))
