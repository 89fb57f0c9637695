"""What git and the configuration's globs see of a repository, and what they miss."""
