"""`tether completion`: the script with which a shell completes commands and flags."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

HOW = {
    "bash": 'Put this into ~/.bashrc: eval "$(tether completion bash)"',
    "zsh": 'Put this into ~/.zshrc: eval "$(tether completion zsh)"',
    "fish": "Put this into ~/.config/fish/completions/tether.fish: tether completion fish | source",
}


SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


@click.command("completion", epilog="\b\n" + "\n".join(HOW.values()))
@click.argument("shell", type=click.Choice(list(SHELLS)))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that completes `tether` in SHELL."""
    root = context.find_root().command
    click.echo(SHELLS[shell](root, {}, "tether", "_TETHER_COMPLETE").source())
