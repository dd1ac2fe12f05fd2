"""The quality of retrieval on labelled questions, for every lane and stage."""
