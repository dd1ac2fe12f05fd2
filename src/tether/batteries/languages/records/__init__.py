"""Rows, columns and settings: CSV and its relatives, YAML, lines of keys and values."""
