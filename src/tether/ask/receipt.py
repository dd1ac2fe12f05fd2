"""A receipt: an answer as a file that can be checked against the documents again later."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, cast, get_args
from uuid import uuid4

from tether.ask.answer import Answer, Citation, Statement, Words
from tether.ask.citations.projections import statement_forms
from tether.ask.errors import ReceiptUnreadable
from tether.ask.library import Library
from tether.core.errors import InputRefused
from tether.core.plain_data import canonical_json, parse_json_object

FORMAT = 1

MARK = "tether_receipt"
"""The key that makes a file a receipt; its value is the format's version."""

MOST_BYTES = 20_000_000

_KINDS = {"int": int, "str": str}
WORDS: tuple[Words, ...] = get_args(Words)

Standing = Literal["still-true", "moved", "source-changed", "source-gone"]
"""The quote with its lead-in is where it was; elsewhere in its document; one of them is no longer
there; the document is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The content of a receipt: the answer, and the whole JSON form of the file."""

    answer: Answer
    form: Mapping[str, Any]

    @property
    def place(self) -> str:
        """The name or the folder of its index; "" in the receipts of older versions."""
        found = self.form.get("index")
        place = cast("Mapping[str, Any]", found).get("place") if isinstance(found, dict) else ""
        return place if isinstance(place, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One citation against today's document.

    `start` and `lead_start` are where the quote and its lead-in are now, -1 if nowhere. A lead-in
    counts only above its quote.
    """

    citation: Citation
    standing: Standing
    start: int
    lead_start: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The state of an answer's sources. `same_corpus` holds where no document changed by a byte.

    It is about the quotes and their lead-ins alone: whether they still answer the question is not
    checked again.
    """

    answer: Answer
    checked: tuple[Checked, ...]
    same_corpus: bool

    @property
    def holds(self) -> bool:
        """Whether every quote is still in its document, with its lead-in."""
        return all(one.standing in ("still-true", "moved") for one in self.checked)


def receipt_of(
    answer: Answer,
    library: Library,
    *,
    prompt: str = "",
    reviews: Sequence[Mapping[str, Any]] = (),
    verifier: str = "",
    place: str = "",
    now: datetime | None = None,
) -> dict[str, Any]:
    """Return the JSON form of a receipt.

    `prompt` is the exact prompt of the accepted attempt, of which only the hash is kept; `reviews`
    are the verdicts of the checks, in order, each with its statements; `verifier` is the
    fingerprint of the one that read them; `place` is the name or the folder of the index, by which
    it is found again. The checksum over all of it finds accidents and careless changes. It is not a
    signature: anyone who can write the file can write the checksum.
    """
    form: dict[str, Any] = {
        MARK: FORMAT,
        "written_at": (now or datetime.now(UTC)).isoformat(),
        "answer": answer.to_json(),
        "index": {"generation": answer.generation, "corpus": answer.corpus, "place": place},
        "model": answer.model,
        "prompt": {"sha256": _hash(prompt) if prompt else "", "characters": len(prompt)},
        "verifier": verifier,
        "statements": statement_forms(answer),
        "citations": [_evidence(citation, library) for citation in answer.citations],
        "ledger": None if answer.ledger is None else dict(answer.ledger),
        "reviews": [dict(review) for review in reviews],
    }
    # A form that went through JSON has lists for tuples: only that one has a lasting checksum.
    plain = parse_json_object(canonical_json(form))
    return {**plain, "checksum": _checksum(plain)}


def write_receipt(path: Path, form: Mapping[str, Any]) -> None:
    """Write a receipt so that the file is the old one or the whole new one at any moment.

    Only its owner may read it, whatever the umask: it contains the question and the answer. Raises
    `InputRefused` where the place cannot be written.
    """
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        _write(draft, canonical_json(form).encode() + b"\n")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        reason = error.strerror or type(error).__name__
        raise InputRefused(f"the receipt cannot be written to {path}: {reason}") from error


def read_receipt(path: Path) -> Receipt:
    """Return the receipt in a file; raises `ReceiptUnreadable` where it is not a valid one."""
    form = _form(path)
    if form.get(MARK) != FORMAT:
        known = f"this version reads receipts of format {FORMAT}"
        said = f"has format {form[MARK]!r}; {known}" if MARK in form else "is not a receipt"
        raise ReceiptUnreadable(f"{path} {said}; `tether ask --receipt FILE` writes one")
    rest = {name: value for name, value in form.items() if name != "checksum"}
    if form.get("checksum") != _checksum(rest):
        raise ReceiptUnreadable(f"{path} was changed since it was written: its checksum is wrong")
    try:
        answer = Answer.from_json(form["answer"])
        _refuse_odd_fields(answer)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ReceiptUnreadable(f"{path} contains no readable answer") from error
    return Receipt(answer=answer, form=form)


def verify(receipt: Receipt, library: Library) -> Verification:
    """Look for every quote of an answer in the documents as they are now. Blocks; uses no model."""
    answer = receipt.answer
    return Verification(
        answer=answer,
        checked=tuple(_checked(citation, library) for citation in answer.citations),
        same_corpus=answer.corpus == library.corpus,
    )


def _form(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ReceiptUnreadable(f"{path} cannot be read: {reason}") from error
    if len(data) > MOST_BYTES:
        raise ReceiptUnreadable(f"{path} is larger than any receipt: over {MOST_BYTES} bytes")
    try:
        return parse_json_object(data.decode())
    except ValueError as error:
        raise ReceiptUnreadable(f"{path} is not a receipt: {error}") from error


def _refuse_odd_fields(answer: Answer) -> None:
    """Raise `TypeError` for fields of other types: the file may come from anybody."""
    texts = (answer.id, answer.question, answer.text, answer.corpus, answer.model)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a text of the answer is something else")
    for citation in answer.citations:
        for field in fields(citation):
            # An annotation is text here: "int" or "str".
            if type(getattr(citation, field.name)) is not _KINDS[str(field.type)]:
                raise TypeError(f"{field.name} of a citation is something else")
    if not all(_is_sound(one, len(answer.citations)) for one in answer.statements):
        raise TypeError("a statement is something else")


def _is_sound(one: Statement, citations: int) -> bool:
    """Say whether a statement has values of its types, and one of the citations."""
    whole = [type(value) is int for value in (one.start, one.end, one.citation)]
    is_number = type(one.probability) in (int, float) and 0 <= one.probability <= 1
    return all(whole) and is_number and one.words in WORDS and 0 <= one.citation < citations


def _evidence(citation: Citation, library: Library) -> dict[str, Any]:
    places = [(citation.document, citation.chunk)]
    texts = [chunk.text for chunk in library.chunks(places)]
    return {
        "number": citation.number,
        "document": citation.document,
        "version": citation.version,
        "start": citation.start,
        "end": citation.end,
        "quote_sha256": _hash(citation.quote),
        "lead_start": citation.lead_start,
        "lead_end": citation.lead_end,
        "lead_sha256": _hash(citation.lead) if citation.lead else "",
        "chunk": citation.chunk,
        "chunk_sha256": _hash(texts[0]) if texts else "",
    }


def _write(path: Path, data: bytes) -> None:
    with open(path, "xb", opener=_private) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _checksum(form: Mapping[str, Any]) -> str:
    return _hash(canonical_json(form))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _checked(citation: Citation, library: Library) -> Checked:
    text = library.text(citation.document)
    if text is None:
        return Checked(citation=citation, standing="source-gone", start=-1)
    place = _place(citation, text)
    start, lead = place
    standing: Standing = "moved"
    if start < 0 or (citation.lead and lead < 0):
        standing = "source-changed"
    elif place == (citation.start, citation.lead_start if citation.lead else -1):
        standing = "still-true"
    return Checked(citation=citation, standing=standing, start=start, lead_start=lead)


def _place(citation: Citation, text: str) -> tuple[int, int]:
    """Return where a quote is and where its lead-in is above it, each -1 if nowhere.

    That is where they were, or else the first place of the quote below its lead-in, or without one.
    Linear in the text, because a receipt may come from anybody.
    """
    quote, lead = citation.quote, citation.lead
    if not quote:
        return -1, -1
    start = citation.start if _is_at(text, quote, citation.start) else text.find(quote)
    if not lead:
        return start, -1
    if citation.lead_start < start and _is_at(text, lead, citation.lead_start):
        return start, citation.lead_start
    first = text.find(lead)
    if 0 <= first < start:
        return start, text.rfind(lead, 0, start)
    below = text.find(quote, first) if first >= 0 else -1
    return (start, -1) if below < 0 else (below, text.rfind(lead, 0, below))


def _is_at(text: str, wanted: str, start: int) -> bool:
    return start >= 0 and text.startswith(wanted, start)
