"""Fits the selector: the weights by which quotation chooses the units that it shows."""
