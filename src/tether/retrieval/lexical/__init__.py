"""The lexical lanes: BM25 over words and over pieces of words, persisted as flat arrays."""
