"""Verification: whether a quote says what a statement says."""
