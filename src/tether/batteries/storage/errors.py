"""Errors of stores and spools."""

from __future__ import annotations

from tether.core.errors import InvalidInput, RunError


class InvalidSpools(InvalidInput):
    """The settings of a spool store were refused."""

    default_code = "E_INVALID_SPOOLS"
    subject = "spool store"


class StoreFailed(RunError):
    """The store cannot be reached, is full, read-only or stays locked; no write was partial."""

    default_code = "E_STORE_FAILED"
    default_status = 503
    default_retryable = True


class StoreDamaged(RunError):
    """The store's file was damaged; `tether doctor` says how to recover it."""

    default_code = "E_STORE_DAMAGED"
    default_status = 500


class StoreFormatUnsupported(RunError):
    """The store was made by a newer version, or the file is not a store."""

    default_code = "E_STORE_FORMAT_UNSUPPORTED"
    default_status = 500


class RecordMissing(RunError):
    """There is no such conversation, memory, instruction or gate for this owner."""

    default_code = "E_RECORD_MISSING"
    default_status = 404


class MemoryRefused(RunError):
    """A memory or an instruction was refused: its source is not trusted, or at its limit."""

    default_code = "E_MEMORY_REFUSED"
    default_status = 403


class GateSettled(RunError):
    """A decision came too late: the gate was already settled, or had expired."""

    default_code = "E_GATE_SETTLED"
    default_status = 409
