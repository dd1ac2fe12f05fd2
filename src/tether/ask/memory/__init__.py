"""Memories of a person: facts taken from their own words, and recalled when they matter."""
