"""`file-access` and its globs: the dialect of evals, on paths as hosts record them."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.graders import session_paths
from support import traces
from support.graded import notices, one, outcome, words

CWD = "/home/dev/shop"
MATCHES = [
    ("docs/**", "/home/dev/shop/docs/a.md", True),
    ("docs/**", "/home/dev/shop/docs", True),
    ("docs/", "/home/dev/shop/docs/deep/a.md", True),
    ("docs/*", "/home/dev/shop/docs/deep/a.md", False),
    ("db/migrations", "/home/dev/shop/app/db/migrations", True),
    ("db/migrations", "/home/dev/shop/legacydb/migrations", False),
    ("a.md", "/home/dev/shop/deep/er/A.MD", True),
    ("*.MD", "/home/dev/shop/x.md", True),
    ("?.md", "/home/dev/shop/ab.md", False),
    ("src/**/test_*.py", "/home/dev/shop/src/test_a.py", True),
    ("src/**/test_*.py", "/home/dev/shop/src/x/y/test_a.py", True),
    ("**/**/a", "/home/dev/shop/a", True),
    ("/a.md", "/home/dev/shop/a.md", True),
    ("/a.md", "/home/dev/shop/docs/a.md", False),
    ("/etc/passwd", "/etc/passwd", False),
    ("etc/passwd", "/etc/passwd", True),
    ("{a,b}.md", "/home/dev/shop/a.md", False),
    ("[a].md", "/home/dev/shop/[a].md", True),
    ("docs\\a.md", "/home/dev/shop/docs/a.md", True),
    ("a.md", "./docs/../a.md", True),
    ("shop/a.md", "/home/dev/shop/a.md", False),
    ("", "/home/dev/shop/a.md", False),
    ("**", "/home/dev/shop/a.md", True),
]


@pytest.mark.parametrize(("glob", "path", "expected"), MATCHES)
def test_a_glob_matches_as_the_spec_says(glob: str, path: str, *, expected: bool) -> None:
    assert session_paths.matches(glob, path, cwd=CWD) is expected


def test_paths_of_windows_are_read_as_such() -> None:
    assert session_paths.matches("docs/a.md", "C:\\work\\shop\\docs\\A.md", cwd="c:\\work\\shop")


def test_without_a_folder_a_leading_slash_begins_anywhere() -> None:
    assert session_paths.matches("/a.md", "/home/dev/shop/a.md", cwd=None)


PATHS = st.lists(st.sampled_from(["a", "b", "*", "**", "?", "..", ".", "", "a*b"]), max_size=6)


@given(PATHS.map("/".join), PATHS.map("/".join))
def test_no_glob_and_no_path_is_too_odd(glob: str, path: str) -> None:
    assert session_paths.matches(glob, path, cwd=CWD) in {True, False}


@given(st.lists(st.sampled_from(["a", "b.md", "Ü"]), min_size=1, max_size=5))
def test_a_path_matches_itself_and_its_ends(segments: list[str]) -> None:
    path = "/".join([CWD, *segments])

    for start in range(len(segments)):
        assert session_paths.matches("/".join(segments[start:]), path, cwd=CWD)
    assert session_paths.matches("/" + "/".join(segments), path, cwd=CWD)


def test_a_hostile_glob_takes_no_time() -> None:
    started = time.perf_counter()

    assert not session_paths.matches("**/a*" * 200 + "x", "/".join(["a" * 200] * 200), cwd=CWD)
    assert not session_paths.matches("*a" * 500 + "b", "a" * 2000, cwd=CWD)

    assert time.perf_counter() - started < 5


SESSION = traces.chained([
    traces.said("go"),
    traces.replied(traces.call("Read", "k1", file_path=f"{CWD}/docs/a.md")),
    traces.replied(traces.call("Write", "k2", file_path=f"{CWD}/out.md", content="x")),
    traces.replied(traces.call("Edit", "k3", file_path=f"{CWD}/src/app.py")),
    traces.replied(traces.call("Bash", "k4", command="rm gone.md")),
])  # fmt: skip

ACCESS = [
    ("path: docs/**", "pass", "`docs/a.md` was read"),
    ("path: docs/**, op: write", "fail", "was written"),
    ("path: out.md, op: write", "pass", ""),
    ("path: out.md, op: edit", "fail", ""),
    ("path: src/**, op: edit", "pass", "edited"),
    ("path: src/**, op: read, expect: not-accessed", "pass", ""),
    ("path: src/**, expect: not-accessed", "fail", "`src/app.py` was edited"),
    ("path: secrets/**, expect: not-accessed", "pass", "nothing that matches"),
    ("path: secrets/**", "fail", "nothing that matches"),
]


@pytest.mark.parametrize(("options", "expected", "said"), ACCESS)
def test_whether_a_file_was_accessed(
    tmp_path: Path, options: str, expected: str, said: str
) -> None:
    found = one(tmp_path, SESSION, f"grader: file-access, options: {{{options}}}")

    assert outcome(found) == expected
    assert said in words(found)


def test_what_a_shell_may_have_done_is_said_where_nothing_was_found(tmp_path: Path) -> None:
    options = "{path: gone.md, expect: not-accessed}"

    found = one(tmp_path, SESSION, f"grader: file-access, options: {options}")

    assert outcome(found) == "pass"
    assert [note for note in notices(found) if "1 shell command may have touched files" in note]


REFUSAL = "The user doesn't want to proceed with this tool use."
VAIN = {
    "failed": traces.result("w", "File has not been read yet.", error=True),
    "was denied": traces.result("w", REFUSAL, error=True),
    "was cancelled": traces.result("w", "[Request interrupted by user]", error=True),
}


ANSWER = traces.replied(traces.text("Done."))


def attempt(*results: traces.Record) -> list[traces.Record]:
    """A write, each with what became of it."""
    records = [traces.said("Go.")]
    for result in results:
        records += [
            traces.replied(traces.call("Write", "w", file_path=f"{CWD}/a.md", content="x")),
            traces.said([result]),
        ]
    return traces.chained([*records, ANSWER])


@pytest.mark.parametrize("how", VAIN)
def test_what_was_tried_in_vain_is_no_access_and_still_a_try(tmp_path: Path, how: str) -> None:
    vain, both = attempt(VAIN[how]), attempt(VAIN[how], traces.result("w"))
    wanted = "grader: file-access, options: {path: a.md, op: write}"
    unwanted = "grader: file-access, options: {path: a.md, expect: not-accessed}"
    listed = "grader: regex, target: files, options: {pattern: a.md}"

    found = one(tmp_path, vain, wanted)
    assert outcome(found) == "fail"
    assert notices(found) == (f"`a.md` was to be written (the call {how})",)
    assert outcome(one(tmp_path, both, wanted)) == "pass"
    assert notices(one(tmp_path, both, wanted)) == ()

    assert words(one(tmp_path, vain, unwanted)) == (
        f"`a.md` was to be written (the call {how}), and `a.md` must not be accessed"
    )
    assert outcome(one(tmp_path, vain, listed)) == "fail"
    assert outcome(one(tmp_path, both, listed)) == "pass"


def test_a_file_that_nobody_could_write_is_not_what_the_session_left(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("y", encoding="utf-8")
    looked = "grader: regex, target: {source: file, path: a.md}, options: {pattern: y}"

    assert notices(one(tmp_path, attempt(VAIN["was denied"]), looked)) == ()
    (notice,) = notices(one(tmp_path, attempt(traces.result("w")), looked))
    assert "changed since" in notice


def test_calls_of_a_server_may_have_touched_files(tmp_path: Path) -> None:
    records = [traces.said("Go."), traces.replied(traces.call("mcp__fs__write", "m", path="a.md"))]
    records.append(traces.said([traces.result("m")]))
    unwanted = "grader: file-access, options: {path: a.md, expect: not-accessed}"

    (notice,) = notices(one(tmp_path, traces.chained([*records, ANSWER]), unwanted))
    assert notice == (
        "1 call of an MCP server may have touched files: what it does to files isn't looked at"
    )
