"""Passages assembled for a prompt: within a budget, with citations, and each text once."""
