"""`tether verify`: past answers against the present documents, without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tether.app.cli import EXIT_FAILED
from tether.app.display import error_line, one_line
from tether.app.options import as_json, index_place
from tether.app.receipt_index import Freshness, fresh_index
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verified:
    """A receipt in a file, what became of its quotes, and how fresh the documents are."""

    path: Path
    found: Verification
    freshness: Freshness

    @property
    def holds(self) -> bool:
        """Whether every quote is in the documents as they are now."""
        return self.found.holds and not self.freshness.unread


@click.command("verify")
@click.argument("receipts", nargs=-1, required=True, metavar="RECEIPT...", type=Path)
@index_place
@as_json
def command(*, receipts: Sequence[Path], index: str | None, as_json: bool) -> None:
    """Look for every quote of the answers in RECEIPT... in the documents as they are now.

    The index that a receipt names is brought in step with the sources of the quotes first. A quote
    counts with its lead-in: the header of a table, the line above a list. Exits with 0 if every
    quote is still in its document, 1 if one is gone or the documents cannot be read, and 2 if a
    receipt cannot be read or was changed.
    """
    try:
        read = [(path, read_receipt(path)) for path in receipts]
    except ReceiptUnreadable as error:
        raise click.UsageError(error_line(error)) from error
    found = [_verified(path, receipt, index) for path, receipt in read]
    if as_json:
        click.echo(json.dumps([_form(one) for one in found]))
    else:
        click.echo("\n".join(line for one in found for line in _lines(one)))
    if not all(one.holds for one in found):
        raise SystemExit(EXIT_FAILED)


def _verified(path: Path, receipt: Receipt, given: str | None) -> _Verified:
    kept, freshness = fresh_index(receipt, given)
    with kept.snapshot() as snapshot:
        found = verify(receipt, IndexLibrary(snapshot, Retriever(index=snapshot)))
    return _Verified(path=path, found=found, freshness=freshness)


def _lines(one: _Verified) -> Iterator[str]:
    found = one.found
    yield f"{one_line(str(one.path))}: {_overall(one)}"
    yield from (f"    {one_line(why)}" for why in one.freshness.unread)
    yield f"    {one_line(found.answer.question)}"
    before = "when it was last read: " if one.freshness.unread else ""
    for checked in found.checked:
        cited = checked.citation
        yield f"    [{cited.number}] {before}{_said(checked)}: {one_line(cited.link)}"
        yield f'        "{one_line(cited.reading or cited.quote)}"'


def _said(one: Checked) -> str:
    lost_lead = one.standing == "source-changed" and one.start >= 0
    return NO_LEAD if lost_lead else SAID[one.standing]


def _overall(one: _Verified) -> str:
    found = one.found
    if not found.checked:
        return "nothing was cited, so there is nothing to check"
    if one.freshness.unread:
        return "not verified; the documents cannot be read now"
    if found.same_corpus and found.holds and one.freshness.is_complete:
        return "still true; the documents have not changed at all"
    if found.holds:
        return "still true; every quote is in its document"
    gone = sum(one.standing in ("source-changed", "source-gone") for one in found.checked)
    return f"no longer backed; {gone} of {len(found.checked)} quotes are gone"


def _form(one: _Verified) -> dict[str, Any]:
    found = one.found
    return {
        "receipt": str(one.path),
        "turn": found.answer.id,
        "holds": one.holds,
        "same_corpus": found.same_corpus and one.freshness.is_complete,
        "unread": list(one.freshness.unread),
        "citations": [_checked_form(checked) for checked in found.checked],
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
