"""Answers by quotation: whole units of the passages, without a language model."""
