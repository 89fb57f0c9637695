"""Answers that were given before, kept in files: whoever asks the very same isn't asked again."""
