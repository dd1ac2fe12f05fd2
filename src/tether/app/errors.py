"""Errors of the command line."""

from __future__ import annotations

from tether.core.errors import RunError


class OfflineRefused(RunError):
    """A connection that `--offline` does not allow was attempted."""

    default_code = "E_OFFLINE_REFUSED"
    default_status = 403
