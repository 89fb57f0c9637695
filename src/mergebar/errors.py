"""Exit codes, and the exceptions that stop a run; what can be reported is a value instead.

The table in docs/reference/exit-codes.md says what each code means; a test compares the two.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process returns. Each number means one thing."""

    PASSED = 0
    FAILED = 1
    INVALID = 2
    COULD_NOT_EVALUATE = 3
    NEEDS_REVIEW = 4
    PUBLISH_FAILED = 5
    BUG = 70
    INTERRUPTED = 130


class StopError(Exception):
    """The user can mend this: print the message and exit with `code`, without a traceback."""

    def __init__(self, message: str, *, code: ExitCode = ExitCode.INVALID) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class UsageError(StopError):
    """The command line is wrong."""


RAISED_BY_PACKAGES = (Exception, SystemExit)
"""What code of an installed package may raise, and a run survives: it doesn't end ours."""
