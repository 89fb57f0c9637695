"""How much an exchange of artifacts may take: bytes, tries and seconds."""

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`stall_s` is without one byte of progress, `attempt_s` one request, `total_s` all of them.

    `concurrency` blocks are on their way, and so in memory, at once.
    """

    block_bytes: int = 8 * _MIB
    concurrency: int = 4
    content_bytes: int = 1024 * _MIB
    archive_bytes: int = 64 * _MIB
    answer_bytes: int = _MIB
    attempts: int = 5
    stall_s: float = 30.0
    attempt_s: float = 120.0
    total_s: float = 300.0


DEFAULT = Limits()
