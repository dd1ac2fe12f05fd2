"""Pointing: a model names the numbers of the units that answer, and code quotes them."""
