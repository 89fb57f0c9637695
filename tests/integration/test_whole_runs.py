"""Where all suites run, for whatever reason, what the change does is told as where few of them do."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mergebar.model.text import JsonObject
from support import commands, held, scenarios
from support.held import QUIET, READS, SKILL
from support.repositories import Repository
from support.scenarios import DESK, document

TRACE, OTHER, MOVED = "traces/mend.jsonl", "traces/also.jsonl", "evals/moved.json"
GROUP: JsonObject = {"paths": [".claude/skills/**/SKILL.md"], "traces": ["traces/*.jsonl"]}
RATED: JsonObject = {"paths": ["evals/*.json"], "agent": "desk", "min_pass_rate": 0.1}


def asked_for(_here: Repository) -> list[str]:
    return ["--all"]


def by_their_paths(_here: Repository) -> list[str]:
    return ["evals", ".claude"]


def a_submodule(here: Repository) -> list[str]:
    """Git doesn't say what changed in another repository, so all may have."""
    inside = "160000,1234567890123456789012345678901234567890,vendor"
    here.git("update-index", "--add", "--cacheinfo", inside)
    here.git("commit", "--quiet", "--message", "vendor")
    (here.path / "vendor").mkdir()
    return []


@pytest.fixture
def here(tmp_path: Path) -> Repository:
    """A branch that makes a failing suite a rated one, moves it, and rewrites a skill."""
    files = {
        "mergebar.yml": scenarios.config(artifacts=[GROUP]),
        SKILL: held.skill(READS, QUIET),
        TRACE: held.recorded(held.session()),
        OTHER: held.recorded(held.session(runs=True)),
    }
    desk = scenarios.desk(tmp_path, files)
    desk.measure()
    changed = scenarios.config(artifacts=[GROUP], documents=[RATED])
    again = held.recorded(held.session(runs=True)) + "\n"
    desk.change(
        {"mergebar.yml": changed, SKILL: held.skill(READS, QUIET, body="Twice.\n"), OTHER: again},
        (DESK, MOVED),
    )
    return desk.here


def report(here: Repository, *options: str) -> dict[str, Any]:
    baseline = ("--baseline", "../base.json")
    commands.inside("run", "--base", "main", *baseline, *options, cwd=here.path)
    found: dict[str, Any] = json.loads((here.path / ".mergebar/report.json").read_text())
    return found


@pytest.mark.parametrize("way", [asked_for, by_their_paths, a_submodule])
def test_what_a_change_does_is_told_whyever_all_runs(
    here: Repository, way: Callable[[Repository], list[str]]
) -> None:
    told = report(here, *way(here))

    comparison = told["comparison"]
    assert all(one["affected"] for one in told["suites"])
    assert comparison["renamed"] == [{"was": DESK, "now": MOVED}]
    assert [one["path"] for one in comparison["edited"]] == [OTHER]
    assert "`min_pass_rate` of `evals/*.json`" in {one["what"] for one in comparison["loosened"]}
    stale = [one for one in told["checks"] if one["suite"] == SKILL]
    assert {one["skip"] for one in stale} == {"withheld"}
    assert told["decision"]["outcome"] == "could-not-evaluate"


def test_without_a_baseline_too(here: Repository) -> None:
    here.commit({MOVED: document("b", "c")})

    commands.inside("run", "--base", "main", "--all", cwd=here.path)

    loosened = commands.report(here.path / ".mergebar/report.json")["comparison"]["loosened"]
    assert {one["what"] for one in loosened} == {"`min_pass_rate` of `evals/*.json`", "case `a`"}


def test_a_listed_change_counts_for_the_suites_that_are_named(here: Repository) -> None:
    told = report(here, ".claude", "--changed", SKILL)

    assert {one["skip"] for one in told["checks"]} == {"withheld"}


def test_a_listed_name_that_nobody_knows_is_refused_there_as_well(here: Repository) -> None:
    ended = commands.inside("run", "evals", "--changed", "nothing.md", cwd=here.path)

    assert ended.code == 2
    assert "nothing.md" in ended.said
