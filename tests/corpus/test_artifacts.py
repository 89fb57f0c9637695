"""Each `artifacts/<name>.md` is read as its `<name>.expect.json` says: all problems, no other.

A message is a fragment: it has to be in the real one. `path` is where the file would lie.
"""

import json
from pathlib import Path

import pytest

from mergebar.suites import artifacts
from support import suites

FOLDER = Path(__file__).parent / "artifacts"
EXPECTED = ".expect.json"
NAMES = sorted(path.name.removesuffix(EXPECTED) for path in FOLDER.glob(f"*{EXPECTED}"))


def test_every_artifact_has_its_expectation() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(NAMES)
    assert len(NAMES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_an_artifact_is_read_as_expected(name: str) -> None:
    expected = json.loads((FOLDER / f"{name}{EXPECTED}").read_text(encoding="utf-8"))
    path = expected.get("path", ".claude/skills/example/SKILL.md")
    data = (FOLDER / f"{name}.md").read_bytes()

    artifact = artifacts.read(data, path=path, explain=suites.explain)

    found = [
        {
            "level": str(problem.level),
            "rule": problem.rule,
            "line": problem.line,
            "column": problem.column,
        }
        for problem in artifact.problems
    ]
    wanted = [
        {key: value for key, value in problem.items() if key != "message"}
        for problem in expected["problems"]
    ]
    assert found == wanted
    for problem, told in zip(artifact.problems, expected["problems"], strict=True):
        assert told["message"] in problem.message
        assert problem.path == path
    assert [each.name for each in artifact.evals] == expected["evals"]
    assert artifact.is_suite is expected.get("suite", bool(expected["evals"]))
