"""The floor: a small model, fitted to one index, that decides whether hits suffice to answer."""
