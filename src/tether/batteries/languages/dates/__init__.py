"""Dates, times and durations, as ISO 8601 and as people write them."""
