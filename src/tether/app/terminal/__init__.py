"""Answers and what happens on the way to them, as a person at a terminal sees them."""
