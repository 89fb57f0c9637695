"""A green report of an earlier run: after a run that is refused, stopped or killed it is gone.

In its place is a report that says what came of this run; JUnit drawn from it is red.
"""

import json
import os
import signal
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from support import commands, gates
from support.gates import item, passing
from support.repositories import Repository

EXPORTS = ("comment.md", "summary.md", "report.html")
JUDGE = gates.judge("http://127.0.0.1:9/v1")


def _green(tmp_path: Path, config: str = gates.CONFIG) -> Repository:
    """A repository with the report of a run that passed."""
    here = gates.repository(tmp_path, passing(), config=config)
    environ = {"JUDGE_KEY": "no-secret-1"}
    ended = commands.inside("run", cwd=here.path, environ=environ)
    assert ended.code == 0, ended.said
    return here


def _fresh(tmp_path: Path, config: str) -> Repository:
    return gates.repository(tmp_path, passing(), config=config)


def _junit(here: Repository, path: str = ".mergebar/report.json") -> ET.Element:
    drawn = commands.inside("report", path, "--format", "junit", cwd=here.path)
    return ET.fromstring(drawn.stdout)  # noqa: S314 - our own


def _track(here: Repository, path: str) -> None:
    file = here.path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.write_text("{}")
    subprocess.run(["git", "add", "-f", path], cwd=here.path, check=True)


def _tracked_cache(here: Repository) -> None:
    _configure(here, JUDGE + "cache: {path: kept}\n")
    _track(here, "kept/x.json")


def _cache_is_a_file(here: Repository) -> None:
    _configure(here, JUDGE + "cache: {path: kept}\n")
    (here.path / "kept").write_text("")


def _configure(here: Repository, more: str) -> None:
    (here.path / "mergebar.yml").write_text(gates.CONFIG + more)


def _nothing(here: Repository) -> None:
    del here


REFUSALS: dict[str, tuple[Callable[[Repository], object], tuple[str, ...], str]] = {
    "tracked cache": (_tracked_cache, (), "git tracks the cache folder `kept`"),
    "cache is a file": (_cache_is_a_file, (), "the cache folder `kept` is a file"),
    "output is tracked": (
        lambda here: _track(here, ".mergebar/x.json"), (), "git tracks the output folder",
    ),
    "journal is tracked": (
        lambda here: _track(here, ".mergebar/journal.jsonl"), (), "git tracks the output folder",
    ),
    "report is tracked": (
        lambda here: _track(here, ".mergebar/report.json"), (), "git tracks the output folder",
    ),
    "broken configuration": (lambda here: _configure(here, "nope: 1\n"), (), "nope"),
    "missing configuration": (_nothing, ("--config", "no.yml"), "no.yml"),
    "missing baseline": (_nothing, ("--baseline", "no.json"), "no.json"),
    "unknown base": (_nothing, ("--base", "no-such-ref"), "no-such-ref"),
    "baseline of a part": (_nothing, ("--write-baseline", "--tag", "x"), "is refused with"),
    "baseline of what is not committed": (
        lambda here: _configure(here, "# changed\n"), ("--write-baseline",), "mergebar.yml",
    ),
    "two modes at once": (_nothing, ("--replay", "--record"), "choose one"),
    "unknown option": (_nothing, ("--frobnicate",), ""),
    "no number": (_nothing, ("--runs", "0"), ""),
    "no suite there": (_nothing, ("evals/no.json",), "no.json"),
}  # fmt: skip


@pytest.mark.parametrize("refusal", REFUSALS)
def test_no_refusal_leaves_an_earlier_runs_verdict(tmp_path: Path, refusal: str) -> None:
    prepare, arguments, said = REFUSALS[refusal]
    here = _green(tmp_path)
    prepare(here)

    ended = commands.inside("run", *arguments, cwd=here.path, environ={"JUDGE_KEY": "x1x1x1x1x"})

    assert ended.code == 2, ended.said
    report = ended.report()
    assert report["decision"]["outcome"] == "invalid"
    assert report["decision"]["exit_code"] == 2
    assert report["checks"] == [] or report["totals"]["passed"] == 0
    assert said in json.dumps(report, ensure_ascii=False)
    assert int(_junit(here).attrib["failures"]) >= 1
    assert not (here.path / ".mergebar/documents").exists()
    for name in EXPORTS:
        drawn = (here.path / ".mergebar" / name).read_text()
        assert "Invalid" in drawn or "invalid" in drawn, name
        assert "✅" not in drawn, name


@pytest.mark.parametrize("refusal", ["tracked cache", "cache is a file", "missing configuration"])
def test_a_refusal_in_a_new_folder_is_reported_too(tmp_path: Path, refusal: str) -> None:
    prepare, arguments, said = REFUSALS[refusal]
    here = gates.repository(tmp_path, passing())
    prepare(here)

    ended = commands.inside("run", *arguments, cwd=here.path, environ={"JUDGE_KEY": "x1x1x1x1x"})

    assert ended.code == 2
    assert said in json.dumps(ended.report(), ensure_ascii=False)
    assert int(_junit(here).attrib["failures"]) == 1


def _hanging(tmp_path: Path, *, earlier: bool) -> tuple[Repository, "subprocess.Popen[bytes]"]:
    config = gates.CONFIG.replace("    timeout: 20s\n", "    timeout: 60s\n    concurrency: 1\n")
    repository = _green if earlier else _fresh
    here = repository(tmp_path, config)
    (here.path / "evals/desk.json").write_text(gates.document(passing(), item("hang on", "x")))
    process = commands.start("run", cwd=here.path)
    end = time.monotonic() + 30
    while not (here.path / ".hanging").exists() and time.monotonic() < end:
        time.sleep(0.02)
    return here, process


@pytest.mark.parametrize("earlier", [True, False])
def test_who_is_killed_leaves_no_verdict_and_is_gone_on_with(
    tmp_path: Path, *, earlier: bool
) -> None:
    here, process = _hanging(tmp_path, earlier=earlier)

    os.kill(process.pid, signal.SIGKILL)
    process.communicate()

    report = commands.report(here.path / ".mergebar/report.json")
    assert report["run"]["complete"] is False
    assert report["decision"]["outcome"] == "could-not-evaluate"
    assert int(_junit(here).attrib["failures"]) == 1
    assert not [name for name in EXPORTS if (here.path / ".mergebar" / name).exists()]
    assert (here.path / ".mergebar/journal.jsonl").exists()
    asked = len(gates.calls(here.path))
    (here.path / ".hanging").unlink()
    again = commands.start("run", cwd=here.path)
    end = time.monotonic() + 30
    while not (here.path / ".hanging").exists() and time.monotonic() < end:
        time.sleep(0.02)
    again.send_signal(signal.SIGTERM)
    ended = commands.end(again, cwd=here.path)
    assert ended.code == 130
    assert [one["outcome"] for one in ended.report()["checks"]] == ["pass", "error"]
    assert len(gates.calls(here.path)) == asked + 1


def test_an_earlier_report_may_be_the_baseline(tmp_path: Path) -> None:
    here = _green(tmp_path)

    ended = commands.inside("run", "--baseline", ".mergebar/report.json", cwd=here.path)

    assert ended.code == 0, ended.said


@pytest.mark.parametrize("name", ["report.json", "notes.txt", "documents/mine.json"])
def test_what_is_somebody_elses_stays(tmp_path: Path, name: str) -> None:
    here = gates.repository(tmp_path, passing())
    own = here.path / "out" / name
    own.parent.mkdir(parents=True)
    own.write_text('{"mine": true}')
    _tracked_cache(here)

    environ = {"JUDGE_KEY": "x1x1x1x1x"}
    ended = commands.inside("run", "--output", "out", cwd=here.path, environ=environ)

    assert ended.code == 2
    assert "git tracks the cache folder" in ended.said
    assert own.read_text() == '{"mine": true}'


def test_a_folder_with_suites_gets_no_report(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing())

    ended = commands.inside("run", "--output", "evals", cwd=here.path)

    assert ended.code == 2
    assert [path.name for path in (here.path / "evals").iterdir()] == ["desk.json"]


@pytest.mark.parametrize("arguments", [["--help"], ["--dry-run"]])
def test_what_runs_nothing_takes_no_report_away(tmp_path: Path, arguments: list[str]) -> None:
    here = _green(tmp_path)
    before = (here.path / ".mergebar/report.json").read_bytes()

    commands.inside("run", *arguments, cwd=here.path)

    assert (here.path / ".mergebar/report.json").read_bytes() == before


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    other = _green(tmp_path / "other").path / ".mergebar"
    here = gates.repository(tmp_path / "here", passing())
    (here.path / ".mergebar").symlink_to(other)
    before = (other / "report.json").read_bytes()

    ended = commands.inside("run", cwd=here.path)

    assert ended.code == 2
    assert (other / "report.json").read_bytes() == before


@pytest.mark.parametrize("content", [None, b"", b"{", b'{"schema": "mergebar.report/1"}'])
def test_junit_of_no_report_is_red(tmp_path: Path, content: bytes | None) -> None:
    here = gates.repository(tmp_path, passing())
    if content is not None:
        (here.path / "report.json").write_bytes(content)

    ended = commands.inside("report", "report.json", "--format", "junit", cwd=here.path)

    assert ended.code == 2
    found = ET.fromstring(ended.stdout)  # noqa: S314 - our own
    assert found.attrib["failures"] == "1"
    failure = found.find(".//failure")
    assert failure is not None
    assert "report.json" in failure.attrib["message"]


@pytest.mark.parametrize("form", ["markdown", "summary", "html", "sarif", "csv"])
def test_of_no_report_nothing_else_is_drawn(tmp_path: Path, form: str) -> None:
    ended = commands.inside("report", "no.json", "--format", form, cwd=tmp_path)

    assert (ended.code, ended.stdout) == (2, "")
