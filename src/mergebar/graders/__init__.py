"""Graders: one declared eval and one session in, what was found out. One module each."""
