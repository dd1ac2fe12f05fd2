"""Answers by quotation: whole sentences of the passages, without a language model."""

from tether.ask.quoting.executor import Extractive
from tether.ask.quoting.extraction import Extraction, Paragraph, Quote, extract
from tether.ask.quoting.inlines import shown

__all__ = ["Extraction", "Extractive", "Paragraph", "Quote", "extract", "shown"]
