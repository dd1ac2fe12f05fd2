"""The model: is its file there, does its endpoint answer?"""

from __future__ import annotations

import http.client
import os
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from tether.app.checkup.finding import Finding
from tether.app.models import model_of
from tether.app.settings.hiding import hidden
from tether.app.settings.values import EXTRACTIVE, Settings
from tether.core.errors import TetherError

PATIENCE = 5.0
"""Seconds for an endpoint to say anything."""


def model(settings: Settings, *, environ: Mapping[str, str] = os.environ) -> Finding:
    """Look at the model that the settings name; an endpoint is asked for nothing but a sign."""
    try:
        made = model_of(settings, environ=environ)
    except TetherError as error:
        return Finding("model", "problem", error.message, error.help)
    if settings.model == EXTRACTIVE:
        return Finding("model", "fine", "extractive: it quotes, and no language model is needed")
    if not settings.is_endpoint:
        return Finding("model", "fine", f"{settings.model}, {made.profile.window} tokens")
    answered = endpoint(settings)
    if answered.state != "fine" or made.profile.known or settings.window:
        return answered
    said = f"{answered.text}; nothing is known of {made.name}, and {made.profile.window} tokens"
    return Finding("model", "note", f"{said} are assumed", "Say how many it takes: window = N.")


def endpoint(settings: Settings) -> Finding:
    """Ask an endpoint for its list of models, without the key: any answer shows that it is there.

    The key stays here, because nothing of this is worth sending it.
    """
    place = hidden(settings.model)
    if settings.offline:
        return Finding("model", "fine", f"{place} was not asked, because of --offline")
    try:
        status = _status(settings.model)
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = str(error) or type(error).__name__
        advice = "Is the server running, and the address right (it ends in /v1 for most)?"
        return Finding("model", "problem", f"{place} does not answer: {why}", advice)
    if status >= 500:
        advice = "Look at the log of the server."
        return Finding("model", "problem", f"{place} answers with status {status}", advice)
    return Finding("model", "fine", f"{place} answers")


def _status(address: str) -> int:
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port
    made = http.client.HTTPConnection(host, port, timeout=PATIENCE)
    if parts.scheme.lower() == "https":
        context = ssl.create_default_context()
        made = http.client.HTTPSConnection(host, port, timeout=PATIENCE, context=context)
    try:
        made.request("GET", f"{parts.path.rstrip('/')}/models")
        return made.getresponse().status
    finally:
        made.close()
