"""A number of bytes in, the size as people write it out."""

_UNITS = ((1024**2, "MiB"), (1000**2, "MB"), (1024, "KiB"), (1000, "kB"))


def size(limit: int) -> str:
    """In the largest unit that leaves a whole number."""
    for unit, name in _UNITS:
        if limit >= unit and limit % unit == 0:
            return f"{limit // unit} {name}"
    return f"{limit} bytes"
