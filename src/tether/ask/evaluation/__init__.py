"""Measuring whole answers on recorded questions: verdicts, citations, quotes, retries, time."""
