"""Small languages, read safely: whatever the text, an answer or a typed error in bounded time."""
