"""The dense lane: texts as vectors, and the nearest of them."""
