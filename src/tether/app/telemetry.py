"""The telemetry of the settings."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from tether.app.settings.remote import RemoteTelemetry
from tether.batteries.telemetry import Telemetry
from tether.core.errors import InputRefused


@contextmanager
def exporting(remote: RemoteTelemetry) -> Generator[Telemetry | None]:
    """Yield what reports turns to the collector of the settings; None if they name none.

    Raises `InputRefused` for a missing package.
    """
    if not remote.url:
        yield None
        return
    try:
        from tether.batteries.telemetry.export import exported  # noqa: PLC0415  # loads an SDK
    except ModuleNotFoundError as error:
        message = f"telemetry needs {error.name}: pip install 'tether[otel]'"
        raise InputRefused(message) from error
    with exported(remote.url, capture_content=remote.content) as telemetry:
        yield telemetry
