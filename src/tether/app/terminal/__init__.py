"""Turns at a terminal: steps, answers, decisions and typed lines."""
