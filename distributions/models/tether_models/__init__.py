"""The embedder and the judge of Tether, as files; `tether.retrieval` reads them."""
