"""Results in, on stdout out, and remarks on stderr: who doesn't take them changes no exit code."""

import os
import sys
from io import TextIOWrapper
from typing import TextIO

from mergebar.errors import StopError


def tolerate() -> None:
    """Let stdout show what its encoding lacks as `?`: many have no tick and no dash.

    What can't be shown must not cost the decision. stderr does the like by itself.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def write(text: str) -> None:
    """Write results and flush; where the reader went away (`| head`), the rest is dropped.

    Raises `StopError` where they can't be delivered, as on a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError as error:
        _silence(sys.stdout)
        raise StopError(f"can't write the results to stdout: {error.strerror}") from error


def deliver(text: str) -> None:
    """Write what a program or a file takes: in UTF-8, whatever a terminal here could show."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    write(text)


def tell(text: str) -> None:
    """Write remarks, for whoever listens."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """What is buffered goes nowhere: Python would fail on it again while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
