"""The verbs: signals, buses, pipelines, contexts, gates, tools, the loop and the turn runner."""
