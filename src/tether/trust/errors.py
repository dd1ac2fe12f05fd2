"""Errors of the prompt renderer."""

from __future__ import annotations

from tether.core.errors import InvalidInput, UsageError


class InvalidRenderer(InvalidInput):
    """The settings or the steps of a prompt renderer were refused."""

    default_code = "E_INVALID_RENDERER"
    subject = "prompt renderer"


class UnsupportedMediaModality(UsageError):
    """The model's wire has no form for this kind of media, and the policy is `throw`."""

    default_code = "E_UNSUPPORTED_MEDIA_MODALITY"
    default_status = 422
