"""Our own workflow on our own pull requests: its steps, played on a loopback runner."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from conftest import ROOT
from support.jobs import Job, Result, job

WORKFLOWS = ROOT / ".github/workflows"
EXAMPLE = ROOT / "examples/support-agent"
DOGFOOD = yaml.safe_load((WORKFLOWS / "dogfood.yml").read_text(encoding="utf-8"))
COMMENT = yaml.safe_load((WORKFLOWS / "dogfood-publish.yml").read_text(encoding="utf-8"))
SCRIPT = ".github/scripts/expect.py"


def _tracked() -> Iterator[tuple[str, str]]:
    for path in sorted(EXAMPLE.rglob("*")):
        kept = {".mergebar", "__pycache__"}.isdisjoint(path.relative_to(EXAMPLE).parts)
        if path.is_file() and kept:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    """A pull request to a repository that has the example."""
    with job(tmp_path_factory.mktemp("dogfood"), **dict(_tracked())) as made:
        made.change({"README.md": "A word more.\n"})
        yield made


def steps(name: str) -> tuple[dict[str, str], dict[str, Any]]:
    """The inputs that a job of the workflow gives, and the step that looks at what came of it."""
    [gate] = [one for one in DOGFOOD["jobs"][name]["steps"] if one.get("uses") == "./"]
    assert gate["continue-on-error"] is True
    [look] = [one for one in DOGFOOD["jobs"][name]["steps"] if "run" in one]
    inputs = {
        key.replace("-", "_"): str(value).lower() if isinstance(value, bool) else value
        for key, value in gate["with"].items()
    }
    return inputs, look


def looked_at(look: Mapping[str, Any], *, trusted: bool, outcome: str, outputs: object) -> int:
    """The exit code of that step."""
    assert set(look["env"]) == {"OUTCOME", "OUTPUTS"}
    environ = {
        "PATH": os.environ["PATH"],
        "TRUSTED": str(trusted).lower(),
        "OUTCOME": outcome,
        "OUTPUTS": json.dumps(outputs),
    }
    return subprocess.run(
        ["bash", "-e", "-c", look["run"]], cwd=ROOT, env=environ, capture_output=True, check=False
    ).returncode


def came(result: Result) -> str:
    return "success" if result.code == 0 else "failure"


@pytest.mark.parametrize("trusted", [True, False], ids=["own", "fork"])
@pytest.mark.parametrize("name", DOGFOOD["jobs"])
def test_each_job_finds_what_it_expects(example: Job, name: str, *, trusted: bool) -> None:
    inputs, look = steps(name)
    step = (
        example.pull_request(attempt=1, run=4711, **inputs) if trusted else example.fork(**inputs)
    )
    shutil.rmtree(step.cwd / "mergebar-report", ignore_errors=True)

    result = step.inside()
    outcome, outputs = came(result), dict(result.outputs)
    assert looked_at(look, trusted=trusted, outcome=outcome, outputs=outputs) == 0, result.stdout
    # And it would see each thing that isn't so.
    other = {"success": "failure", "failure": "success"}[outcome]
    assert looked_at(look, trusted=trusted, outcome=other, outputs=outputs) == 1
    for output in ("decision", "exit-code"):
        changed = {**outputs, output: "another"}
        assert looked_at(look, trusted=trusted, outcome=outcome, outputs=changed) == 1
    assert looked_at(look, trusted=trusted, outcome=outcome, outputs={}) == 1


def test_one_job_passes_and_one_fails_on_purpose() -> None:
    wanted = {name: steps(name)[1]["run"] for name in DOGFOOD["jobs"]}

    assert "decision=passed" in wanted["passes"]
    assert "decision=failed" in wanted["fails"]


def test_the_failing_example_differs_in_what_blocks_alone() -> None:
    usual, strict = (
        yaml.safe_load((EXAMPLE / name).read_text(encoding="utf-8"))
        for name in ("mergebar.yml", "strict.yml")
    )

    assert strict.pop("gate") == {"severity": "warning"}
    assert strict == usual


def test_the_second_workflow_publishes_what_the_first_has_measured() -> None:
    inputs, _ = steps("passes")
    [publish] = COMMENT["jobs"].values()
    [gate] = [one for one in publish["steps"] if one.get("uses") == "./"]

    assert COMMENT[True]["workflow_run"]["workflows"] == [DOGFOOD["name"]]  # YAML 1.1 reads `on` so
    assert gate["with"]["mode"] == "publish"
    assert gate["with"]["working-directory"] == inputs["working_directory"]
    assert gate["with"].get("check-name") == inputs.get("check_name")
    [checkout] = [one for one in publish["steps"] if "checkout" in one.get("uses", "")]
    assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"
