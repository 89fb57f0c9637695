"""Suites: bytes and a path in, resolved documents out; it reads and judges nothing else."""
