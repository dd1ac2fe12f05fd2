"""How the verifier was made: pairs, training, calibration, export."""
