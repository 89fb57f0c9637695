"""How a call to someone else's service is made: error classes, retries, limits, and its lines."""
