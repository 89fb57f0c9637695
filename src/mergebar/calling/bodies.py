"""The body of a reply as it comes in; no more of it than is allowed, decompressed, out.

A compressed body is bounded after decompression, so that a small one can't become a large one.
"""

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass

_ANY_ZLIB_HEADER = 47
_COMPRESSED = frozenset({"gzip", "x-gzip", "deflate"})
_PLAIN = frozenset({"", "identity"})

ENCODING = "content-encoding"


class TooLargeError(Exception):
    """There is more than is allowed."""


class UnreadableError(Exception):
    """It can't be decompressed; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A whole reply; `headers` ignores case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        """Its content type without parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


async def bounded(
    chunks: AsyncIterator[bytes], *, encoding: str | None, limit: int
) -> AsyncGenerator[bytes, None]:
    """The decompressed chunks. Raises TooLargeError, or UnreadableError."""
    unpacking = _unpacking(encoding)
    size = 0
    async for chunk in chunks:
        part = unpacking.unpacked(chunk, limit - size + 1) if unpacking else chunk
        size += len(part)
        if size > limit:
            raise TooLargeError
        yield part
    if unpacking is not None:
        unpacking.end()


async def read(
    chunks: AsyncIterator[bytes],
    *,
    encoding: str | None,
    limit: int,
    is_whole: Callable[[bytearray], bool] = lambda _: False,
) -> bytes:
    """The whole body, or what there is once `is_whole` says that no more is wanted."""
    body = bytearray()
    async with aclosing(bounded(chunks, encoding=encoding, limit=limit)) as parts:
        async for part in parts:
            body += part
            if is_whole(body):
                break
    return bytes(body)


class _Unpacking:
    """What was compressed, in one piece or in several, one after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._inflating = zlib.decompressobj(_ANY_ZLIB_HEADER)
        self._begun = False

    def unpacked(self, chunk: bytes, room: int) -> bytes:
        """No more of it than there is room for."""
        found = bytearray()
        self._begun = self._begun or bool(chunk)
        while chunk and len(found) < room:
            if self._inflating.eof:
                self._inflating = zlib.decompressobj(_ANY_ZLIB_HEADER)
            try:
                found += self._inflating.decompress(chunk, room - len(found))
            except zlib.error as error:
                raise UnreadableError(f"can't be decompressed as `{self._name}`") from error
            chunk = self._inflating.unused_data
        return bytes(found)

    def end(self) -> None:
        """Nothing follows: what it was compressed from has to be whole."""
        if self._begun and not self._inflating.eof:
            raise UnreadableError(f"breaks off within what is compressed as `{self._name}`")


def _unpacking(encoding: str | None) -> _Unpacking | None:
    name = (encoding or "").strip().lower()
    if name in _PLAIN:
        return None
    if name not in _COMPRESSED:
        raise UnreadableError(f"is compressed as `{name[:20]}`, which nobody asked for")
    return _Unpacking(name)
