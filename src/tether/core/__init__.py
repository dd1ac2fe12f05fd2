"""The nouns: validated values that know nothing of loops, models or storage. Standard library only."""
