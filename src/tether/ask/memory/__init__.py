"""What an agent remembers of a person: facts taken from their own words, and their ranking."""
