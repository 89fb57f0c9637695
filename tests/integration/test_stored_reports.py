"""`mergebar compare` and `mergebar report`: what they print where, and how they exit."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

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
