"""The root of the command line. A command's module is imported when the command is used."""

from __future__ import annotations

from importlib import import_module
from typing import IO, Any

import click
from click.shell_completion import CompletionItem

from tether.app.display import error_line, one_line
from tether.app.question_words import advice_about
from tether.core.errors import Aborted, InvalidInput, TetherError

COMMANDS = {
    "ask": ("tether.app.commands.ask", "Answer a question from documents."),
    "chat": ("tether.app.commands.chat", "Ask one question after another."),
    "index": ("tether.app.commands.index", "Keep an index in step with documents."),
    "search": ("tether.app.commands.search", "Find the passages that answer a question."),
    "calibrate": (
        "tether.app.commands.calibrate",
        "Fit the floor below which nothing is answered.",
    ),
    "verify": ("tether.app.commands.verify", "Check answers against today's documents."),
    "logs": ("tether.app.commands.logs", "See past turns with their verdicts and sources."),
    "conversations": (
        "tether.app.commands.conversations",
        "List, search, show, export, rename and delete conversations.",
    ),
    "prompt": ("tether.app.commands.prompt", "Show the exact prompt of a past turn."),
    "gates": ("tether.app.commands.gates", "Decide about calls that wait for a person."),
    "memory": ("tether.app.commands.memory", "See and change memories and instructions."),
    "eval": ("tether.app.commands.evaluate", "Measure on labelled or recorded questions."),
    "keys": ("tether.app.commands.keys", "Keep the keys of services for yourself."),
    "config": ("tether.app.commands.config", "Show the settings and where they come from."),
    "trust": ("tether.app.commands.trust", "Let a project reach outside its folder."),
    "doctor": ("tether.app.commands.doctor", "Find missing or broken parts."),
    "completion": ("tether.app.commands.completion", "Print the completion script of a shell."),
}
"""The module of each command, and its line in the help, shown without importing it."""

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_REFUSED = 3
EXIT_INTERRUPTED = 130
"""The code that shells expect after Ctrl-C: 128 plus the number of the signal."""


class LateGroup(click.Group):
    """Lists commands by name and imports one when it is used, so that `--help` is quick."""

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; raises `click.UsageError` with what was probably meant."""
        name = args[0]
        if name not in COMMANDS and name[:1] != "-" and not ctx.resilient_parsing:
            advice = advice_about(name, args[1:], list(COMMANDS))
            raise click.UsageError(f"No such command '{one_line(name)}'. {advice}".rstrip(), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names from the table: importing every command takes too long for a key."""
        names = [
            CompletionItem(name, help=text)
            for name, (_, text) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; an error of this package becomes one line with its code and its help.

        Ctrl-C ends every command with 130.
        """
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, Aborted):
            click.echo("Interrupted.", err=True)
            raise SystemExit(EXIT_INTERRUPTED) from None
        except InvalidInput as error:
            raise CommandError(error, EXIT_USAGE) from error
        except TetherError as error:
            raise CommandError(error, EXIT_FAILED) from error


class CommandError(click.ClickException):
    """An error of this package, as the shell sees it."""

    def __init__(self, error: TetherError, code: int) -> None:
        super().__init__(error_line(error))
        self.exit_code = code  # type: ignore[misc]  # click's own subclasses set it too

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line on standard error; at a terminal it breaks between words."""
        del file
        from tether.app.terminal.screen import notify  # noqa: PLC0415  # loads many packages

        notify(f"Error: {self.format_message()}")


@click.group(cls=LateGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tether-kit", prog_name="tether")
def cli() -> None:
    """Answers from documents that quote their source, or say that they cannot."""
