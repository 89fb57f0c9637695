"""How much of a file is read, and the sentence for one that exceeds it."""

from mergebar.model.problems import Level, Problem

MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 200
MAX_TOLD = 100
"""How many faults of one kind of a file are told; nobody reads more."""

MIB = 1024 * 1024


def too_large(size: int, *, limit: int, path: str, rule: str) -> Problem:
    """Both sizes exactly: a file one byte over must not read as if it were within."""
    most = f"{limit:,} bytes ({limit // MIB} MiB)" if limit % MIB == 0 else f"{limit:,} bytes"
    return Problem(
        level=Level.ERROR,
        rule=rule,
        message=f"the file has {size:,} bytes, and at most {most} are read: split it",
        path=path,
    )
