"""Citations: a model's answer, checked against the retrieved passages, and written for readers."""
