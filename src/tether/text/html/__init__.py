"""HTML as text: its tokens, its open elements, and which of them a person can see."""
