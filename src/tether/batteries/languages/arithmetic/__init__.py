"""Arithmetic: expressions, formulas, and samples of numbers, reckoned with exactly."""
