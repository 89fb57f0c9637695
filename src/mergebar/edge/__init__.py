"""What touches the outside: events, git, the runner's files, the report folder."""
