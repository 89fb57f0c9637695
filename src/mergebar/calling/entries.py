"""Texts of an agent's or the judge's entry in, what keeps every call from being made out.

The same rules hold for the file as it is written, where a text may refer to the environment and
can't be judged yet, and for the values that a run begins with. Cheap to load: `check` does.
"""

import ipaddress
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from mergebar.model.problems import EntryFault
from mergebar.model.text import Json

NO_URL = "must be a URL that begins with `http://` or `https://`"
NO_KEY = "holds characters that no key has: was it pasted with others?"
_LONGEST = 32_768
_FOUR_NUMBERS = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_REFERENCE = re.compile(r"(?<!\$)\$\{")
_PATHS = ("/chat/completions", "/responses", "/completions")
_VERSION = re.compile(r"|v1|preview|latest|[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?")


def text(options: Mapping[str, Json], key: str) -> str:
    """The text of a key without the blanks around it; empty where it is unset."""
    return str(options.get(key) or "").strip()


def is_open(given: str) -> bool:
    """Whether a text refers to the environment, so that it says nothing yet."""
    return _REFERENCE.search(given) is not None


def is_url(given: str) -> bool:
    """Whether a text is an address that HTTP can go to, and clients take for one."""
    try:
        parts = urlsplit(given)
        is_known = parts.scheme in {"http", "https"} and parts.port != 0
        return is_known and len(given) <= _LONGEST and given.isprintable() and _is_host(parts)
    except ValueError:
        return False


def _is_host(parts: SplitResult) -> bool:
    """Clients stop the run at what they can't make a name of. May raise ValueError."""
    host = parts.hostname or ""
    if "[" in parts.netloc:
        ipaddress.IPv6Address(host.partition("%")[0])
    elif _FOUR_NUMBERS.fullmatch(host):
        ipaddress.IPv4Address(host)
    spelled = host.encode("idna")
    plain = unicodedata.normalize("NFKC", host) == host
    return bool(spelled) and plain and (host.isascii() or _is_name(host)) and " " not in host


def _is_name(host: str) -> bool:
    return all(character.isalnum() or character in ".-_" for character in host)


def address(options: Mapping[str, Json], key: str) -> Iterator[EntryFault]:
    """An address of an API; unset stands for another, which is known."""
    given = text(options, key)
    if not given or is_open(given):
        return
    if not is_url(given):
        yield EntryFault(key=(key,), message=NO_URL)
        return
    path = urlsplit(given).path.rstrip("/")
    called = next((one for one in _PATHS if path.endswith(one)), None)
    if called is not None:
        message = f"ends with `{called}`, which is added to it: leave that off"
        yield EntryFault(key=(key,), message=message)


def secret(options: Mapping[str, Json], key: str) -> Iterator[EntryFault]:
    """A key that no header can carry."""
    given = text(options, key)
    if not (is_open(given) or (given.isascii() and given.isprintable())):
        yield EntryFault(key=(key,), message=NO_KEY)


def wanted(options: Mapping[str, Json], key: str, remedy: str) -> Iterator[EntryFault]:
    """A text that says something, where the key is there at all."""
    if key in options and not text(options, key):
        yield EntryFault(key=(key,), message=f"is blank: {remedy}")


def folder(
    options: Mapping[str, Json], key: str, root: Path, *, may_lack: bool = False
) -> Iterator[EntryFault]:
    """A folder below the working directory; unset stands for one that is known."""
    given = text(options, key)
    if not given or is_open(given) or "\0" in given:
        return
    real = os.path.realpath(root / given)
    if not Path(real).is_relative_to(os.path.realpath(root)):
        message = f"(`{given}`) leads out of the working directory: give a folder in it"
        yield EntryFault(key=(key,), message=message)
    elif not (may_lack or Path(real).is_dir()):
        message = f"names no folder: there is no folder `{given}` here"
        yield EntryFault(key=(key,), message=message)


def version(options: Mapping[str, Json], key: str) -> Iterator[EntryFault]:
    """A version of Azure OpenAI's API."""
    given = text(options, key)
    if not is_open(given) and not _VERSION.fullmatch(given):
        message = "is no version of the API: write a date such as `2024-10-21`, or leave it unset"
        yield EntryFault(key=(key,), message=message)
