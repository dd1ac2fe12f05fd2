"""Executors: the models, and what stands in for one."""
