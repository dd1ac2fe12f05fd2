"""Errors of the command line."""

from __future__ import annotations

from tether.core.errors import RunError


class OfflineRefused(RunError):
    """A connection that `--offline` does not allow was attempted."""

    default_code = "E_OFFLINE_REFUSED"
    default_status = 403


class ProjectUntrusted(RunError):
    """A project wants to read, write or connect outside its folder, or brings data along.

    The message names everything that it wants. Nothing of it has happened.
    """

    default_code = "E_PROJECT_UNTRUSTED"
    default_status = 403
