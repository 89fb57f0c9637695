"""Packing: whole, the same every time, and nothing that wasn't meant."""

import errno
import hashlib
import io
import os
import tempfile
import tracemalloc
import zipfile
from collections.abc import Mapping
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mergebar.edge.artifacts import ArtifactTrouble, TroubleKind
from mergebar.edge.artifacts.packing import Archive, pack

LIMIT = 10_000_000


def packed(files: Mapping[str, bytes | Path], *, limit: int = LIMIT) -> bytes:
    stream = io.BytesIO()
    result = pack(files, stream, limit=limit)
    assert isinstance(result, Archive), result
    return stream.getvalue()


def refused(files: Mapping[str, bytes | Path], *, limit: int = LIMIT) -> str:
    result = pack(files, io.BytesIO(), limit=limit)
    assert isinstance(result, ArtifactTrouble), result
    assert result.kind is TroubleKind.CONTENT
    return result.message.removeprefix("the report was not uploaded as an artifact: ")


def test_bytes_and_files_are_packed_under_their_paths(tmp_path: Path) -> None:
    source = tmp_path / "large.bin"
    source.write_bytes(os.urandom(2_500_000))

    data = packed({"report.json": b"{}", "documents/größe.json": source, "empty": b""})

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["documents/größe.json", "empty", "report.json"]
        assert archive.read("documents/größe.json") == source.read_bytes()
        assert archive.read("report.json") == b"{}"
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_DEFLATED}


def test_the_same_files_make_the_same_bytes_whatever_their_order_and_age(tmp_path: Path) -> None:
    source = tmp_path / "a"
    source.write_bytes(b"a" * 1000)
    first = packed({"a": source, "b": b"b"})
    os.utime(source, (1, 1))
    source.chmod(0o600)

    assert packed({"b": b"b", "a": source}) == first
    assert packed({"b": b"b", "a": b"a" * 1000}) == first


def test_the_digest_and_the_size_are_those_of_the_archive() -> None:
    stream = io.BytesIO()
    archive = pack({"a": b"a"}, stream, limit=LIMIT)

    assert isinstance(archive, Archive)
    assert archive.size == len(stream.getvalue())
    assert archive.digest == "sha256:" + hashlib.sha256(stream.getvalue()).hexdigest()


@given(st.binary(max_size=300), st.integers(1, 50))
def test_the_blocks_are_the_archive(content: bytes, size: int) -> None:
    stream = io.BytesIO()
    archive = pack({"a": content}, stream, limit=LIMIT)
    assert isinstance(archive, Archive)

    blocks = [archive.block(number, size=size) for number in range(-(-archive.size // size))]

    assert b"".join(blocks) == stream.getvalue()
    assert all(len(block) == size for block in blocks[:-1])
    assert blocks[-1]


def test_a_folder_of_nothing_is_not_uploaded() -> None:
    assert refused({}) == "there is nothing to upload"


def test_every_bad_path_is_named_at_once() -> None:
    message = refused({"../a": b"", "b:c": b"", "ok": b"", "/d": b"", "e\nf": b"", "g\\h": b""})

    assert message == (
        "`../a` leaves the artifact; `/d` is absolute; `b:c` has the character :, which artifacts "
        "can't have in a name, and 2 more are wrong"
    )


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret", "utf-8")
    link = tmp_path / "report.json"
    link.symlink_to(secret)

    assert refused({"report.json": link}) == "`report.json` can't be read: it is a link"


def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    assert refused({"report.json": pipe}) == "`report.json` is not a file"
    assert refused({"report.json": tmp_path}) == "`report.json` is not a file"
    assert refused({"report.json": tmp_path / "none"}) == (
        "`report.json` can't be read: No such file or directory"
    )


def test_more_content_than_the_limit_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "large"
    source.write_bytes(b"x" * 600)

    assert refused({"a": b"x" * 500, "b": source}, limit=1000) == (
        "the files have more than 1000 bytes together"
    )
    assert packed({"a": b"x" * 400, "b": source}, limit=1000)


class _FullDisk(io.BytesIO):
    def write(self, data: object, /) -> int:
        del data
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_trouble() -> None:
    result = pack({"a": b"a"}, _FullDisk(), limit=LIMIT)

    assert isinstance(result, ArtifactTrouble)
    assert result.kind is TroubleKind.CONTENT
    assert result.message.endswith("it can't be packed: No space left on device")


def test_a_large_file_is_packed_without_being_held_in_memory(tmp_path: Path) -> None:
    source = tmp_path / "large"
    with source.open("wb") as stream:
        stream.truncate(100_000_000)

    with tempfile.TemporaryFile() as target:
        tracemalloc.start()
        result = pack({"large": source}, target, limit=200_000_000)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert isinstance(result, Archive)
    assert peak < 10_000_000
