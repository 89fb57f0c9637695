"""Reading a stranger's archive: the one file that was asked for, or a refusal."""

import io
import struct
import warnings
import zipfile
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.edge.artifacts import Archive, ArtifactTrouble, TroubleKind, file_in
from mergebar.edge.artifacts.packing import pack, seal

LIMIT = 100_000


def zipped(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore")  # two files of one name
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


def read(data: bytes, path: str = "report.json", *, limit: int = LIMIT) -> bytes | ArtifactTrouble:
    return file_in(seal(io.BytesIO(data)), path, limit=limit)


def refused(data: bytes, *, limit: int = LIMIT) -> str:
    result = read(data, limit=limit)
    assert isinstance(result, ArtifactTrouble), result
    assert result.kind is TroubleKind.CONTENT
    return result.message.removeprefix("the artifact was not read: ")


def test_the_file_that_was_asked_for_comes_out() -> None:
    data = zipped(("documents/", b""), ("documents/a.json", b"[]"), ("report.json", b"{}"))

    assert read(data) == b"{}"
    assert read(data, "documents/a.json") == b"[]"


def test_what_we_pack_we_can_read() -> None:
    archive = pack({"report.json": b"{}" * 1000}, io.BytesIO(), limit=LIMIT)

    assert isinstance(archive, Archive)
    assert file_in(archive, "report.json", limit=LIMIT) == b"{}" * 1000


def test_an_artifact_without_an_archive_is_the_file_itself() -> None:
    assert read(b'{"schema": 1}') == b'{"schema": 1}'
    assert read(b"") == b""
    assert refused(b"x" * 11, limit=10) == "it has more than 10 bytes"


@pytest.mark.parametrize("name", ["../report.json", "/report.json", "a/../../x", "..\\x", "a\nb"])
def test_an_archive_with_a_name_that_leads_out_is_not_read_at_all(name: str) -> None:
    message = refused(zipped(("report.json", b"{}"), (name, b"")))

    assert message.startswith("the name of a file in it ")


def test_a_missing_file_and_one_that_is_there_twice_are_refused() -> None:
    assert refused(zipped(("other.json", b"{}"))) == "it has no file `report.json`"
    assert refused(zipped(("report.json", b"1"), ("report.json", b"2"))) == (
        "it has the file `report.json` twice"
    )


def test_a_file_that_inflates_beyond_the_limit_is_refused() -> None:
    bomb = zipped(("report.json", b"\0" * 50_000_000))

    assert len(bomb) < LIMIT
    assert refused(bomb) == "its file `report.json` has more than 100000 bytes"
    assert read(zipped(("report.json", b"x" * LIMIT))) == b"x" * LIMIT


def test_a_size_that_lies_is_found_out() -> None:
    data = bytearray(zipped(("report.json", b"x" * 2000)))
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = struct.pack("<L", 10)

    result = read(bytes(data))

    assert isinstance(result, ArtifactTrouble) or len(result) <= 2000


def test_a_directory_that_would_fill_the_memory_is_refused_unread() -> None:
    many = zipped(*((f"{number:060}", b"") for number in range(12_000)))

    assert refused(many) == "it has too many files"


def test_the_marks_of_a_huge_archive_are_refused() -> None:
    data = zipped(("report.json", b"{}"))
    end = data.rindex(b"PK\x05\x06")
    locator = b"PK\x06\x07" + b"\0" * 16

    assert refused(data[:end] + locator + data[end:]) == "it has too many files"


def test_an_encrypted_file_and_an_unusual_method_are_refused() -> None:
    data = bytearray(zipped(("report.json", b"{}")))
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1

    wrong = "its file `report.json` is encrypted, or packed in an unusual way"
    assert refused(bytes(data)) == wrong
    assert refused(zipped(("report.json", b"{}"), method=zipfile.ZIP_LZMA)) == wrong


def test_a_damaged_content_is_refused() -> None:
    data = bytearray(zipped(("report.json", b"hello world"), method=zipfile.ZIP_STORED))
    data[data.index(b"hello")] ^= 0xFF

    assert refused(bytes(data)) == "it is a damaged archive"


@given(
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=8),
    st.integers(0, 200),
)
def test_no_damage_crashes_the_reader(changes: Sequence[tuple[int, int]], cut: int) -> None:
    data = bytearray(zipped(("report.json", b"{}" * 20), ("documents/a.json", b"[]")))
    for place, value in changes:
        data[place % len(data)] = value

    result = read(bytes(data[: len(data) - cut]))

    assert isinstance(result, ArtifactTrouble) or len(result) <= LIMIT
