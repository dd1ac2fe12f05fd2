"""Reading documents in processes that can be killed, so that no file can hang or crash the rest."""
