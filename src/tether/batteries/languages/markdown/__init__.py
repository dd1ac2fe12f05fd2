"""Markdown, read line by line."""
