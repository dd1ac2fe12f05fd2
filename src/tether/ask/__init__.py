"""The documents agent: a question in, an answer that quotes its source or says that it cannot."""
