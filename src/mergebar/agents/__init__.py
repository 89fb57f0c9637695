"""Agent adapters: one module each, each with `create(config, context) -> Agent`."""
