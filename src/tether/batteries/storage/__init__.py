"""Implementations of the storage contract."""
