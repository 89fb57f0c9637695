"""Judge providers: one module each, each with `create(config, context) -> Judge`."""
