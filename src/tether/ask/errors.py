"""Errors of the documents agent and its evaluation."""

from __future__ import annotations

from tether.core.errors import InvalidInput, RunError


class InvalidAskSettings(InvalidInput):
    """Settings of an ask turn do not fit together."""

    default_code = "E_INVALID_ASK_SETTINGS"
    subject = "settings of an ask turn"


class InvalidSettings(InvalidInput):
    """A configuration file, a variable or a flag has an unknown setting or a wrong value."""

    default_code = "E_INVALID_SETTINGS"
    subject = "settings"


class ReceiptUnreadable(RunError):
    """A file is not the receipt of an answer, or was changed since."""

    default_code = "E_RECEIPT_UNREADABLE"
    default_status = 422


class VerifierFailed(RunError):
    """The verifier could not read a statement and its quote."""

    default_code = "E_VERIFIER_FAILED"
    default_status = 502
    default_retryable = True
