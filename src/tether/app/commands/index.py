"""`tether index`: keep an index in step with the documents it was made from."""

from __future__ import annotations

import click

from tether.app.commands.index_looking import check, plan, show, status
from tether.app.commands.index_watching import watch
from tether.app.commands.index_writing import apply, embed, migrate, rollback

command = click.Group(
    "index",
    help="Keep an index in step with documents: folders, files, sites, sitemaps, llms.txt.",
    commands=[plan, apply, embed, migrate, rollback, status, show, check, watch],
)
