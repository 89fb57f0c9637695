"""The commands, one module each: `configure` adds its arguments, `run` returns the exit code.

These are the composition roots: they read the environment, build the effects, and hand them on.
"""
