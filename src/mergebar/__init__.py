"""mergebar: the bar that a change to an AI agent has to clear before it merges."""

__version__ = "0.1.0"
