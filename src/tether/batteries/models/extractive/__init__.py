"""Answers by quotation: an executor that is not a language model."""

from tether.batteries.models.extractive.extraction import Extraction, Paragraph, Quote, extract
from tether.batteries.models.extractive.extractive import Extractive
from tether.batteries.models.extractive.inlines import shown

__all__ = ["Extraction", "Extractive", "Paragraph", "Quote", "extract", "shown"]
