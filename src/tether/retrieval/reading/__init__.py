"""Reads documents in separate processes, so that no file can hang or crash the rest."""
