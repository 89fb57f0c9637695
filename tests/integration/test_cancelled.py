"""A signal at any moment of the action: exit code, outputs, report and check run still agree."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import pytest

from mergebar import settings
from support import jobs
from support.commands import Ended
from support.gates import failing, passing
from support.jobs import Job, Result, Step

DECLARED = {output.name for output in settings.OUTPUTS}
CONCLUSIONS = {"passed": "success", "failed": "failure", "could-not-evaluate": "cancelled"}


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path) as made:
        yield made


def agree(job: Job, result: Result) -> None:
    """All who tell of the run tell the same; a check run that was started has ended."""
    code, decision = result.code, result.outputs["decision"]
    assert set(result.outputs) == DECLARED
    assert (code, result.outputs["exit-code"]) in {(0, "0"), (1, "1"), (130, "130")}
    conclusions = {one["conclusion"] for one in job.check_runs}
    assert conclusions <= {CONCLUSIONS[decision]}
    if result.report is not None:
        assert result.report["decision"]["outcome"] == decision
        assert result.report["run"]["complete"] == (code != 130)
    if code == 130:
        assert decision == "could-not-evaluate"
        assert "✓" not in result.stdout
        return
    assert result.report is not None
    assert result.report["decision"]["exit_code"] == code
    assert conclusions
    assert "::error::the run was cancelled" not in result.stdout


def _signal_on(job: Job, step: Step, method: str, within: str, number: int) -> "Popen[bytes]":
    processes: list[int] = []
    job.github.on(method, within, lambda: os.kill(processes[0], number))
    process = step.start()
    processes.append(process.pid)
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    ("method", "within"),
    [
        ("POST", "/check-runs"),
        ("GET", "/files"),
        ("GET", "/comments"),
        ("POST", "/comments"),
        ("PATCH", "/check-runs"),
    ],
)
def test_while_github_is_spoken_to(job: Job, method: str, within: str, number: int) -> None:
    job.items(failing("Berlin"))
    step = job.pull_request()

    result = step.end(_signal_on(job, step, method, within, number))

    agree(job, result)
    is_measured = (method, within) not in {("POST", "/check-runs"), ("GET", "/files")}
    assert result.code == (1 if is_measured else 130)
    assert [one["status"] for one in job.check_runs] == ["completed"]
    assert bool(job.service.artifacts) == is_measured


def test_a_verdict_that_had_to_be_published_and_was_not_is_no_pass(job: Job) -> None:
    job.items(passing())
    step = job.pull_request(require_publish="true")

    result = step.end(_signal_on(job, step, "GET", "/comments", signal.SIGTERM))

    assert (result.code, result.outputs["exit-code"]) == (5, "5")
    assert result.outputs["decision"] == "passed"
    assert [one["conclusion"] for one in job.check_runs] == ["failure"]
    assert "its verdict stands" in "".join(result.warnings)


def _hears(process: "Popen[bytes]") -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text()
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.skipif(sys.platform != "linux", reason="another system tells this otherwise")
@pytest.mark.parametrize("delay_s", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8])
def test_from_the_first_moment(job: Job, delay_s: float) -> None:
    """Long before anything is known of the run, its outputs say that nothing was measured."""
    job.items(passing())
    step = job.pull_request()
    process = step.start()
    while not _hears(process):
        time.sleep(0.001)
    time.sleep(delay_s)

    process.send_signal(signal.SIGTERM)
    agree(job, step.end(process))


@pytest.mark.parametrize("delay_s", [0.0, 0.01, 0.05, 0.1, 0.2, 0.3])
def test_from_the_moment_that_the_report_is_written(job: Job, delay_s: float) -> None:
    job.items(passing())
    step = job.pull_request()
    process = step.start()
    summary = job.workspace / "mergebar-report/summary.md"
    while not summary.exists():
        assert process.poll() is None
        time.sleep(0.002)
    time.sleep(delay_s)

    process.send_signal(signal.SIGTERM)
    result = step.end(process)
    agree(job, result)
    assert result.code == 0


def test_a_step_that_is_killed_has_outputs_too(job: Job) -> None:
    job.items(passing())
    step = job.pull_request()
    process = step.start()
    output = step.runner / "output"
    while not output.exists() or not output.read_bytes().endswith(b"\n"):
        time.sleep(0.002)

    process.kill()
    process.communicate()
    result = step.result(Ended(code=-9, stdout="", stderr="", folder=step.cwd))
    assert set(result.outputs) == DECLARED
    assert (result.outputs["decision"], result.outputs["exit-code"]) == (
        "could-not-evaluate",
        "130",
    )
