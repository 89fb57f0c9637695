"""A suite that no group of the configuration has: `check`, `plan` and `run` say so, loudly."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from support import artifacts, commands
from support.repositories import Repository

DOCUMENT = json.dumps(
    {
        "schemaVersion": "1.7.0",
        "default_evaluators": {"ExactMatch": {}},
        "items": [{"prompt": "Hello", "expected_response": "Hi", "response": "Hi"}],
    }
)
CONFIG = """\
version: 1
agents: {stored: {type: replay}}
documents: [{paths: [evals/shop.json], agent: stored}]
"""
MEASURED = "artifacts: [{paths: [.claude/skills/a/SKILL.md], traces: [t/*.jsonl], stale: warn}]\n"
EXCEPTED = CONFIG.replace("evals/shop.json", "evals/**/*.json, '!evals/drafts/*.json'")
SKILL = artifacts.text()

LEFT = {
    "beside one that is named": (CONFIG, {"evals/new.json": DOCUMENT}, {"evals/new.json"}),
    "below a usual folder": (CONFIG, {"evals/a/b.json": DOCUMENT}, {"evals/a/b.json"}),
    "of a usual name": (CONFIG, {"prompts.json": DOCUMENT}, {"prompts.json"}),
    "beside one at another place": (
        CONFIG.replace("evals/shop.json", "quality/a/shop.json"),
        {"quality/a/shop.json": DOCUMENT, "quality/a/new.json": DOCUMENT},
        {"evals/shop.json", "quality/a/new.json"},
    ),
    "an artifact without any group": (
        CONFIG,
        {".claude/skills/new/SKILL.md": SKILL},
        {".claude/skills/new/SKILL.md"},
    ),
}
NONE = {
    "settings": (CONFIG, {"evals/config.json": "{}", "evals/empty.json": ""}),
    "excepted on purpose": (EXCEPTED, {"evals/drafts/a.json": DOCUMENT}),
    "with a configuration of its own": (
        CONFIG,
        {"evals/b/mergebar.yml": CONFIG, "evals/b/evals/shop.json": DOCUMENT},
    ),
    "an artifact that declares nothing": (CONFIG, {".claude/skills/b/SKILL.md": "# Bare\n"}),
}


def repository(folder: Path, configuration: str, files: Mapping[str, str]) -> Repository:
    made = Repository(folder)
    folder.mkdir(parents=True, exist_ok=True)
    made.git("init", "--quiet", "--initial-branch", "main")
    made.commit({"evals/shop.json": DOCUMENT, "mergebar.yml": configuration})
    artifacts.write(folder, dict(files))
    return made


def told(cwd: Path, command: str) -> set[str]:
    """What is said to be in no group."""
    if command == "check":
        done = commands.inside("check", "--format", "json", cwd=cwd)
        problems = json.loads(done.stdout)["problems"]
        found = [one for one in problems if one["rule"].endswith("/not-configured")]
        assert {one["level"] for one in found} <= {"warning"}
    else:
        done = commands.inside("run", "--all", cwd=cwd)
        warnings = done.report()["warnings"]
        found = [one for one in warnings if "nothing measures" in one["message"]]
    assert done.code == 0, done.said
    return {one["path"] for one in found}


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("kind", LEFT)
def test_a_suite_in_no_group_is_a_warning(tmp_path: Path, kind: str, command: str) -> None:
    configuration, files, expected = LEFT[kind]
    made = repository(tmp_path / "r", configuration, files)

    assert told(made.path, command) == expected


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("kind", NONE)
def test_what_is_no_suite_or_left_out_on_purpose_is_not(
    tmp_path: Path, kind: str, command: str
) -> None:
    made = repository(tmp_path / "r", *NONE[kind])

    assert told(made.path, command) == set()


@pytest.mark.parametrize("folder", ["", "services/bot/"])
def test_a_document_that_a_change_brings_is_named_wherever_it_is(
    tmp_path: Path, folder: str
) -> None:
    made = Repository(tmp_path)
    made.git("init", "--quiet", "--initial-branch", "main")
    made.commit({f"{folder}evals/shop.json": DOCUMENT, f"{folder}mergebar.yml": CONFIG})
    made.commit({f"{folder}far/off/new.json": DOCUMENT, f"{folder}far/off/data.json": "{}"})

    for command in ("plan", "run"):
        done = commands.inside(command, "--base", "HEAD~1", cwd=tmp_path / folder)
        assert done.code == 0
        assert f"{folder}far/off/new.json" in done.said
        assert "is in no group, so nothing measures it" in done.said
        assert "data.json" not in done.said


def test_an_artifact_beside_one_that_is_measured_is_named(tmp_path: Path) -> None:
    files = {f".claude/skills/{name}/SKILL.md": SKILL for name in ("a", "new")}
    made = repository(tmp_path / "r", CONFIG + MEASURED, files)

    done = commands.inside("check", "--format", "json", cwd=made.path)
    problems = json.loads(done.stdout)["problems"]
    rules = {one["path"] for one in problems if one["rule"] == "artifact/not-configured"}
    assert rules == {".claude/skills/new/SKILL.md"}
    planned = commands.inside("plan", cwd=made.path)
    assert ".claude/skills/new/SKILL.md" in planned.said
