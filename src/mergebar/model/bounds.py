"""The largest figures that are believed: whatever is made of them later is finite, and is read."""

MOST_WEIGHT = 1_000_000_000
MOST_TOKENS = 2**53
"""Beyond it, a double doesn't hold every whole number, and most readers of JSON have doubles."""

MOST_USD = 1_000_000_000
