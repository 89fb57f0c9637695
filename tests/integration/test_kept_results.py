"""Results reach the disk whatever comes in between, and only the folder that was asked for."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mergebar.commands import interrupts
from support import commands, gates
from support.gates import failing, item, passing
from support.repositories import Repository

HANGING = gates.CONFIG.replace("    timeout: 20s\n", "    timeout: 60s\n    concurrency: 1\n")
PLANTING = """
import json, os, shutil, sys
sys.stdin.readline()
folder, target = {folder!r}, {target!r}
if os.path.isdir(folder) and not os.path.islink(folder):
    shutil.rmtree(folder)
    os.symlink(target, folder)
print(json.dumps({{"response": "yes"}}))
"""


def wait_for(path: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 30
    while not (path.exists() and path.read_text()):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


def hears(process: "subprocess.Popen[bytes]", number: signal.Signals) -> bool:
    """Whether the process has a handler for it."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (number - 1) & 1)


@pytest.mark.parametrize("pause_s", [0.001, 0.05])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (signal.SIGINT, signal.SIGINT),
        (signal.SIGTERM, signal.SIGTERM),
        (signal.SIGINT, signal.SIGTERM),
        (signal.SIGHUP, signal.SIGTERM),
    ],
)
def test_a_second_signal_loses_no_report(
    tmp_path: Path, first: signal.Signals, second: signal.Signals, pause_s: float
) -> None:
    here = gates.repository(tmp_path, passing(), item("hang on", "x"), config=HANGING)
    process = commands.start("run", cwd=here.path)
    wait_for(here.path / ".hanging", process)

    process.send_signal(first)
    time.sleep(pause_s)
    process.send_signal(second)
    ended = commands.end(process, cwd=here.path)

    assert ended.code == 130
    assert [check["outcome"] for check in ended.report()["checks"]] == ["pass", "error"]
    assert ended.report()["run"]["complete"] is False


@pytest.mark.skipif(sys.platform != "linux", reason="another system tells this otherwise")
@pytest.mark.parametrize("number", interrupts.NUMBERS)
@pytest.mark.parametrize("delay_s", [0.0, 0.1])
def test_a_signal_before_anything_runs_is_an_interruption(
    tmp_path: Path, number: signal.Signals, delay_s: float
) -> None:
    here = gates.repository(tmp_path, item("hang on", "x"), config=HANGING)
    process = commands.start("run", cwd=here.path)
    while not hears(process, signal.SIGTERM):
        time.sleep(0.001)
    time.sleep(delay_s)
    process.send_signal(number)
    process.send_signal(number)
    assert commands.end(process, cwd=here.path).code == 130


def planting(tmp_path: Path, folder: Path) -> Repository:
    """A gate whose agent puts a link where the report goes."""
    (tmp_path / "elsewhere").mkdir()
    agent = PLANTING.format(folder=str(folder), target=str(tmp_path / "elsewhere"))
    return gates.repository(tmp_path / "here", passing(), **{"agent.py": agent})


@pytest.mark.parametrize("name", [".mergebar", "../reports", "deep/out"])
def test_a_link_that_an_agent_plants_is_refused_and_not_followed(tmp_path: Path, name: str) -> None:
    here = planting(tmp_path, tmp_path / "here" / name)
    ended = commands.inside("run", "--output", name, cwd=here.path)
    assert ended.code == 2
    assert "it is a link or a file, and a folder is needed" in ended.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["../outside/x.json", "{absolute}"])
def test_a_document_outside_the_repository_is_measured_and_reported(
    tmp_path: Path, name: str
) -> None:
    here = gates.repository(tmp_path / "here", passing())
    outside = tmp_path / "outside" / "x.json"
    outside.parent.mkdir()
    outside.write_text(gates.document(item("Hi", "Hello", response="Hello")))
    ended = commands.inside("run", name.format(absolute=outside), cwd=here.path)
    assert ended.code == 0, ended.said
    assert ended.report()["totals"]["passed"] == 1
    assert len(commands.documents(here.path / ".mergebar")) == 1
    assert json.loads(outside.read_text())["items"][0].keys() >= {"response"}


def test_documents_whose_names_collide_are_all_reported(tmp_path: Path) -> None:
    config = gates.CONFIG.replace("evals/*.json", "evals/**")
    document = gates.document(passing())
    names = ("evals/a:x/b.json", "evals/a_x", "evals/a?x", "evals/a_x.json", "evals/a:x.json")
    here = gates.repository(tmp_path, config=config, **dict.fromkeys(names, document))
    ended = commands.inside("run", cwd=here.path)
    assert ended.code == 0, ended.said
    written = (here.path / ".mergebar/documents/evals").rglob("*")
    assert sum(path.is_file() for path in written) == len(names)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize(("made", "code"), [(passing(), 0), (failing(), 1)])
def test_results_that_nobody_can_take_change_nothing_of_the_decision(
    tmp_path: Path, made: dict[str, object], code: int
) -> None:
    here = gates.repository(tmp_path, made)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "mergebar", "run"],
            cwd=here.path,
            env=commands.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == code
    assert b"mergebar: can't write the results to stdout: No space left on device\n" in done.stderr
    report = commands.report(here.path / ".mergebar/report.json")
    assert report["decision"]["exit_code"] == code


@pytest.mark.parametrize("output", [".", "", "/", "..", "evals", "conf", "../here"])
def test_an_output_folder_that_holds_what_is_read_is_refused_before_anything_runs(
    tmp_path: Path, output: str
) -> None:
    here = tmp_path / "here"
    files = {"agent.py": gates.AGENT, "conf/mb.yml": gates.CONFIG}
    files["evals/desk.json"] = gates.document(passing())
    for name, text in files.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text)
    before = sorted(tmp_path.rglob("*"))
    ended = commands.inside("run", "--config", "conf/mb.yml", "--output", output, cwd=here)
    assert ended.code == 2
    assert "`--output`" in ended.said
    assert sorted(tmp_path.rglob("*")) == before
    assert gates.calls(here) == []


@pytest.mark.parametrize("output", ["agent.py/out", "/proc/nowhere/out", "x" * 300])
def test_an_output_folder_that_cannot_be_made_is_refused_before_anything_runs(
    tmp_path: Path, output: str
) -> None:
    here = gates.repository(tmp_path, passing())
    ended = commands.inside("run", "--output", output, cwd=here.path)
    assert ended.code == 2
    assert "can't" in ended.stderr
    assert gates.calls(here.path) == []


def test_an_agent_that_removes_the_folder_takes_no_report_away(tmp_path: Path) -> None:
    agent = gates.AGENT + "\nimport shutil; shutil.rmtree('.mergebar', ignore_errors=True)\n"
    here = gates.repository(tmp_path, passing(), **{"agent.py": agent})
    assert commands.inside("run", cwd=here.path).report()["totals"]["passed"] == 1
    assert os.listdir(here.path / ".mergebar")  # noqa: PTH208 - only whether there is any
