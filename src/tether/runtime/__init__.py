"""The verbs: signals, buses, pipelines, contexts, gates, tools, the dispatch loop and the turn runner."""
