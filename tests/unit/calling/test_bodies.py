"""Bodies are read as far as they are allowed to go, however they are packed."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.calling import bodies


async def _chunks(data: bytes, size: int) -> AsyncIterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


def read(data: bytes, *, encoding: str | None = None, limit: int = 1000, size: int = 100) -> bytes:
    return asyncio.run(bodies.read(_chunks(data, size), encoding=encoding, limit=limit))


@given(data=st.binary(max_size=300), size=st.integers(1, 50))
def test_what_fits_is_read_whole_and_what_does_not_is_refused(data: bytes, size: int) -> None:
    limit = max(1, len(data))

    for encoding, packed in (
        (None, data),
        ("identity", data),
        ("gzip", gzip.compress(data)),
        ("deflate", zlib.compress(data)),
    ):
        assert read(packed, encoding=encoding, limit=limit, size=size) == data
        if len(data) > 1:
            with pytest.raises(bodies.TooLargeError):
                read(packed, encoding=encoding, limit=len(data) - 1, size=size)


@given(data=st.binary(min_size=1, max_size=300), size=st.integers(1, 50), cut=st.integers(1, 400))
def test_what_breaks_off_within_its_compression_is_never_whole(
    data: bytes, size: int, cut: int
) -> None:
    for encoding, packed in (("gzip", gzip.compress(data)), ("deflate", zlib.compress(data))):
        with pytest.raises(bodies.UnreadableError, match=f"breaks off within .* `{encoding}`"):
            read(packed[: -min(cut, len(packed) - 1)], encoding=encoding, size=size)


@given(parts=st.lists(st.binary(max_size=50), min_size=1, max_size=5), size=st.integers(1, 80))
def test_what_was_compressed_in_pieces_is_read_whole(parts: list[bytes], size: int) -> None:
    packed = b"".join(map(gzip.compress, parts))

    assert read(packed, encoding="gzip", size=size) == b"".join(parts)


def test_nothing_at_all_is_compressed_as_anything() -> None:
    assert read(b"", encoding="gzip") == b""


def test_a_small_body_that_becomes_large_is_stopped_while_it_grows() -> None:
    packed = gzip.compress(b" " * 50_000_000)
    assert len(packed) < 100_000

    with pytest.raises(bodies.TooLargeError):
        read(packed, encoding="gzip", limit=1000, size=len(packed))


@pytest.mark.parametrize(
    ("encoding", "said"), [("br", "`br`, which nobody asked for"), ("gzip", "as `gzip`")]
)
def test_what_cannot_be_unpacked_is_named(encoding: str, said: str) -> None:
    with pytest.raises(bodies.UnreadableError, match=said):
        read(b"no such thing", encoding=encoding)
