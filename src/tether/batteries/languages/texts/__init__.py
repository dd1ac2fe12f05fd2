"""Plain text: encodings, letter case, known formats, colours, localized numbers and diffs."""
