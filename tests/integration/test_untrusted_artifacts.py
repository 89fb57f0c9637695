"""Strangers' pull requests: their sessions and programs don't run, and their verdicts don't count."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from support import commands, events, held
from support.commands import Ended
from support.held import QUIET, READS, SEEN, SKILL
from support.repositories import Repository

TRACE = "traces/mend.jsonl"
RUNS = "- {id: runs, grader: command, command: [touch, ran]}"
CONFIG = held.running().replace("    sessions:", "    traces: [traces/*.jsonl]\n    sessions:")


def fork(here: Repository, tmp_path: Path, *, base: str) -> Mapping[str, str]:
    """The environment of the action on a fork's pull request of what is checked out."""
    payload = events.pull_request(base=base, head=here.head(), head_repository="stranger/agent")
    return events.environ(
        "pull_request", path=tmp_path / "event.json", payload=payload, sha=here.head()
    )


def start(tmp_path: Path, *evals: str) -> Repository:
    return held.repository(
        tmp_path,
        {
            SKILL: held.skill(*evals, body="Once.\n"),
            TRACE: held.recorded(held.session()),
            "agent.py": held.agent(f"open({str(tmp_path / 'leaked')!r}, 'w')"),
            "sessions/leak.md": "mend",
        },
        config=CONFIG,
    )


def run(here: Repository, tmp_path: Path, *, base: str) -> Ended:
    return commands.inside("run", cwd=here.path, environ=fork(here, tmp_path, base=base))


def test_what_runs_code_is_withheld_and_the_rest_is_graded(tmp_path: Path) -> None:
    here = start(tmp_path, QUIET)
    base = here.head()
    here.commit({
        SKILL: held.skill(READS, QUIET, RUNS, body="Once.\n"),
        TRACE: held.recorded(held.session(runs=True)),
    })  # fmt: skip

    ended = run(here, tmp_path, base=base)

    report = ended.report()
    assert report["run"]["trusted"] is False
    assert held.checks(report) == {
        "mend.jsonl::reads": "pass",
        "mend.jsonl::quiet": "fail",
        "mend.jsonl::runs": "withheld",
        "leak::reads": "withheld",
        "leak::quiet": "withheld",
        "leak::runs": "withheld",
    }
    assert not (tmp_path / "leaked").exists()
    assert not list(here.path.rglob("ran"))
    assert "repository code does not run for untrusted events" in ended.said


def test_a_command_alone_is_never_green_on_a_fork(tmp_path: Path) -> None:
    here = start(tmp_path, QUIET)
    base = here.head()
    here.commit({SKILL: held.skill(QUIET, RUNS, body="Once.\n")})

    assert run(here, tmp_path, base=base).code == 3


def verdict(digest: str) -> str:
    entry = {
        "suite": SKILL,
        "eval": "looked-at",
        "session": "mend.jsonl",
        "digest": digest,
        "verdict": "pass",
        "by": "stranger",
    }
    return json.dumps({"version": 1, "reviews": [entry]})


@pytest.mark.parametrize(("before", "outcome"), [(False, "needs-review"), (True, "pass")])
def test_a_verdict_counts_only_if_the_base_has_it(
    tmp_path: Path, *, before: bool, outcome: str
) -> None:
    here = start(tmp_path, SEEN)
    waiting = commands.inside("run", "--all", cwd=here.path).report()
    digest = next(one["review"] for one in waiting["checks"] if one["case"] == "mend.jsonl")
    if before:
        here.commit({"mergebar.reviews.yml": verdict(digest)})
    base = here.head()
    here.commit({
        "mergebar.reviews.yml": verdict(digest),
        TRACE: held.recorded(held.session()) + "\n",
    })  # fmt: skip

    report = run(here, tmp_path, base=base).report()

    assert held.checks(report)["mend.jsonl::looked-at"] == outcome
