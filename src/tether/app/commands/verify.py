"""`tether verify`: past answers against the present documents, without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from tether.app.cli import EXIT_FAILED
from tether.app.display import error_line, one_line
from tether.app.options import as_json, index_folder
from tether.app.search import open_index
from tether.ask.errors import ReceiptUnreadable
from tether.ask.library import IndexLibrary
from tether.ask.receipt import Checked, Receipt, Standing, Verification, read_receipt, verify
from tether.retrieval.search.retriever import Retriever

SAID: dict[Standing, str] = {
    "still-true": "still true",
    "moved": "moved, still in its document",
    "source-changed": "source changed, the quote is gone",
    "source-gone": "source gone",
}
NO_LEAD = "source changed, the lead-in of the quote is gone"


@click.command("verify")
@click.argument("receipts", nargs=-1, required=True, metavar="RECEIPT...", type=Path)
@index_folder
@as_json
def command(*, receipts: Sequence[Path], index: Path, as_json: bool) -> None:
    """Look for every quote of the answers in RECEIPT... in the index as it is now.

    A quote counts with its lead-in: the header of a table, the line above a list. Exits with 0 if
    every quote is still in its document, 1 if one is gone, and 2 if a receipt cannot be read or was
    changed.
    """
    try:
        read = [(path, read_receipt(path)) for path in receipts]
    except ReceiptUnreadable as error:
        raise click.UsageError(error_line(error)) from error
    found = _verified(index, read)
    if as_json:
        click.echo(json.dumps([_form(path, one) for path, one in found]))
    else:
        click.echo("\n".join(line for path, one in found for line in _lines(path, one)))
    if not all(one.holds for _, one in found):
        raise SystemExit(EXIT_FAILED)


def _verified(index: Path, read: Sequence[tuple[Path, Receipt]]) -> list[tuple[Path, Verification]]:
    with open_index(index).snapshot() as snapshot:
        library = IndexLibrary(snapshot, Retriever(index=snapshot))
        return [(path, verify(receipt, library)) for path, receipt in read]


def _lines(path: Path, found: Verification) -> Iterator[str]:
    yield f"{one_line(str(path))}: {_overall(found)}"
    yield f"    {one_line(found.answer.question)}"
    for one in found.checked:
        cited = one.citation
        yield f"    [{cited.number}] {_said(one)}: {one_line(cited.link)}"
        yield f'        "{one_line(cited.reading or cited.quote)}"'


def _said(one: Checked) -> str:
    lost_lead = one.standing == "source-changed" and one.start >= 0
    return NO_LEAD if lost_lead else SAID[one.standing]


def _overall(found: Verification) -> str:
    if not found.checked:
        return "nothing was cited, so there is nothing to check"
    if found.same_corpus and found.holds:
        return "still true; the documents have not changed at all"
    if found.holds:
        return "still true; every quote is in its document"
    gone = sum(one.standing in ("source-changed", "source-gone") for one in found.checked)
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
        "lead": citation.lead,
        "lead_start": one.lead_start,
    }
