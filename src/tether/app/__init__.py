"""The command line, and the parts that it connects."""
