"""Points in time, as callers write them and as records store them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

TimeInput = datetime | date | str | int | float
"""An aware or naive datetime, a date, ISO 8601 text, or milliseconds since 1970."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(value: object) -> datetime:
    """Return the aware datetime that `value` means; raises `ValueError` if it is not a time.

    A time without a zone is taken as UTC, never as the zone of the machine, so that a record reads
    the same everywhere.
    """
    match value:
        case datetime():
            return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        case bool():
            raise ValueError("must be a time, not a boolean")
        case int() | float():
            return _from_milliseconds(value)
        case str():
            return _from_iso(value)
        case _:
            raise ValueError(
                f"must be a datetime, ISO 8601 text or epoch milliseconds, not {value!r}"
            )


def _from_milliseconds(value: float) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=value)
    except (OverflowError, ValueError):
        raise ValueError(f"is not a representable time: {value!r} ms") from None


def _from_iso(value: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"is not an ISO 8601 time: {value!r}") from None
    return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
