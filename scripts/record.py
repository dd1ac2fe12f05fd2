"""Makes docs/recording.svg: real commands in a real pseudo-terminal, drawn as they were printed.

    python scripts/record.py

The commands run in the project's folder with the index of its own documentation, as `make ask`
leaves it. Nothing is edited afterwards; only the time between two lines is lost.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pexpect
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "recording.svg"
WIDTH, HEIGHT = 104, 60
COMMANDS = (
    'tether ask "When does the dispatch loop end?" --docs docs',
    'tether ask "And what is an abort?" --docs docs --continue',
    'tether ask "How do I cook lentil soup?" --docs docs',
)


def recorded(command: str) -> Text:
    """Run one command in a terminal; return what the screen shows at its end."""
    name, *arguments = shlex.split(command)
    environment = os.environ | {"COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    child = pexpect.spawn(
        str(ROOT / ".venv" / "bin" / name),
        arguments,
        cwd=str(ROOT),
        env=environment,  # type: ignore[arg-type]  # an environment is one, whatever its class
        dimensions=(HEIGHT, WIDTH),
        timeout=600,
        encoding="utf-8",
    )
    child.expect(pexpect.EOF)
    child.close()
    shown = Text.from_ansi(final_screen(child.before or ""))
    return Text.assemble(("$ ", "bold green"), (command, "bold"), "\n", shown)


def final_screen(output: str) -> str:
    """Return the lines that are left when redrawn ones are overwritten, as on a terminal."""
    lines = output.replace("\r\n", "\n").split("\n")
    return "\n".join(_line(line) for line in lines if _line(line).strip() or not line.strip())


def _line(line: str) -> str:
    last = line.rsplit("\r", 1)[-1]
    for erase in ("\x1b[2K", "\x1b[1A", "\x1b[?25l", "\x1b[?25h", "\x1b[K"):
        last = last.replace(erase, "")
    return last


def main() -> None:
    """Record the commands and write the picture."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        for command in COMMANDS:
            console.print(recorded(command), soft_wrap=False)
        TARGET.write_text(console.export_svg(title="tether ask"), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")


if __name__ == "__main__":
    main()
