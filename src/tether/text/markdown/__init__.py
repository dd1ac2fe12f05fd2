"""Markdown: marks of blocks, inline text with its places, link targets, reading line by line."""
