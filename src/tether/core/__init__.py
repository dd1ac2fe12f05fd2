"""The nouns: validated values that know nothing of loops or models. Standard library only."""
