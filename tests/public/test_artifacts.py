"""The public artifacts and the edge cases of the format: no crash, and the verdicts agree."""

import base64
import csv
import json
from pathlib import Path

import pytest

from conftest import SHARED
from mergebar.model.artifacts import Artifact
from mergebar.model.problems import Level
from mergebar.suites import artifacts
from support import commands, suites

CASES = "artifact-evals-edge-cases.jsonl"


def _rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "corpus/MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [row for row in rows if row["local_path"].startswith("artifacts/")]


def _read(data: bytes, path: str) -> Artifact:
    return artifacts.read(data, path=path, explain=suites.explain)


def _public(shared: Path, row: dict[str, str]) -> Artifact:
    path = row["local_path"].split("/", 2)[2]
    return _read((shared / "corpus" / row["local_path"]).read_bytes(), path)


def _breaks_the_schema(artifact: Artifact) -> bool:
    return any(
        problem.level is Level.ERROR and problem.rule.startswith("schema/")
        for problem in artifact.problems
    )


def _verdict(artifact: Artifact) -> str:
    levels = {problem.level for problem in artifact.problems}
    if Level.ERROR in levels:
        return "invalid"
    if Level.WARNING in levels:
        return "valid+warning"
    return "valid+notice" if levels else "valid"


def test_schema_faults_agree_with_the_official_schema(shared: Path) -> None:
    rows = _rows(shared)

    disagreeing = [
        row["local_path"]
        for row in rows
        if _breaks_the_schema(_public(shared, row)) != (row["validation"] == "INVALID")
    ]

    assert len(rows) > 200
    assert disagreeing == []


def test_every_eval_of_a_valid_artifact_is_read_or_something_is_told(shared: Path) -> None:
    for row in _rows(shared):
        artifact = _public(shared, row)
        if row["evaluators_or_evals"].startswith("metadata.evals"):
            assert artifact.is_suite
            assert artifact.evals or artifact.problems, row["local_path"]
        assert all(problem.path == artifact.path for problem in artifact.problems)


def test_what_is_no_yaml_is_told_at_a_line_of_the_file(shared: Path) -> None:
    rows = [row for row in _rows(shared) if row["validation"] == "YAML parse error"]

    told = [problem for row in rows for problem in _public(shared, row).problems]

    assert len(told) > 30
    assert all(problem.line is None or problem.line >= 2 for problem in told)


LADDER = "artifact-evals ladder case; authors expect "
FUTURE = "13-13-a-future-grader-nobody-has-written-yet-open-enum"


def test_every_ladder_case_gets_the_verdict_that_its_authors_expect(shared: Path) -> None:
    """Those that are public as files; test_ladder.py has all, from their description."""
    rows = [row for row in _rows(shared) if row["what"].startswith(LADDER)]

    wrong = [
        row["local_path"]
        for row in rows
        if (_verdict(_public(shared, row)) == "invalid")
        != row["what"].removeprefix(LADDER).startswith("INVALID")
    ]

    assert len(rows) == 28
    assert [Path(path).parent.name for path in wrong] == [FUTURE]


def test_the_grader_of_the_future_is_the_only_thing_to_say_of_its_case(shared: Path) -> None:
    [row] = [row for row in _rows(shared) if FUTURE in row["local_path"]]

    assert [one.rule for one in _public(shared, row).problems] == ["artifact/unknown-grader"]


def _cases() -> list[str]:
    """At least one, so that what needs the public files says that they are absent."""
    path = SHARED / "corpus" / CASES
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else ['{"id": "none"}']


def test_all_edge_cases_are_there(shared: Path) -> None:
    assert shared.is_dir()
    assert len(_cases()) == 128


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("line", _cases(), ids=lambda line: str(json.loads(line)["id"]))
def test_an_edge_case_gets_its_verdict(line: str) -> None:
    case = json.loads(line)
    if "yaml" in case:
        data, path = f"---\n{case['yaml']}\n---\nBody\n".encode(), "skills/x/SKILL.md"
    else:
        data, path = base64.b64decode(case["file_base64"]), case["path"]

    artifact = _read(data, path)

    assert _verdict(artifact) == case["gate"], [each.message for each in artifact.problems]
    assert (artifact.evals == ()) or case["gate"] != "invalid"


def test_check_ends_by_the_verdicts_of_the_edge_cases(tmp_path: Path, shared: Path) -> None:
    """Reading is not all that `check` looks at."""
    del shared
    wanted: dict[str, str] = {}
    for line in _cases():
        case = json.loads(line)
        if "yaml" not in case:
            continue
        path = tmp_path / "skills" / case["id"].lower() / "SKILL.md"
        path.parent.mkdir(parents=True)
        head = f"---\nname: {case['id'].lower()}\ndescription: Mends leaks.\n"
        path.write_text(f"{head}{case['yaml']}\n---\nBody\n", encoding="utf-8")
        wanted[path.relative_to(tmp_path).as_posix()] = case["gate"].partition("+")[0]

    ended = commands.inside("check", "--format", "json", *wanted, cwd=tmp_path)

    assert len(wanted) == 113
    assert {
        suite["path"]: "invalid"
        if any(one["level"] == "error" for one in suite["problems"])
        else "valid"
        for suite in json.loads(ended.stdout)["suites"]
    } == wanted
