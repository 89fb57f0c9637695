"""A start for a repository: what is in it, the files that fit, and how they are written."""
