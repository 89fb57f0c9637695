"""The repository's own git configuration in, a warning of a token that a checkout left there out.

Code of the repository can read that file, and `actions/checkout` leaves the job's token in it
unless it is told not to.
"""

import re
from pathlib import Path

_LIMIT = 1024 * 1024
_HEADER = re.compile(r"^[ \t]*extraheader[ \t]*=[ \t]*\S", re.IGNORECASE | re.MULTILINE)
_IN_ADDRESS = re.compile(
    r"^[ \t]*url[ \t]*=[ \t]*https?://[^\s/@:]{0,200}:[^\s/@]{8,}@", re.MULTILINE
)

WARNING = (
    "the checkout left a token in `.git/config`, where code of this repository can read it: give "
    "`actions/checkout` the input `persist-credentials: false`"
)


def warning(top: Path) -> str | None:
    """What to say of the repository at `top`, where something is to be said."""
    try:
        with (top / ".git" / "config").open("rb") as file:
            text = file.read(_LIMIT).decode("utf-8", "replace")
    except OSError:
        return None
    found = _HEADER.search(text) or _IN_ADDRESS.search(text)
    return None if found is None else WARNING
