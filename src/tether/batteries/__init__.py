"""What fills the seams, for those who want a default: models, storage, test doubles."""
