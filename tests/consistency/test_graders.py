"""docs/reference/graders.md says what the catalogue, the graders and the reviews do."""

import re
from pathlib import Path

import pytest

from mergebar import plugins, reviews
from mergebar.catalogue import graders as catalogue
from mergebar.graders import ai, claims, command, consensus, targets, transcript
from mergebar.graders.matching import Bounds
from mergebar.model.artifacts import TargetSource
from mergebar.model.gradings import Demands
from mergebar.reviews import Judgement
from support import graded, suites

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/reference/graders.md").read_text(encoding="utf-8")
INTRODUCTION, *PARTS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
SECTIONS = {part.partition("\n")[0].strip(): part for part in PARTS}
NAMES = sorted(catalogue.GRADERS)
EVALS = {
    "ai": "assertion: A.",
    "human": "grader: human, assertion: A.",
    "command": "grader: command, command: ['true']",
    "tool-order": "grader: tool-order, options: {before: a, after: b}",
    "tool-usage": "grader: tool-usage, options: {tool: a}",
    "skill-invoked": "grader: skill-invoked, options: {skill: a}",
    "file-access": "grader: file-access, options: {path: a}",
    "turn-count": "grader: turn-count, options: {max: 1}",
    "cost": "grader: cost, options: {maxUsd: 1}",
    "regex": "grader: regex, options: {pattern: a}",
    "json-output": "grader: json-output, options: {schema: {}}",
}
BY_TARGET = {"ai", "regex"}
OWN_WORDS = {"cost": "token usage or cost"}
"""Each bound of `cost` has a need of its own."""


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


def demands(root: Path, name: str) -> Demands:
    artifact = graded.read(root, f"- {{id: one, {EVALS[name]}}}")
    return graded.grader_of(name).demands(artifact.evals[0])


@pytest.mark.parametrize("name", NAMES)
def test_the_table_says_what_a_grader_demands(tmp_path: Path, name: str) -> None:
    (row,) = [row for row in rows(INTRODUCTION) if row[0] == f"[{name}](#{name})"]
    found = demands(tmp_path, name)
    needs = ", ".join(need.value for need in sorted(found.capabilities)) or "–"

    assert row[1:] == [
        "by its `target`" if name in BY_TARGET else OWN_WORDS.get(name, needs),
        "the trace" if name == "command" else
        "the whole session" if found.whole else "the artifact's part",
        "yes" if name == "ai" else "no",
        "yes" if found.runs_code else "no",
    ]  # fmt: skip


def test_there_is_a_row_and_a_section_for_every_grader() -> None:
    listed = [row[0] for row in rows(INTRODUCTION)[2:]]

    assert listed == [f"[{name}](#{name})" for name in catalogue.GRADERS]
    assert list(SECTIONS)[: len(listed)] == list(catalogue.GRADERS)
    assert set(plugins.GRADERS) == set(catalogue.GRADERS)
    assert "There are eleven" in INTRODUCTION
    assert len(catalogue.GRADERS) == 11


@pytest.mark.parametrize("name", NAMES)
def test_graders_of_whole_sessions_are_those_that_refuse_a_trigger(
    tmp_path: Path, name: str
) -> None:
    assert demands(tmp_path, name).whole is catalogue.GRADERS[name].whole


def test_every_target_has_a_row() -> None:
    listed = [row[0] for row in rows(SECTIONS["ai"].partition("| votes |")[0])[2:]]

    assert listed == [
        *(f"`{source.value}`" for source in TargetSource if source is not TargetSource.FILE),
        "`{source: file, path: …}`",
    ]
    assert set(targets.NEEDS) == set(TargetSource)


def test_the_numbers_are_those_of_the_code() -> None:
    said = SECTIONS["ai"]
    assert f"else {ai.RUNS}." in said
    assert f"{transcript.Caps().total:,} characters" in said
    assert f"first {transcript.Caps().failure} characters" in said
    assert f"at most {targets.FILE_LIMIT // 1024**2} MB" in said
    assert said.count(f"at least {consensus.AUTO_PASS}") == 2
    assert consensus.AUTO_PASS == consensus.AUTO_FAIL
    assert f"more than {command.OUTPUT_LIMIT // 1024**2} MB" in SECTIONS["command"]
    assert (Bounds().once_s, "longer than two seconds" in SECTIONS["regex"]) == (2.0, True)
    assert f"first {claims.ARTIFACT_LIMIT:,} characters" in said


def test_the_example_of_a_review_is_one() -> None:
    [block] = re.findall(r"```yaml\n(.*?)```", SECTIONS["Reviews"], flags=re.DOTALL)

    parsed = reviews.parse(block.encode(), path=reviews.FILE, explain=suites.explain)

    assert parsed.problems == ()
    assert [review.verdict for review in parsed.reviews] == [Judgement.PASS]
    assert f"`{reviews.FILE}`" in SECTIONS["Reviews"]
