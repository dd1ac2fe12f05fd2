"""Questions on a command line, also without quotation marks around them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import click

from tether.app.display import one_line

OPENINGS = (
    *("are", "can", "could", "did", "do", "does", "how", "is", "may", "must", "should"),
    *("what", "when", "where", "which", "who", "why", "will"),
)
"""Words that a question begins with, and no command."""


@dataclass(frozen=True, slots=True)
class _Token:
    """An argument as it was typed; `is_flag` for a known option without a value."""

    text: str
    is_option: bool = False
    is_known: bool = False
    is_flag: bool = False


class QuestionCommand(click.Command):
    """A command whose arguments are the words of a question.

    An option between two words is refused, because nobody can tell whether it belongs to the
    question; a flag after the last word is an option, and standard error says so.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raises `click.UsageError` that says where quotation marks belong."""
        tokens = _tokens(self, ctx, args)
        words = [place for place, token in enumerate(tokens) if not token.is_option]
        is_quoted = any(" " in tokens[place].text for place in words)
        if len(words) < 2 or is_quoted or ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        question, after = tokens[words[0] : words[-1] + 1], tokens[words[-1] + 1 :]
        text = one_line(" ".join(token.text for token in question))
        advice = f'put quotation marks around the question: tether {self.name} "{text}"'
        inside = [token.text for token in question if token.is_known]
        if inside:
            problem = f"{one_line(inside[0])} stands inside the question. If it belongs to it"
            raise click.UsageError(f"{problem}, {advice}", ctx)
        if after and after[0].is_flag:
            told = f"Note: {one_line(after[0].text)} is taken as an option. If it belongs to the"
            click.echo(f"{told} question, put quotation marks around all of it.", err=True)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = f"{error.format_message()} If it belongs to the question"
            raise click.UsageError(f"{known}, {advice}", ctx) from error


def joined(words: Sequence[str]) -> str:
    """Return the words of a question as one text; bytes that are not UTF-8 are replaced."""
    # Arguments that are not UTF-8 arrive as lone surrogates.
    return os.fsencode(" ".join(words)).decode("utf-8", "replace")


def advice_about(name: str, words: Sequence[str], commands: Sequence[str]) -> str:
    """Return what somebody probably meant with a command that does not exist; "" if unknown."""
    near = get_close_matches(name.lower(), commands, n=1)
    is_question = " " in name.strip() or (name.lower() in OPENINGS and bool(words))
    if is_question:
        return f'To ask a question: tether ask "{one_line(" ".join((name, *words)))}"'
    return f"Did you mean '{near[0]}'?" if near else ""


def _tokens(command: click.Command, ctx: click.Context, args: Sequence[str]) -> list[_Token]:
    """Return the arguments in order; the value of an option is not among them."""
    options = {
        name: option
        for option in command.get_params(ctx)
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    found: list[_Token] = []
    waiting = list(args)
    while waiting:
        text = waiting.pop(0)
        if text == "--":
            return [*found, *map(_Token, waiting)]
        if text[:1] != "-" or text == "-":
            found.append(_Token(text))
            continue
        option = options.get(text.partition("=")[0])
        is_known, is_flag = option is not None, option is not None and option.is_flag
        found.append(_Token(text, is_option=True, is_known=is_known, is_flag=is_flag))
        if is_known and not is_flag and "=" not in text:
            waiting[:1] = []
    return found
