"""Providers of passages: the index, the neighbours of its hits, the web; and their fused order."""
