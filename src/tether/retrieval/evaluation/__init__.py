"""How good retrieval is on labelled questions: one table of every lane and stage."""
