"""Files below a root: what is read, and what is said of what can't be."""

import os
import socket
from pathlib import Path

import pytest

from mergebar.model.problems import Level, Problem
from mergebar.reading import files


def refused(root: Path, path: str, *, limit: int = 100) -> Problem:
    problem = files.read(root, path, limit=limit, rule="config/unreadable")
    assert isinstance(problem, Problem)
    assert problem.level is Level.ERROR
    assert problem.path == path
    return problem


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xff\r\n")
    assert files.read(tmp_path, "a.json", limit=3, rule="config/unreadable") == b"\xff\r\n"


def test_a_file_over_the_limit_is_refused_with_both_sizes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"x" * 101)
    problem = refused(tmp_path, "a.json")
    assert problem.rule == "config/too-large"
    assert problem.message == "the file has 101 bytes, and at most 100 bytes are read: split it"


def test_a_huge_file_is_refused_without_being_read(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(100 * 1024**3)
    problem = files.read(tmp_path, "a.json", limit=32 * 1024**2, rule="document/unreadable")
    assert isinstance(problem, Problem)
    assert "107,374,182,400 bytes, and at most 33,554,432 bytes (32 MiB)" in problem.message


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("evals/hr.jsn", "`evals/hr.jsn` does not exist; did you mean `evals/hr.json`?"),
        ("evals/HR.json", "`evals/HR.json` does not exist; did you mean `evals/hr.json`?"),
        ("evals/xyzzy", "`evals/xyzzy` does not exist"),
        (
            "evels/hr.json",
            "`evels/hr.json` does not exist: there is no folder `evels`; did you mean `evals`?",
        ),
        (".notes/x", "`.notes/x` does not exist: there is no folder `.notes`"),
        (
            "evals/hr.json/x",
            "`evals/hr.json/x` does not exist: a file stands where a folder is named",
        ),
        ("evals", "`evals` is a directory, and a file is wanted"),
        ("", "an empty string is a directory, and a file is wanted"),
        ("evals/gone", "`evals/gone` is a symbolic link to nothing"),
        ("evals/loop", "`evals/loop` can't be read: too many levels of symbolic links"),
        ("evals/pipe", "`evals/pipe` is a named pipe, not a regular file"),
        ("../other", "`../other` lies outside the repository: name a file within it"),
        ("/etc/hostname", "`/etc/hostname` lies outside the repository: name a file within it"),
        (
            "evals/out",
            "`evals/out` leads out of the repository through the symbolic link `evals/out`",
        ),
        (
            "evals/up/secret",
            "`evals/up/secret` leads out of the repository through the symbolic link `evals/up`",
        ),
        ("evals/" + "x" * 300, "can't be read: file name too long"),
        ("evals/\0", "`evals/ ` can't be read: embedded null byte"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(
    tmp_path: Path, path: str, message: str
) -> None:
    root = tmp_path / "root"
    (root / "evals").mkdir(parents=True)
    (tmp_path / "secret").write_text("x")
    (root / "evals/hr.json").write_text("{}")
    (root / "notes.yml").write_text("not a folder")
    (root / "evals/gone").symlink_to("nowhere")
    (root / "evals/loop").symlink_to("loop")
    (root / "evals/out").symlink_to(tmp_path / "secret")
    (root / "evals/up").symlink_to("../..")
    os.mkfifo(root / "evals/pipe")
    problem = refused(root, path)
    assert problem.rule == "config/unreadable"
    assert problem.message.endswith(message)


def test_a_link_within_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to("a")
    assert files.read(tmp_path, "b", limit=9, rule="config/unreadable") == b"x"


def test_a_root_that_is_itself_a_link_is_no_way_out(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a").write_text("x")
    (tmp_path / "root").symlink_to("real")
    assert files.read(tmp_path / "root", "a", limit=9, rule="config/unreadable") == b"x"


def test_a_socket_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        assert "is a socket" in refused(tmp_path, "s").message


def test_a_device_is_named() -> None:
    assert refused(Path("/dev"), "null").message == "`null` is a device, not a regular file"
