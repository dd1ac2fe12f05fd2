"""Declines: a model says in its own words that there is no answer."""
