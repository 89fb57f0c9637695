"""A library's way to read certificates in, what it trusts out: read once, for that takes long."""

import os
import ssl
from collections.abc import Callable
from functools import cache

Read = Callable[[], ssl.SSLContext]


def of(read: Read) -> ssl.SSLContext:
    """What `read` makes of the environment as it is now; connections share it."""
    return _read(read, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read(read: Read, file: str | None, folder: str | None) -> ssl.SSLContext:
    del file, folder  # `read` looks at them itself
    return read()
