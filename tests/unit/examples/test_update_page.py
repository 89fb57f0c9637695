"""The example's skill: it shows every grader, and its session is one that a host could print."""

import subprocess
import sys
from pathlib import Path

from mergebar.catalogue import graders
from mergebar.model.sessions import Session
from mergebar.suites import artifacts
from mergebar.traces import read
from support import suites

EXAMPLE = Path(__file__).parents[3] / "examples/support-agent"
SKILL = EXAMPLE / ".claude/skills/update-page/SKILL.md"
TRACE = EXAMPLE / "traces/release-4.2.jsonl"
SCRIPT = SKILL.parent / "pages_only.py"


def test_it_declares_an_eval_of_every_grader() -> None:
    found = artifacts.read(
        SKILL.read_bytes(), path="skills/update-page/SKILL.md", explain=suites.explain
    )

    assert found.problems == ()
    assert {declared.grader for declared in found.evals} == set(graders.GRADERS)


def test_its_session_is_whole_and_nothing_about_it_is_strange() -> None:
    session = read(TRACE)

    assert isinstance(session, Session)
    assert (session.format, session.complete, session.notes) == ("claude-stream", True, ())


def check(trace: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-I", SCRIPT, trace], capture_output=True, text=True, check=False
    )


def test_its_program_tells_pages_from_other_files(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(TRACE.read_text().replace("pages/power-cuts.md", "evals/answers.json"))

    assert check(TRACE).returncode == 0
    wrong = check(other)
    assert wrong.returncode == 1
    assert "evals/answers.json was written, and is no page" in wrong.stderr
