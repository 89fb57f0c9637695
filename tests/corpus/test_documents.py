"""Each `documents/<name>.json` is read as its `<name>.expect.json` says: all problems, no other.

A message is a fragment: it has to be in the real one.
"""

import json
from pathlib import Path

import pytest

from mergebar.suites import documents
from support import suites

FOLDER = Path(__file__).parent / "documents"
EXPECTED = ".expect.json"
NAMES = sorted(path.name.removesuffix(EXPECTED) for path in FOLDER.glob(f"*{EXPECTED}"))


def test_every_document_has_its_expectation() -> None:
    written = {path.stem for path in FOLDER.glob("*.json") if not path.name.endswith(EXPECTED)}

    assert written == set(NAMES)
    assert len(NAMES) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_read_as_expected(name: str) -> None:
    expected = json.loads((FOLDER / f"{name}{EXPECTED}").read_text(encoding="utf-8"))
    data = (FOLDER / f"{name}.json").read_bytes()

    document = documents.read(data, path=f"{name}.json", explain=suites.explain)

    found = [
        {
            "level": str(problem.level),
            "rule": problem.rule,
            "line": problem.line,
            "column": problem.column,
        }
        for problem in document.problems
    ]
    wanted = [
        {key: value for key, value in problem.items() if key != "message"}
        for problem in expected["problems"]
    ]
    assert found == wanted
    for problem, told in zip(document.problems, expected["problems"], strict=True):
        assert told["message"] in problem.message
        assert problem.path == f"{name}.json"
    assert len(document.cases) == expected["cases"]
