"""Documents cut into chunks: by headings, within a size, each with its exact position."""
