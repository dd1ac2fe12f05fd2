"""What a model is shown of a turn: envelopes by authority, and the proof that none is forged."""
