"""What a change's own files ask less of, where nothing was measured to compare with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support import commands, held, scenarios
from support.held import CONFIG, QUIET, READS, SKILL
from support.scenarios import DESK, Desk, config, document, item

PARTIAL: Mapping[str, object] = {"PartialMatch": {"threshold": 0.9}}
BOTH: Mapping[str, object] = {"ExactMatch": {}, "PartialMatch": {}}
FIRST = item("a", evaluators=PARTIAL, severity="error", weight=3, runs=2)
SECOND = item("b", evaluators=BOTH)


def first(
    *,
    evaluators: Mapping[str, object] = PARTIAL,
    severity: str = "error",
    weight: int = 3,
    runs: int = 2,
) -> dict[str, object]:
    return item("a", evaluators=evaluators, severity=severity, weight=weight, runs=runs)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    files = {
        DESK: document(FIRST, SECOND),
        "mergebar.yml": config(gate={"loosened": "review"}),
        "answers.json": scenarios.answers(a="yes", b="yes"),
    }
    return scenarios.desk(tmp_path, files)


def told(report: Mapping[str, Any]) -> list[str]:
    found = report["comparison"]["loosened"]
    return [f"{one['kind']}: {one['what']} {one['was']} → {one['now']}" for one in found]


DOCUMENTS: Mapping[str, tuple[str | None, list[str]]] = {
    "threshold": (
        document(first(evaluators={"PartialMatch": {"threshold": 0.1}}), SECOND),
        ["threshold: threshold of `PartialMatch` 0.9 → 0.1"],
    ),
    "severity": (
        document(first(severity="notice"), SECOND),
        ["severity: severity of `PartialMatch` error → notice"],
    ),
    "weight": (document(first(weight=1), SECOND), ["weight: weight of `PartialMatch` 3 → 1"]),
    "runs": (document(first(runs=1), SECOND), ["runs: runs of `PartialMatch` 2 → 1"]),
    "case": (document(SECOND), ["check: case `a` 1 check → removed"]),
    "evaluator": (
        document(FIRST, item("b", evaluators={"PartialMatch": {}})),
        ["evaluator: `ExactMatch` on 1 case → removed"],
    ),
    "suite": (None, [f"suite: suite `{DESK}` 3 checks → removed"]),
    "order": (document(SECOND, FIRST), []),
    "raised": (document(first(weight=9, runs=3), SECOND, "c"), []),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_asks_less_of_is_told_without_a_baseline(desk: Desk, name: str) -> None:
    text, said = DOCUMENTS[name]
    desk.change({DESK: text, "evals/other.json": document("d")})

    ran = desk.run("--base", "main")

    assert ran.report["comparison"]["baseline"] is None
    assert told(ran.report) == said
    if said and ran.outcome != "failed":
        assert ran.headline.endswith("1 loosened")


def test_a_document_without_cases_is_invalid_and_so_never_green(desk: Desk) -> None:
    desk.change({DESK: document(), "evals/other.json": document("d")})

    assert desk.run("--base", "main").outcome == "invalid"


def test_so_it_is_in_a_suite_that_was_renamed(desk: Desk) -> None:
    desk.change({}, (DESK, "evals/moved.json"))
    desk.change({"evals/moved.json": document(first(weight=1), SECOND)})

    assert told(desk.run("--base", "main").report) == ["weight: weight of `PartialMatch` 3 → 1"]


def test_an_artifact_that_moves_and_loses_its_evals_is_told_of_at_its_new_path(
    tmp_path: Path,
) -> None:
    moved = ".claude/skills/repair/SKILL.md"
    kept = {".claude/skills/other/SKILL.md": held.skill(READS, name="other")}
    body = "Mend the leak.\n" * 40
    here = held.repository(
        tmp_path,
        {SKILL: held.skill(QUIET, body=body), **kept, "traces/a.jsonl": ""},
        config=CONFIG,
    )
    here.git("tag", "base")
    here.git("rm", "-q", SKILL)
    here.commit({moved: held.skill(name="repair", body=body)})

    report = commands.inside("run", "--base", "base", cwd=here.path).report()

    assert told(report) == [f"suite: suite `{moved}` 1 check → removed"]


def test_with_a_baseline_it_is_told_once(desk: Desk) -> None:
    desk.measure()
    desk.change({DESK: document(first(weight=1), SECOND)})

    assert told(desk.compare().report) == ["weight: weight of `PartialMatch` 3 → 1"]


BOUNDS: Mapping[str, tuple[str, str, list[str]]] = {
    "a higher ceiling": ("max: 1", "max: 100", ["threshold: `max` of `often` 1 → 100"]),
    "no ceiling": ("max: 1, min: 0", "min: 0", ["threshold: `max` of `often` 1 → unset"]),
    "a lower floor": ("min: 3", "min: 2", ["threshold: `min` of `often` 3 → 2"]),
    "no floor": ("min: 3", "includeSidechains: false", ["threshold: `min` of `often` 3 → unset"]),
    "a lower ceiling": ("max: 100", "max: 1", []),
    "a higher floor": ("min: 2", "min: 3", []),
    "a floor that is the default": ("min: 1", "includeSidechains: false", []),
    "another tool": ("max: 1", "max: 100, includeSidechains: true", []),
}


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("baseline", [True, False])
def test_a_bound_of_a_grader_that_got_wider_is_told(
    tmp_path: Path, name: str, *, baseline: bool
) -> None:
    was, now, said = BOUNDS[name]
    eval_ = "- {id: often, grader: tool-usage, options: {tool: Read, %s}}"
    files = {
        SKILL: held.skill(eval_ % was),
        "traces/mend.jsonl": held.recorded(held.session()),
    }
    here = held.repository(tmp_path, files, config=CONFIG)
    here.git("tag", "base")
    more: tuple[str, ...] = ()
    if baseline:
        commands.inside("run", "--all", cwd=here.path)
        (here.path / ".mergebar" / "report.json").rename(tmp_path / "base.json")
        more = ("--baseline", str(tmp_path / "base.json"))
    here.commit({SKILL: held.skill(eval_ % now)})

    report = commands.inside("run", "--base", "base", *more, cwd=here.path).report()

    assert (report["comparison"]["baseline"] is not None) == baseline
    assert told(report) == said


def quiet(said: str) -> str:
    return f"{QUIET[:-1]}, {said}}}"


ARTIFACTS: Mapping[str, tuple[str | None, list[str]]] = {
    "severity": (
        held.skill(READS, quiet("severity: notice")),
        ["severity: severity of `quiet` error → notice"],
    ),
    "weight": (
        held.skill(READS, quiet("weight: 0.5")),
        ["weight: weight of `quiet` 1 → 0.5"],
    ),
    "skip": (
        held.skill(READS, quiet("skip: true")),
        ["skip: `quiet` measured → skipped (`skip`: skipped by its author)"],
    ),
    "eval": (held.skill(READS), ["evaluator: `quiet` on 1 case → removed"]),
    "every eval": (held.skill(), [f"suite: suite `{SKILL}` 2 checks → removed"]),
    "artifact": (None, [f"suite: suite `{SKILL}` 2 checks → removed"]),
}


@pytest.mark.parametrize("name", ARTIFACTS)
def test_what_an_artifact_asks_less_of_is_told_without_a_baseline(
    tmp_path: Path, name: str
) -> None:
    text, said = ARTIFACTS[name]
    files = {
        SKILL: held.skill(READS, QUIET),
        ".claude/skills/other/SKILL.md": held.skill(READS, name="other"),
        "traces/mend.jsonl": held.recorded(held.session()),
    }
    here = held.repository(tmp_path, files, config=CONFIG)
    here.git("tag", "base")
    here.commit({SKILL: text})

    report = commands.inside("run", "--base", "base", cwd=here.path).report()

    assert told(report) == said


@pytest.mark.parametrize(
    "text",
    [
        held.skill(),
        held.skill(READS, QUIET).replace("---", "--- # by hand", 1),
        "\ufeff\ufeff" + held.skill(READS, QUIET),
        "<!-- by hand -->\n" + held.skill(READS, QUIET),
    ],
    ids=["deleted", "commented", "marked", "preceded"],
)
def test_with_a_baseline_it_is_said_that_an_artifact_declares_none_any_more(
    tmp_path: Path, text: str
) -> None:
    files = {SKILL: held.skill(READS, QUIET), "traces/mend.jsonl": held.recorded(held.session())}
    here = held.repository(tmp_path, files, config=CONFIG)
    commands.inside("run", "--all", "--write-baseline", cwd=here.path)
    here.commit()
    here.git("tag", "base")
    here.commit({SKILL: text})

    ended = commands.inside("run", "--base", "base", cwd=here.path)

    assert told(ended.report()) == [f"suite: suite `{SKILL}` 2 checks → declares no evals any more"]
    assert ("not read as such" in ended.said) == (text != held.skill())
