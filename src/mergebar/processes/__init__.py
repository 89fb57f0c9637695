"""Processes of the repository: argv and bounds in, how they ended out; nothing is left behind."""
