"""The key of a gate in; the name that its reports go by as artifacts out."""

import hashlib
import re

REPORT_PREFIX = "mergebar-report-"

_UNSAFE = re.compile("[^A-Za-z0-9._-]+")
_LONGEST_SLUG = 60
_DIGITS = 8


def report_name(key: str) -> str:
    """The name of the artifact that holds the report of the gate `key`."""
    return REPORT_PREFIX + slug(key)


def slug(key: str) -> str:
    """A key as a part of names: itself where it can be, else what is left of it and a digest.

    Two keys get two slugs, since two gates of one run must not meet in one name.
    """
    if 0 < len(key) <= _LONGEST_SLUG and not _UNSAFE.search(key):
        return key
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    kept = _UNSAFE.sub("-", key)[: _LONGEST_SLUG - _DIGITS - 1].strip("-")
    return f"{kept}-{digest}" if kept else digest
