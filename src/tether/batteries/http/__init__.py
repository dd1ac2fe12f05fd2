"""HTTP within limits: clients, time limits, retries and redaction, shared by every battery."""
