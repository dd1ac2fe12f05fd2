"""Merge lists of the public byte-pair encodings, written by ``scripts/build_vocabularies.py``."""
