"""A path in, the digest of the bytes there out: empty where they can't be read."""

import hashlib
from pathlib import Path


def of(path: Path) -> str:
    """A sha256, in hexadecimal digits."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
