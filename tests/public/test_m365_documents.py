"""The public eval documents: none crashes, and our schema rules agree with the official schema."""

import csv
import json
from pathlib import Path

import pytest

from mergebar.commands import check
from mergebar.model.documents import Document
from mergebar.model.problems import Level
from mergebar.suites import documents
from support import suites

OLDER = ("1.0.", "1.1.", "1.2.", "1.3.", "1.4.", "1.5.", "1.6.", "1.7.")


def _rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "corpus" / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [row for row in rows if row["local_path"].startswith("m365/")]


def _read(shared: Path, path: str) -> Document:
    data = (shared / "corpus" / path).read_bytes()
    return documents.read(data, path="evals/public.json", explain=suites.explain)


def _breaks_the_schema(document: Document) -> bool:
    return any(
        problem.level is Level.ERROR and problem.rule.startswith("schema/")
        for problem in document.problems
    )


def test_schema_errors_agree_with_the_official_schema_up_to_its_version(shared: Path) -> None:
    rows = [
        row
        for row in _rows(shared)
        # A version that is none is one of the official schema's own invalid examples.
        if row["schemaVersion"].startswith(OLDER) or row["schemaVersion"] == "version-one"
    ]

    disagreeing = [
        row["local_path"]
        for row in rows
        if _breaks_the_schema(_read(shared, row["local_path"])) != (row["validation"] != "VALID")
    ]

    assert len(rows) > 70
    assert disagreeing == []


def test_every_public_document_is_read_or_refused_with_a_place(shared: Path) -> None:
    for row in _rows(shared):
        document = _read(shared, row["local_path"])

        assert document.cases or document.problems, row["local_path"]
        assert all(problem.line and problem.column for problem in document.problems)


def test_what_is_no_json_is_an_error_and_no_crash(shared: Path) -> None:
    (row,) = [row for row in _rows(shared) if row["validation"] == "parse-error"]

    document = _read(shared, row["local_path"])

    assert [problem.rule for problem in document.problems] == ["document/json-syntax"]


@pytest.mark.parametrize(
    ("shape", "rule"),
    [
        ("legacy bare array", "document/legacy-shape"),
        ("legacy {prompts:[...]}", "document/legacy-shape"),
        ("root doc without schemaVersion", "document/legacy-shape"),
        ("legacy runevals output", "document/legacy-results"),
        ("fragment: single item", "document/not-an-eval-document"),
    ],
)
def test_legacy_shapes_are_named_as_such(shared: Path, shape: str, rule: str) -> None:
    rows = [row for row in _rows(shared) if shape in row["what"]]

    assert rows
    for row in rows:
        assert rule in suites.rules(_read(shared, row["local_path"])), row["local_path"]


def test_the_newest_public_example_is_accepted(shared: Path) -> None:
    document = _read(shared, "m365/upstream/examples/valid/allowed-tools.json")

    assert [problem for problem in document.problems if problem.level is Level.ERROR] == []


def test_the_command_tells_all_of_them_in_its_json(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [str(shared / "corpus" / row["local_path"]) for row in _rows(shared)]

    code = check.main([*named, "--format", "json"])

    suites_told = json.loads(capsys.readouterr().out)["suites"]
    assert code == 2
    assert len(suites_told) == len(named)
    assert all(suite["kind"] == "document" for suite in suites_told)
