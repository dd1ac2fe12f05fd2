"""A group of commands that lists by itself."""

from __future__ import annotations

import click


class ListingGroup(click.Group):
    """A group whose command `list` runs where no other is named: `tether logs --json`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with `list` in front of options alone."""
        helps = ctx.help_option_names
        if not args or (args[0][:1] == "-" and args[0] not in helps):
            args = ["list", *args]
        return super().parse_args(ctx, args)
