"""Plain text: its words and lines, how it is encoded, and the well-known forms it takes."""
