"""Exact arithmetic: expressions, LaTeX formulas, and statistics of lists of numbers."""
