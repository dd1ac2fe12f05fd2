"""Grounded retrieval: read documents, index them, and find what answers a question or say no."""
