"""Whether what was found suffices: a small model fitted to one index, and its honest rates."""
