"""The index on disk: planned, applied in generations, searched while it is rewritten."""
