"""Makes docs/recording.svg: real commands in a real pseudo-terminal, drawn as they were printed.

    python scripts/record.py

The commands run in the project's folder with the index of its own documentation, as `make ask`
leaves it. Nothing is edited afterwards; only the time between two lines is lost.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pexpect
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "recording.svg"
WIDTH, HEIGHT = 104, 60
_CONTROL = re.compile(r"(\n|\r|\x1b\[1A|\x1b\[2K|\x1b\[\?25[lh])")
COMMANDS = (
    'tether ask "What is a gate?" --docs docs',
    'tether ask "When does it expire?" --docs docs --continue',
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
        env=environment,
        dimensions=(HEIGHT, WIDTH),
        timeout=600,
        encoding="utf-8",
    )
    child.expect(pexpect.EOF)
    child.close()
    shown = Text.from_ansi(final_screen(child.before or ""))
    return Text.assemble(("$ ", "bold green"), (command, "bold"), "\n", shown)


def final_screen(output: str) -> str:
    """Return what is left on the screen: lines that were erased and drawn again count once.

    Of the controls only those are read that the progress display uses: back to the start of the
    line, one line up, erase the line. Colours stay in the text.
    """
    lines, row = [""], 0
    for piece in _CONTROL.split(output.replace("\r\n", "\n")):
        if piece == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif piece == "\x1b[1A":
            row = max(row - 1, 0)
        elif piece == "\x1b[2K":
            lines[row] = ""
        elif not _CONTROL.fullmatch(piece):
            lines[row] += piece
    return "\n".join(lines).rstrip()


def main() -> None:
    """Record the commands and write the picture."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        for command in COMMANDS:
            console.print(recorded(command), "", sep="\n")
        TARGET.write_text(console.export_svg(title="tether ask"), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")


if __name__ == "__main__":
    main()
