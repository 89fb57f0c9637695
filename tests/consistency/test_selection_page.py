"""docs/concepts/selection.md: `mergebar plan` says what the page says, on the page's own example."""

import json
from pathlib import Path

import pytest

from support import commands, pages, traces
from support.repositories import Repository

PAGE = "concepts/selection.md"
SECTIONS = pages.sections(PAGE)
CHANGED = pages.rows(SECTIONS["Which suites that affects"], "changed")
OF_ARTIFACTS = pages.rows(SECTIONS["Which evals of an artifact that affects"], "changed")
SELECTED = pages.rows(SECTIONS["What is left out on purpose"], "reason in the plan")
EVERYTHING = pages.rows(SECTIONS["When everything runs"], "reason in the plan")
SUITES = ("evals/stored/faq.json", "evals/support/hr.json")
SKILL = """\
---
name: mend
description: Mends leaks.
metadata:
  evals:
    - {id: looked-first, grader: tool-usage, options: {tool: Read}}
---
Mend the leak.
"""
DOCUMENT = {
    "schemaVersion": "1.9.0",
    "default_evaluators": {"Citations": {}},
    "items": [{"prompt": "Is it waterproof?", "tags": ["water"]}],
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    config, _ = pages.blocks(PAGE, "yaml")
    repository = Repository(tmp_path_factory.mktemp("selection"))
    repository.git("init", "--quiet")
    repository.write("mergebar.yml", config.text)
    for row in CHANGED:
        [name] = pages.names(row[0])
        if name not in {*SUITES, "mergebar.yml"}:
            repository.write(name, "{}")
    for suite in SUITES:
        repository.write(suite, json.dumps(DOCUMENT))
    repository.commit()
    return repository


@pytest.fixture(scope="module")
def skilled(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    _, config = pages.blocks(PAGE, "yaml")
    repository = Repository(tmp_path_factory.mktemp("skilled"))
    repository.git("init", "--quiet")
    repository.write("mergebar.yml", config.text)
    repository.write(".claude/skills/mend/SKILL.md", SKILL)
    used = traces.call("Skill", skill="mend")
    records = traces.chained([traces.text("Mend it."), traces.replied(used)])
    repository.write("traces/leak.jsonl", traces.lines(records).decode())
    repository.commit()
    return repository


def reasons(here: Path, *arguments: str) -> dict[str, tuple[bool, str]]:
    ended = commands.inside("plan", "--format", "json", *arguments, cwd=here)
    assert ended.code == 0, ended.said
    suites = json.loads(ended.stdout)["suites"]
    return {suite["path"]: (suite["affected"], suite["reason"]) for suite in suites}


@pytest.mark.parametrize("row", CHANGED, ids=lambda row: row[0])
def test_a_change_affects_the_suites_that_the_page_says(row: list[str], here: Repository) -> None:
    [changed] = pages.names(row[0])
    plan = reasons(here.path, "--changed", changed)

    assert set(plan) == set(SUITES)
    affected = {path: reason for path, (runs, reason) in plan.items() if runs}
    assert sorted(affected) == sorted(pages.names(row[1]))
    assert all(reason == f"affected: {row[2]}" for reason in affected.values())


@pytest.mark.parametrize("row", OF_ARTIFACTS, ids=lambda row: row[0])
def test_a_change_affects_an_artifact_as_the_page_says(row: list[str], skilled: Repository) -> None:
    [changed] = pages.names(row[0])
    if not (skilled.path / changed).exists():
        skilled.write(changed)
    plan = reasons(skilled.path, "--changed", changed)

    affected = {path: reason for path, (runs, reason) in plan.items() if runs}
    assert len(plan) == 1
    assert list(affected) == pages.names(row[1])
    assert all(reason == f"affected: {row[2]}" for reason in affected.values())


def test_evals_that_were_edited_are_affected_alone_and_another_text_affects_all(
    skilled: Repository,
) -> None:
    more = SKILL.replace(
        "---\nMend", "    - {id: wrote, grader: tool-usage, options: {tool: Write}}\n---\nMend"
    )
    path = ".claude/skills/mend/SKILL.md"
    skilled.write(path, more)
    added = reasons(skilled.path, "--base", "HEAD")[path]
    skilled.write(path, more.replace("Mend the leak.", "Mend it well."))
    rewritten = reasons(skilled.path, "--base", "HEAD")[path]
    skilled.git("checkout", "--quiet", ".")

    assert added == (True, "affected: 1 of its 2 evals changed")
    assert rewritten == (True, f"affected: the text of `{path}` changed")


def test_where_it_is_not_known_what_changed_everything_runs(here: Repository) -> None:
    plan = reasons(here.path)

    assert all(runs for runs, _ in plan.values())
    said = EVERYTHING[2][0].removeprefix("`` ").removesuffix(" ``")
    assert {reason for _, reason in plan.values()} == {f"affected: {said}"}
    asked = reasons(here.path, "--all")
    assert {reason for _, reason in asked.values()} == {f"affected: {EVERYTHING[0][0].strip('`')}"}


def test_what_an_option_leaves_out_is_called_as_the_page_says(here: Repository) -> None:
    tagged = json.dumps({**DOCUMENT, "items": [{"prompt": "a", "tags": ["colour"]}]})
    here.write(SUITES[0], tagged)
    plans = [
        reasons(here.path, SUITES[1]),
        reasons(here.path, "--agent", "support"),
        reasons(here.path, "--tag", "water"),
    ]

    for row, plan in zip(SELECTED, plans, strict=True):
        said = plan.get(SUITES[0], (False, SELECTED[0][0].strip("`")))
        start, _, end = row[0].strip("`").partition("…")
        assert not said[0]
        assert said[1].startswith(start)
        assert not end or end.split(" …", 1)[0].strip(", ") in said[1]
    here.git("checkout", "--quiet", ".")


def test_a_file_under_its_old_name_counts_and_mergebars_own_files_do_not(here: Repository) -> None:
    here.git("mv", "prompts/answer.md", "docs.md")
    moved = reasons(here.path, "--base", "HEAD")
    here.git("mv", "docs.md", "prompts/answer.md")
    here.write(".mergebar/documents/evals/support/hr.json", "{}")
    own = reasons(here.path, "--base", "HEAD")

    assert moved[SUITES[1]] == (
        True,
        "affected: `prompts/answer.md` is a source of agent `support`",
    )
    assert not any(runs for runs, _ in own.values())
