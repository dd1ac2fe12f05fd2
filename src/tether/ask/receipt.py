"""A receipt: an answer as a file that can be checked against the documents again later."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from tether.ask.answer import Answer, Citation
from tether.ask.errors import ReceiptUnreadable
from tether.ask.library import Library
from tether.core.errors import InputRefused
from tether.core.plain_data import canonical_json, parse_json_object

FORMAT = 1

MARK = "tether_receipt"
"""The key that makes a file a receipt; its value is the format's version."""

MOST_BYTES = 20_000_000

_KINDS = {"int": int, "str": str}

Standing = Literal["still-true", "moved", "source-changed", "source-gone"]
"""The quote is where it was; elsewhere in its document; no longer there; its document is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The content of a receipt: the answer, and the whole JSON form of the file."""

    answer: Answer
    form: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One citation against today's document. `start` is where the quote is now, -1 if nowhere."""

    citation: Citation
    standing: Standing
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The state of an answer's sources. `same_corpus` holds where no document changed by a byte.

    It is about the quotes alone: whether they still answer the question is not checked again.
    """

    answer: Answer
    checked: tuple[Checked, ...]
    same_corpus: bool

    @property
    def holds(self) -> bool:
        """Whether every quote is still in its document."""
        return all(one.standing in ("still-true", "moved") for one in self.checked)


def receipt_of(
    answer: Answer,
    library: Library,
    *,
    prompt: str = "",
    reviews: Sequence[Mapping[str, Any]] = (),
    now: datetime | None = None,
) -> dict[str, Any]:
    """Return the JSON form of a receipt.

    `prompt` is the exact prompt of the accepted attempt, of which only the hash is kept; `reviews`
    are the verdicts of the checks, in order. The checksum over all of it finds accidents and
    careless changes. It is not a signature: anyone who can write the file can write the checksum.
    """
    form: dict[str, Any] = {
        MARK: FORMAT,
        "written_at": (now or datetime.now(UTC)).isoformat(),
        "answer": answer.to_json(),
        "index": {"generation": answer.generation, "corpus": answer.corpus},
        "model": answer.model,
        "prompt": {"sha256": _hash(prompt) if prompt else "", "characters": len(prompt)},
        "citations": [_evidence(citation, library) for citation in answer.citations],
        "ledger": None if answer.ledger is None else dict(answer.ledger),
        "reviews": [dict(review) for review in reviews],
    }
    # A form that went through JSON has lists for tuples: only that one has a lasting checksum.
    plain = parse_json_object(canonical_json(form))
    return {**plain, "checksum": _checksum(plain)}


def write_receipt(path: Path, form: Mapping[str, Any]) -> None:
    """Write a receipt so that the file is the old one or the whole new one at any moment.

    Raises `InputRefused` where the place cannot be written.
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
        "chunk": citation.chunk,
        "chunk_sha256": _hash(texts[0]) if texts else "",
    }


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _checksum(form: Mapping[str, Any]) -> str:
    return _hash(canonical_json(form))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _checked(citation: Citation, library: Library) -> Checked:
    text = library.text(citation.document)
    if text is None:
        return Checked(citation=citation, standing="source-gone", start=-1)
    start = max(citation.start, 0)
    if citation.quote and text.startswith(citation.quote, start):
        return Checked(citation=citation, standing="still-true", start=start)
    place = text.find(citation.quote) if citation.quote else -1
    standing: Standing = "source-changed" if place < 0 else "moved"
    return Checked(citation=citation, standing=standing, start=place)
