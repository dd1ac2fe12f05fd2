"""Fits the prior of the floor on several corpora, and measures it on each with the others."""
