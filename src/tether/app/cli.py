"""The root of the command line. A command's module is imported when the command is used."""

from __future__ import annotations

from importlib import import_module

import click
from click.shell_completion import CompletionItem

from tether.app.printing import told
from tether.core.errors import Aborted, InvalidInput, TetherError

COMMANDS = {
    "ask": ("tether.app.commands.ask", "Answer a question from documents."),
    "chat": ("tether.app.commands.chat", "Ask one question after the other."),
    "index": ("tether.app.commands.index", "Keep an index in step with documents."),
    "search": ("tether.app.commands.search", "Find the passages that answer a question."),
    "calibrate": (
        "tether.app.commands.calibrate",
        "Fit the floor of what is answered.",
    ),
    "verify": ("tether.app.commands.verify", "Check answers against today's documents."),
    "prompt": ("tether.app.commands.prompt", "Show the exact prompt of a past turn."),
    "gates": ("tether.app.commands.gates", "Decide what waits for a person."),
    "memory": ("tether.app.commands.memory", "See and change what is remembered."),
    "eval": ("tether.app.commands.evaluate", "Measure on labelled or recorded questions."),
    "config": ("tether.app.commands.config", "Show the settings and where they come from."),
    "doctor": ("tether.app.commands.doctor", "Look for what is missing or broken."),
    "completion": ("tether.app.commands.completion", "Print the completion of a shell."),
}
"""Where each command lives, and what the help says of it without importing it."""

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_INTERRUPTED = 130
"""What a shell expects of a program that Ctrl-C ended: 128 and the signal's number."""


class LateGroup(click.Group):
    """Lists commands by name and imports one when it is called, so that `--help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table alone."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names from the table alone: importing every command takes too long for a key."""
        names = [
            CompletionItem(name, help=text)
            for name, (_, text) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> object:
        """Run; an error of ours is told in one line, with its code and what to do about it.

        Ctrl-C ends every command with 130.
        """
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, Aborted):
            click.echo("Interrupted.", err=True)
            raise SystemExit(EXIT_INTERRUPTED) from None
        except InvalidInput as error:
            raise Told(error, EXIT_USAGE) from error
        except TetherError as error:
            raise Told(error, EXIT_FAILED) from error


class Told(click.ClickException):
    """An error of ours, as the shell sees it."""

    def __init__(self, error: TetherError, code: int) -> None:
        super().__init__(told(error))
        self.exit_code = code  # type: ignore[misc]  # click's own subclasses set it too


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tether", prog_name="tether")
def cli() -> None:
    """Answers from documents that quote their source, or say that they cannot."""
