"""Readers: bytes of a file become a `Document` with exact places, one module for each format."""
