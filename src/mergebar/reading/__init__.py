"""People's files in: JSON and YAML with positions, and what a schema has against them."""
