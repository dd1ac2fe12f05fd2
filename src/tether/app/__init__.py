"""The programs people run: the command line, and what it is put together from."""
