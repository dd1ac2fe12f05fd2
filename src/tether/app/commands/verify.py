"""`tether verify`: answers of the past against the documents of today, without any model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from tether.app.cli import EXIT_FAILED
from tether.app.options import as_json
from tether.app.printing import told
from tether.app.settings import load_settings
from tether.app.terminal.answers import one_line
from tether.app.terminal.asking import looking_up
from tether.ask.receipt import Receipt, read_receipt
from tether.ask.verifying import Checked, Standing, Verification, verify
from tether.core.errors import ReceiptUnreadable

SAID: dict[Standing, str] = {
    "still-true": "still true",
    "moved": "moved, still in its document",
    "source-changed": "source changed, the quote is gone",
    "source-gone": "source gone",
}


@click.command("verify")
@click.argument("receipts", nargs=-1, required=True, metavar="RECEIPT...", type=Path)
@click.option("--index", metavar="FOLDER", help="The folder of the index.")
@as_json
def command(*, receipts: Sequence[Path], index: str | None, as_json: bool) -> None:
    """Look for every quote of the answers in RECEIPT... in the index as it is now.

    Exits with 0 where every quote is still in its document, 1 where one is gone, and 2 where a
    receipt cannot be read or was changed.
    """
    settings = load_settings({"index": index}, environ=os.environ, folder=Path.cwd()).settings
    try:
        read = [(path, read_receipt(path)) for path in receipts]
    except ReceiptUnreadable as error:
        raise click.UsageError(told(error)) from error
    found = _verified(settings.index, read)
    if as_json:
        click.echo(json.dumps([_form(path, one) for path, one in found]))
    else:
        click.echo("\n".join(line for path, one in found for line in _lines(path, one)))
    if not all(one.holds for _, one in found):
        raise SystemExit(EXIT_FAILED)


def _verified(index: Path, read: Sequence[tuple[Path, Receipt]]) -> list[tuple[Path, Verification]]:
    with looking_up(index) as library:
        return [(path, verify(receipt, library)) for path, receipt in read]


def _lines(path: Path, found: Verification) -> Iterator[str]:
    yield f"{one_line(str(path))}: {_overall(found)}"
    yield f"    {one_line(found.answer.question)}"
    for one in found.checked:
        quote = one_line(one.citation.quote)
        yield f"    [{one.citation.number}] {SAID[one.standing]}: {one_line(one.citation.link)}"
        yield f'        "{quote}"'


def _overall(found: Verification) -> str:
    if not found.checked:
        return "nothing was cited, so there is nothing to check"
    if found.same_corpus and found.holds:
        return "still true; the documents have not changed at all"
    if found.holds:
        return "still true; every quote is in its document"
    gone = sum(one.start < 0 for one in found.checked)
    return f"no longer backed; {gone} of {len(found.checked)} quotes are gone"


def _form(path: Path, found: Verification) -> dict[str, Any]:
    return {
        "receipt": str(path),
        "turn": found.answer.id,
        "holds": found.holds,
        "same_corpus": found.same_corpus,
        "citations": [_checked_form(one) for one in found.checked],
    }


def _checked_form(one: Checked) -> dict[str, Any]:
    citation = one.citation
    return {
        "number": citation.number,
        "document": citation.document,
        "link": citation.link,
        "quote": citation.quote,
        "standing": one.standing,
        "start": one.start,
    }
