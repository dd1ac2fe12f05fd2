"""The real model, for all tests in this folder."""

from __future__ import annotations

from support.local_engine import engine, smollm2, watch

__all__ = ["engine", "smollm2", "watch"]
