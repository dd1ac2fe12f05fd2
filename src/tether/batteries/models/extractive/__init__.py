"""Answers that are quotes: an executor without a language model."""
