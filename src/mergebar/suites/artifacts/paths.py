"""A path that an eval names in, why it can't be one below the repository out."""

import re

from mergebar.reading.sentences import quoted

_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|$)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def fault(path: str, *, rooted: bool = False) -> str | None:
    """A sentence, or `None`. `rooted`: a leading slash means the repository's own root."""
    named = quoted(path)
    if not path.strip():
        return f"{named} is no path: name a file"
    if _SCHEME.match(path):
        return f"{named} is an address: name a file of the repository"
    if path.startswith("~"):
        return f"{named} leads to a home directory: write the path from the repository's root"
    if _DRIVE.match(path) or path.startswith("\\") or (path.startswith("/") and not rooted):
        return f"{named} is an absolute path: write it from the repository's root"
    if ".." in path.replace("\\", "/").split("/"):
        return f"{named} may lead out of the repository: write the path without `..`"
    return None
