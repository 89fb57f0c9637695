"""The artifacts of a configuration, and the sessions that their evals are held against."""
