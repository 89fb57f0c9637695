"""GitHub's REST API: what is read from a repository, and what is posted to it."""
