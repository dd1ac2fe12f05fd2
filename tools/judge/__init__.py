"""Training of the judge: the small cross-encoder that ships with `tether.retrieval`."""
