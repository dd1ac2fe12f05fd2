"""Ready-made tools, by category."""
