"""`mergebar compare` and `mergebar report`: what they print where, and how they exit."""

import codecs
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mergebar.model.comparisons import Renamed
from mergebar.report import csv, json_report
from support import commands, compared_states, comparisons, reports
from support.comparisons import check

FAILED = compared_states.STATES["compared-failed"]
FORMATS = ("markdown", "summary", "html", "junit", "sarif", "csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two reports, a day apart."""
    before = comparisons.report(
        check("a", label="A"),
        check("b", "fail", label="B"),
        check("c", label="C"),
        info=reports.run(finished_at="2026-02-28T10:01:12Z", commit="b" * 40),
    )
    after = comparisons.report(
        check("a", "fail", label="A", reason="names another product"),
        check("b", label="B"),
        check("d", label="::error::D ##[x]"),
    )
    (tmp_path / "a.json").write_bytes(json_report.dump(before))
    (tmp_path / "b.json").write_bytes(json_report.dump(after))
    (tmp_path / "full.json").write_bytes(json_report.dump(FAILED))
    return tmp_path


def run(folder: Path, *arguments: str) -> commands.Ended:
    return commands.inside(*arguments, cwd=folder)


def test_people_see_what_changed_and_the_exit_code_is_zero(folder: Path) -> None:
    done = run(folder, "compare", "a.json", "b.json")

    assert (done.code, done.stderr) == (0, "")
    blocks = done.stdout.split("\n\n")
    assert blocks[0] == 'improved  evals/support.json:41:7\n    ExactMatch 2 → 4 ≥ 3 · "B"'
    assert 'removed  evals/support.json\n    ExactMatch pass, 4 · "C"' in blocks[1]
    assert 'new  evals/support.json:41:7\n    ExactMatch 4 ≥ 3 · ": :error::D ## [x]"' in blocks[2]
    assert blocks[3].splitlines()[1] == '    ExactMatch 4 → 2 < 3 · "A"'
    assert blocks[-1].splitlines()[-2:] == [
        "compared with baseline `bbbbbbb` (1 day old, from a file)",
        "1 regressed, 1 improved, 1 new, 1 removed",
    ]


@pytest.mark.parametrize(
    "arguments",
    [("report", "{}"), ("compare", "{}", "{}"), ("run", "--all", "--baseline", "{}")],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize("name", ["b.json", "./b.json", "../deep/b.json"])
def test_a_report_is_named_from_where_one_is(
    folder: Path, arguments: tuple[str, ...], name: str
) -> None:
    """A working directory below the top of its repository has files of its own."""
    (folder / ".git").mkdir()
    deep = folder / "deep"
    deep.mkdir()
    (folder / "b.json").rename(deep / "b.json")

    done = run(deep, *(one.format(name) for one in arguments))
    assert "does not exist" not in done.said
    if arguments[0] != "run":
        assert (done.code, done.stderr) == (0, "")


def test_a_report_against_itself_shows_nothing(folder: Path) -> None:
    done = run(folder, "compare", "a.json", "a.json", "--format", "json")

    changes = json.loads(done.stdout)["comparison"]["changes"]
    assert {one["change"] for one in changes} == {"still-passing", "still-failing"}
    text = run(folder, "compare", "a.json", "a.json").stdout
    assert text.splitlines()[-1] == "1 still failing, 2 still passing"


def test_markdown_has_the_tables_of_the_comment(folder: Path) -> None:
    done = run(folder, "compare", "a.json", "b.json", "--format", "markdown")

    assert done.stdout.startswith("## 1 regressed, 1 improved, 1 new, 1 removed\n")
    assert "| **ExactMatch** · A<br>`evals/support.json:41` | 4 → **2 < 3** |" in done.stdout
    assert "<summary>1 check improved</summary>" in done.stdout
    assert "too few to tell" in done.stdout


def test_what_cant_be_read_is_named_and_exits_with_two(folder: Path) -> None:
    (folder / "c.json").write_text('{"schema": "else/1"}')
    done = run(folder, "compare", "c.json", "missing.json")

    assert (done.code, done.stdout) == (2, "")
    wrong, missing = done.stderr.splitlines()
    assert wrong.startswith("mergebar: c.json: the report is not a `mergebar.report/1` report")
    assert missing.startswith("mergebar: missing.json: ")
    assert run(folder, "report", "missing.json").code == 2
    assert run(folder, "compare", "a.json").code == 2


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def newer(data: bytes) -> bytes:
    return data.replace(b"mergebar.report/1", b"mergebar.report/9")


def nan(data: bytes) -> bytes:
    return data.replace(b'"weight": 1.0', b'"weight": NaN', 1)


def wide(data: bytes) -> bytes:
    return data.decode().encode("utf-16")


NO_REPORTS = [
    (cut, "the report is cut off: its end is missing"),
    (newer, "`schema` says `mergebar.report/9`"),
    (nan, "it holds NaN"),
    (wide, "the file is UTF-16 (little endian): save it as UTF-8"),
    (lambda _: b" \n", "the report is empty"),
    (lambda _: b"[]", "the report is not an object"),
    (lambda _: b"\xff{}", "save it as UTF-8"),
]


@pytest.mark.parametrize(("spoil", "said"), NO_REPORTS, ids=[said for _, said in NO_REPORTS])
@pytest.mark.parametrize("command", ["base", "head", "report"])
def test_what_is_no_report_is_said_in_words_that_help(
    folder: Path, spoil: Callable[[bytes], bytes], said: str, command: str
) -> None:
    (folder / "x.json").write_bytes(spoil((folder / "a.json").read_bytes()))
    arguments = {
        "base": ("compare", "x.json", "a.json"),
        "head": ("compare", "a.json", "x.json"),
        "report": ("report", "x.json"),
    }[command]

    done = run(folder, *arguments)

    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("mergebar: x.json: ")
    assert said in done.stderr
    assert "codec" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [("report", "a.json"), ("compare", "a.json", "b.json")], ids=["report", "compare"]
)
def test_one_that_is_too_large_is_refused_unread_with_what_can_be_done(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    with (folder / "a.json").open("ab") as file:
        file.truncate(json_report.SIZE_LIMIT + 1)

    done = run(folder, *arguments)

    assert done.code == 2
    assert "at most 536,870,912 bytes (512 MiB) are read: let several gates share" in done.stderr


def test_a_folder_and_a_file_that_is_named_twice_are_said_once(folder: Path) -> None:
    (folder / "dir").mkdir()
    done = run(folder, "compare", "dir", "dir")

    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == "mergebar: dir: `dir` is a directory, and a file is wanted\n"


def test_a_mark_at_the_start_of_a_report_is_fine(folder: Path) -> None:
    (folder / "x.json").write_bytes(codecs.BOM_UTF8 + (folder / "a.json").read_bytes())

    assert run(folder, "compare", "x.json", "a.json").code == 0


def under(name: str, folder: Path, *cases: str) -> None:
    checks = [check(case, suite=name, definition=f"{case:0>64}") for case in cases]
    (folder / f"{name}.report").write_bytes(json_report.dump(comparisons.report(*checks)))


def test_a_suite_that_may_have_been_renamed_is_pointed_out(folder: Path) -> None:
    under("old.json", folder, "1", "2", "3")
    under("new.json", folder, "2", "3", "4")

    done = run(folder, "compare", "old.json.report", "new.json.report")

    assert done.code == 0
    said = " ".join(done.stdout.split())
    assert "`old.json` may be `new.json` now: 2 of its 3 checks measure the same there" in said
    assert "in common" not in said


def test_reports_without_a_common_suite_are_wondered_about(folder: Path) -> None:
    under("old.json", folder, "1", "2")
    under("new.json", folder, "3", "4")

    done = run(folder, "compare", "old.json.report", "new.json.report")

    assert done.code == 0
    assert "the reports have no suite in common: are they of one repository?" in done.stdout
    same = run(folder, "compare", "old.json.report", "old.json.report").stdout
    assert "in common" not in same
    assert "may be" not in same


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_is_drawn_again_in_every_format(folder: Path, form: str) -> None:
    done = run(folder, "report", "full.json", "--format", form)

    assert (done.code, done.stderr) == (0, "")
    headline = "2 checks block (1 regressed, 1 new)"
    assert headline in done.stdout or form in {"sarif", "csv"}
    if form == "junit":
        assert ET.fromstring(done.stdout).tag == "testsuites"  # noqa: S314 - we wrote it
    if form == "sarif":
        assert json.loads(done.stdout)["version"] == "2.1.0"
    if form == "csv":
        assert done.stdout.startswith(",".join(csv.COLUMNS))


def test_nothing_printed_is_a_command_for_a_runner(folder: Path) -> None:
    for form in FORMATS:
        done = run(folder, "report", "b.json", "--format", form)
        assert "##[" not in done.stdout, form
        assert not any(line.lstrip().startswith("::") for line in done.stdout.splitlines()), form


@pytest.mark.parametrize(
    ("names", "change"),
    [(("before.json", "after.json"), "regressed"), (("after.json", "before.json"), "improved")],
)
def test_a_rename_that_git_told_of_is_the_same_suite_in_a_comparison_of_files(
    names: tuple[str, str], change: str, folder: Path
) -> None:
    before = comparisons.report(check("a", suite="evals/a.json"), check("b"))
    after = comparisons.report(check("a", "fail", suite="evals/aa.json"), check("b"))
    renamed = (Renamed(was="evals/a.json", now="evals/aa.json"),)
    after = dataclasses.replace(
        after, comparison=dataclasses.replace(comparisons.comparison(), renamed=renamed)
    )
    (folder / "before.json").write_bytes(json_report.dump(before))
    (folder / "after.json").write_bytes(json_report.dump(after))

    done = run(folder, "compare", *names, "--format", "json")

    found = json.loads(done.stdout)["comparison"]
    kinds = {one["change"] for one in found["changes"]}
    assert kinds == {change, "still-passing"}
    assert len(found["renamed"]) == 1
    assert not any("may be" in note for note in found["notes"])


def test_what_a_comparison_of_files_misses_is_gone_whatever_else_is_renamed(folder: Path) -> None:
    (folder / "one.json").write_bytes(
        json_report.dump(comparisons.report(check("a", suite="a.json"), check("b")))
    )
    (folder / "two.json").write_bytes(json_report.dump(comparisons.report(check("b"))))

    done = run(folder, "compare", "one.json", "two.json", "--format", "json")

    (gone,) = [one for one in json.loads(done.stdout)["comparison"]["changes"] if one["reason"]]
    assert gone["reason"] == "its suite is gone"
