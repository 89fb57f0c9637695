"""A folder of small texts: whole or not there, for many processes, and below its size."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mergebar.caching import Store, store

KEYS = [f"{number:064x}" for number in range(16**2, 16**2 + 40)]
KEY, OTHER = KEYS[:2]


def kept(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def put(folder: Path, data: bytes, *, max_size: int = 10**6) -> Store:
    """A store that has this text of `KEY` and has written it."""
    made = Store(folder, max_size=max_size)
    made.put(KEY, data)
    made.close()
    return made


def test_what_is_put_is_found_by_every_store_of_the_folder(tmp_path: Path) -> None:
    put(tmp_path / "deep" / "cache", b"text")

    again = Store(tmp_path / "deep" / "cache", max_size=10**6)
    assert again.get(KEY) == b"text"
    assert again.get(OTHER) is None
    (path,) = kept(tmp_path)
    assert path.stat().st_mode & 0o077 == 0


def test_what_root_writes_in_somebody_elses_folder_is_theirs(tmp_path: Path) -> None:
    """The step that keeps the folder of a job isn't root, and the container of the action is."""
    if os.geteuid() == 0:
        os.chown(tmp_path, 12345, 12346)
    (tmp_path / "made").mkdir()  # by root, as other parts of the program would
    theirs = tmp_path.stat()

    put(tmp_path / "made" / "cache", b"text")

    (path,) = kept(tmp_path)
    for one in (path, path.parent):
        assert (one.stat().st_uid, one.stat().st_gid) == (theirs.st_uid, theirs.st_gid)
    assert path.stat().st_mode & 0o077 == 0
    assert Store(tmp_path / "made" / "cache", max_size=10**6).get(KEY) == b"text"


def test_what_is_put_is_found_by_the_same_store_before_and_after_it_is_written(
    tmp_path: Path,
) -> None:
    cache = Store(tmp_path, max_size=10**9)
    for _ in range(2):  # a store may go on after it was closed
        for key in KEYS:
            cache.put(key, key.encode())
            assert cache.get(key) == key.encode()
        cache.close()

        assert [cache.get(key) for key in KEYS] == [key.encode() for key in KEYS]
        assert len(kept(tmp_path)) == len(KEYS)


@pytest.mark.parametrize("size", [0, store.LARGEST + 1])
def test_nothing_and_too_much_are_not_kept(tmp_path: Path, size: int) -> None:
    put(tmp_path, b"x" * size, max_size=10**9)

    assert kept(tmp_path) == []


def test_what_is_no_file_of_ours_is_no_text(tmp_path: Path) -> None:
    cache = put(tmp_path, b"text")
    (path,) = kept(tmp_path)
    for change in (
        lambda: path.write_bytes(b""),
        lambda: path.symlink_to("/etc/hostname"),
        lambda: os.mkfifo(path),
        path.mkdir,
    ):
        path.unlink()
        change()
        assert cache.get(KEY) is None
        if path.is_dir():
            path.rmdir()
            path.touch()


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    cache = Store(tmp_path / "file", max_size=10)
    cache.put(KEY, b"text")
    cache.close()

    assert cache.get(KEY) is None
    assert (tmp_path / "file").read_text() == "mine"


def test_the_longest_unused_goes_first_and_nothing_of_anybody_else(tmp_path: Path) -> None:
    cache = Store(tmp_path, max_size=20 * 4096)
    (tmp_path / "mine.txt").write_bytes(b"x" * 10**6)
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "mine.json").write_bytes(b"x" * 10**6)
    for age, key in enumerate(KEYS):
        writer = Store(tmp_path, max_size=10**9)
        writer.put(key, b"x" * 4096)
        writer.close()
        (path,) = (tmp_path / key[:1]).glob(f"{key[1:]}.json")
        os.utime(path, (1000 + age, 1000 + age))
    cache.get(KEYS[0])

    cache.put(KEYS[-1], b"x" * 4096)
    cache.close()

    assert {key for key in KEYS if cache.get(key)} == {KEYS[0], *KEYS[-19:]}
    assert (tmp_path / "mine.txt").exists()
    assert (tmp_path / "0" / "mine.json").exists()


def test_what_a_dead_process_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path: Path,
) -> None:
    cache = put(tmp_path, b"text")
    (path,) = kept(tmp_path)
    old, new = (path.with_name(f"{path.name}.{number}.0.tmp") for number in (1, 2))
    old.touch()
    new.touch()
    os.utime(old, (1000, 1000))

    cache.put(KEY, b"text")
    cache.close()

    assert kept(tmp_path) == sorted([path, new])


def test_nothing_is_removed_where_nothing_was_added(tmp_path: Path) -> None:
    first = put(tmp_path, b"text")

    reader = Store(tmp_path, max_size=1)
    reader.get(KEY)
    reader.close()

    assert first.get(KEY) == b"text"


WRITER = """
import sys
from pathlib import Path
from mergebar.caching import Store

cache, reader = (Store(Path(sys.argv[1]), max_size=60_000) for _ in range(2))
text = sys.argv[2].encode() * 3000
for number in range(300):
    key = f"{number % 30:064x}"
    cache.put(key, text)
    found = reader.get(key)
    assert found is None or (len(found) == 3000 and len(set(found)) == 1), found[:20]
    if number % 50 == 0:
        cache.close()
cache.close()
"""


def test_writers_at_once_never_see_half_of_a_text(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), letter], stderr=subprocess.PIPE
        )
        for letter in "abc"
    ]
    for process in processes:
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors

    assert [path for path in kept(tmp_path) if path.suffix != ".json"] == []
    assert len(kept(tmp_path)) <= 60_000 // 4096
