"""Errors of access to the web."""

from __future__ import annotations

from tether.core.errors import InvalidInput


class InvalidWebAccess(InvalidInput):
    """The operator's settings for access to the web were refused."""

    default_code = "E_INVALID_WEB_ACCESS"
    subject = "web access"
