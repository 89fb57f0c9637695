"""How a process ended, as the operating system counts it, in; the end of a sentence out."""

import signal

_SIGNALLED = 128
"""A shell adds this to the number of the signal that its child died of."""


def sentence(returncode: int | None) -> str:
    """`returncode` is negative for a signal."""
    if returncode is None:
        return "could not be waited for"
    number = -returncode if returncode < 0 else returncode - _SIGNALLED
    name = _signal(number)
    if returncode < 0:
        return f"was killed by {name or f'signal {number}'}"
    return f"exited with code {returncode}" + (f" ({name})" if name else "")


def _signal(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None
