"""The verifier of Tether, as a file; `tether.ask` reads it."""
