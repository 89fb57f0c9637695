"""The three ways to bring an agent's own tools, as the guide shows them."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import ROOT
from support import commands, gates, pages
from support.gates import passing
from support.jobs import job
from support.repositories import ENVIRON

GUIDE = "guides/own-tools.md"
BRIDGE = "172.17.0.1"


def workflow(heading: str) -> list[dict[str, Any]]:
    """The steps of the workflow under a heading."""
    [text] = [
        one.text
        for one in pages.blocks(GUIDE, "yaml")
        if one.heading == heading and "\njobs:" in one.text
    ]
    [found] = yaml.safe_load(text)["jobs"].values()
    steps: list[dict[str, Any]] = found["steps"]
    return steps


def test_an_image_of_ones_own_keeps_what_ours_needs() -> None:
    [text] = [one.text for one in pages.blocks(GUIDE, "dockerfile")]
    words = re.findall(r"^([A-Z]+) ", text, re.MULTILINE)

    assert words == ["ARG", "FROM", "RUN"]
    [uses] = [step for step in workflow("An image of your own") if "docker://" in step["uses"]]
    assert uses["with"] == {"github-token": "${{ github.token }}"}


def test_a_step_without_a_container_gates_and_leaves_its_report_for_the_upload(
    tmp_path: Path,
) -> None:
    steps = workflow("No container")
    [gate] = [step for step in steps if "run" in step]
    upload = steps[-1]["with"]
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "mergebar").symlink_to(Path(sys.executable).with_name("mergebar"))
    (programs / "pip").write_text('#!/bin/sh\ntest "$*" = "install mergebar"\n')
    (programs / "pip").chmod(0o755)

    with job(tmp_path) as made:
        made.items(passing("so far"), passing("more"))
        step = made.pull_request()
        given = {"INPUT_GITHUB_TOKEN": step.environ["INPUT_GITHUB-TOKEN"]}
        environ = {
            name: value
            for name, value in step.environ.items()
            # A `run:` step has neither inputs nor the artifact service.
            if not name.startswith(("INPUT_", "ACTIONS_"))
        }
        done = subprocess.run(
            ["bash", "-e", "-c", gate["run"]],
            cwd=made.workspace,
            env={
                **commands.environment({**environ, **_literal(gate["env"]), **given}),
                "PATH": f"{programs}:{ENVIRON['PATH']}",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "::warning::" not in done.stdout
        assert json.loads((made.workspace / upload["path"] / "report.json").read_text())["checks"]
        assert len(made.comments) == 1
        assert upload["name"] == "mergebar-report-mergebar"


def _literal(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if "${{" not in value}


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def started(script: str, folder: Path) -> Iterator[str]:
    """A step that leaves a server running; all of it ends with the test."""
    process = subprocess.Popen(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env=ENVIRON,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        said = process.stdout.read()
        assert process.wait(timeout=60) == 0
        yield said
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.stdout.close()


def test_an_agent_that_a_step_has_started_is_asked_at_its_address(tmp_path: Path) -> None:
    heading, port = "An agent at an address", str(_free())
    files = {
        one.name: one.text.replace("8080", port)
        for one in pages.blocks(GUIDE)
        if one.heading == heading and one.name is not None
    }
    root = gates.repository(tmp_path / "r", passing("You said: so far")).path
    for name in ("server.py", "mergebar.yml"):
        (root / name).write_text(files[name])
    (root / "evals/desk.json").write_text(
        gates.document(
            {"prompt": "Hi", "expected_response": "You said: Hi"},
            default_evaluators={"ExactMatch": {}},
        )
    )
    start, gate = workflow(heading)[1:]
    address = gate["env"]["AGENT_URL"]
    assert BRIDGE in address

    with started(start["run"].replace("8080", port), root) as said:
        assert json.loads(said) == {"ready": True}
        here = address.replace(BRIDGE, "127.0.0.1").replace("8080", port)
        done = commands.inside("run", "--all", cwd=root, environ={"AGENT_URL": here})
    assert done.code == 0, done.said
    assert "passed: 1 check measured" in done.stdout


@pytest.mark.parametrize("page", ["README.md", "docs/guides/github-action.md"])
def test_other_pages_send_readers_here(page: str) -> None:
    assert "own-tools.md" in (ROOT / page).read_text(encoding="utf-8")
