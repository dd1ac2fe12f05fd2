"""How fast retrieval is, beside others that do the same, on a corpus that the caller names."""
