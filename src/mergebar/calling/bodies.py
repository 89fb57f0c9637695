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
    decoded = _decoder(encoding)
    size = 0
    async for chunk in chunks:
        part = decoded(chunk, limit - size + 1)
        size += len(part)
        if size > limit:
            raise TooLargeError
        yield part


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


def _decoder(encoding: str | None) -> Callable[[bytes, int], bytes]:
    name = (encoding or "").strip().lower()
    if name in _PLAIN:
        return lambda chunk, _: chunk
    if name not in _COMPRESSED:
        raise UnreadableError(f"is compressed as `{name[:20]}`, which nobody asked for")
    inflating = zlib.decompressobj(_ANY_ZLIB_HEADER)

    def decompressed(chunk: bytes, room: int) -> bytes:
        try:
            return inflating.decompress(chunk, room)
        except zlib.error as error:
            raise UnreadableError(f"can't be decompressed as `{name}`") from error

    return decompressed
