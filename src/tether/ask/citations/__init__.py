"""Citations: what a model wrote, checked against what was retrieved, and as people read it."""
