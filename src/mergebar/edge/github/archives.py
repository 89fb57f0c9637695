"""A downloaded artifact in, the one file that is wanted of it out; hostile until shown better."""

import io
import posixpath
import zipfile
import zlib

from mergebar.model.publishing import GitHubTrouble, TroubleKind

MOST_ENTRIES = 10_000


def extract(data: bytes, name: str, *, limit: int) -> bytes | GitHubTrouble:
    """The bytes of `name`, unpacked to at most `limit`; nothing is written anywhere.

    An artifact that was uploaded without packing is the file itself.
    """
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return data if len(data) <= limit else _too_large(name, limit)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _member(archive, name, limit)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        return _refusal(f"its archive is broken ({type(error).__name__})")
    except (NotImplementedError, RuntimeError):
        return _refusal(f"its archive holds `{name}` encrypted or packed in an unknown way")


def _member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes | GitHubTrouble:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        return _refusal(f"its archive has more than {MOST_ENTRIES:,} entries")
    if any(_leaves(entry.filename) for entry in entries):
        return _refusal("its archive has a name that leads out of it")
    found = [entry for entry in entries if entry.filename == name]
    if len(found) != 1:
        return _refusal(f"its archive has {'no' if not found else 'more than one'} `{name}`")
    with archive.open(found[0]) as stream:
        content = stream.read(limit + 1)  # the size in the directory is a claim
    return content if len(content) <= limit else _too_large(name, limit)


def _leaves(name: str) -> bool:
    plain = name.replace("\\", "/")
    return posixpath.isabs(plain) or ".." in plain.split("/") or plain[1:2] == ":"


def _too_large(name: str, limit: int) -> GitHubTrouble:
    return _refusal(f"its `{name}` is larger than {limit:,} bytes")


def _refusal(why: str) -> GitHubTrouble:
    return GitHubTrouble(kind=TroubleKind.REJECTED, message=f"can't use the artifact: {why}")
