"""JSON and its relatives, and the two languages that ask it."""
