"""`mergebar check` on artifacts: which are found, and what is said of them beside documents."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.commands import check
from mergebar.suites import artifact_hints
from mergebar.suites.artifacts import places
from support import artifacts

DOCUMENT = '{"schemaVersion": "1.7.0", "items": [{"prompt": "Hello"}]}'
GOOD = artifacts.text()
BROKEN = artifacts.text("metadata:\n  evals:\n    - {id: dry, assertion: Dry., wieght: 2}\n")
PLAIN = "# Rules\n\nBe kind.\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository's folder, which is the working directory."""
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = check.main([*arguments, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def listed(output: dict[str, Any]) -> dict[str, tuple[str, list[str]]]:
    return {
        suite["path"]: (suite["kind"], [each["rule"] for each in suite["problems"]])
        for suite in output["suites"]
    }


def test_artifacts_at_the_usual_places_stand_beside_documents(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    artifacts.write(
        repository, {"AGENTS.md": PLAIN, artifacts.SKILL: BROKEN, "evals/a.json": DOCUMENT}
    )

    code, output = told(capsys)

    assert code == 2
    assert listed(output) == {
        artifacts.SKILL: ("artifact", ["schema/unknown-key"]),
        "AGENTS.md": ("artifact", []),
        "evals/a.json": ("document", []),
    }
    (problem,) = output["suites"][0]["problems"]
    assert (problem["path"], problem["line"]) == (artifacts.SKILL, 4)
    assert "did you mean `weight`?" in problem["message"]


def test_the_configuration_says_which_artifacts_there_are(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = "version: 1\nartifacts: [{paths: [prompts/*.md], traces: [t/*]}]\n"
    artifacts.write(
        repository,
        {
            "mergebar.yml": config,
            "prompts/help.md": PLAIN,
            artifacts.SKILL: BROKEN,
            "t/a.jsonl": "{}",
        },
    )

    code, output = told(capsys)

    assert code == 0
    assert [(one["rule"], one["path"]) for one in output["problems"]] == [
        ("artifact/not-configured", artifacts.SKILL)
    ]
    assert listed(output) == {"prompts/help.md": ("artifact", ["artifact/without-evals"])}


def test_a_glob_that_matches_nothing_and_a_file_in_two_groups_are_errors(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = "version: 1\nartifacts:\n  - {paths: [AGENTS.md, gone/*.md], traces: [t]}\n"
    config += "  - {paths: ['*.md'], traces: [t]}\n"
    artifacts.write(repository, {"mergebar.yml": config, "AGENTS.md": GOOD, "t": "{}"})

    code, output = told(capsys)

    assert code == 2
    assert [each["rule"] for each in output["problems"]] == [
        "config/no-match",
        "config/two-groups",
        "config/no-judge",
    ]
    assert output["problems"][0]["message"].startswith("`artifacts[0].paths`: `gone/*.md`")


def test_a_folder_means_every_suite_below_it(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = "version: 1\nartifacts: [{paths: [sub/house.md]}]\n"
    artifacts.write(
        repository,
        {
            "mergebar.yml": config,
            f"sub/{artifacts.SKILL}": GOOD,
            "sub/house.md": GOOD,
            "sub/evals/a.json": DOCUMENT,
            "sub/notes.md": PLAIN,
            artifacts.SKILL: BROKEN,
        },
    )

    code, output = told(capsys, "sub")

    assert code == 0
    assert list(listed(output)) == [f"sub/{artifacts.SKILL}", "sub/evals/a.json", "sub/house.md"]


@pytest.mark.parametrize(
    ("folders", "paths"),
    [
        (["evals"], ["evals/a.json"]),
        (["docs"], ["docs/guide.md"]),
        ([".claude", "docs"], [artifacts.SKILL, "docs/guide.md"]),
        (["evals", "docs"], ["docs/guide.md", "evals/a.json"]),
        (["docs", "."], [artifacts.SKILL, "docs/guide.md", "evals/a.json"]),
    ],
)
def test_what_is_configured_elsewhere_is_not_below_a_folder(
    repository: Path, capsys: pytest.CaptureFixture[str], folders: list[str], paths: list[str]
) -> None:
    config = f"version: 1\nartifacts: [{{paths: [docs/*.md, {artifacts.SKILL}], traces: [t]}}]\n"
    files = {"mergebar.yml": config, artifacts.SKILL: GOOD, "docs/guide.md": GOOD, "t": "{}"}
    artifacts.write(repository, {**files, "evals/a.json": DOCUMENT})

    code, output = told(capsys, *folders)

    assert (code, list(listed(output))) == (0, paths)


@pytest.mark.parametrize("name", ["notes.md", "rule.mdc", "page.mdx", ".gemini/commands/x.toml"])
def test_a_named_file_is_taken_at_its_word(
    repository: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    artifacts.write(repository, {name: PLAIN if not name.endswith("toml") else 'prompt = "x"\n'})

    code, output = told(capsys, name)

    assert code == 0
    assert listed(output) == {name: ("artifact", [])}


def test_a_named_file_outside_the_repository_is_read_too(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository.parent / "SKILL.md").write_text(BROKEN)

    code, output = told(capsys, "../SKILL.md")

    assert code == 2
    assert listed(output) == {"../SKILL.md": ("artifact", ["schema/unknown-key"])}


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda path: path.write_bytes(b"---\nmetadata: {evals: [\xff]}\n---\n"), "artifact/"),
        (lambda path: path.mkdir(), "document/none-found"),
        (lambda path: path.symlink_to("gone.md"), "artifact/unreadable"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_problem(
    repository: Path, capsys: pytest.CaptureFixture[str], make: Any, rule: str
) -> None:
    make(repository / "SKILL.md")

    _, output = told(capsys, "SKILL.md")

    told_of = [each for suite in output["suites"] for each in suite["problems"]]
    assert len([*told_of, *output["problems"]]) == 1
    assert [*told_of, *output["problems"]][0]["rule"].startswith(rule)


def test_strict_holds_artifacts_to_the_strict_form(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loose = artifacts.text(
        "metadata:\n  evals:\n    - {id: dry, assertion: Dry., model: my model}\n"
    )
    artifacts.write(repository, {artifacts.SKILL: loose})

    assert told(capsys)[0] == 0
    assert told(capsys, "--strict")[0] == 2


def test_ai_evals_without_a_judge_are_a_warning_where_something_is_configured(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = "version: 1\nartifacts: [{paths: [AGENTS.md], traces: [t]}]\n"
    artifacts.write(repository, {"mergebar.yml": config, "AGENTS.md": GOOD, "t": "{}"})

    code, output = told(capsys)

    assert code == 0
    assert [(each["rule"], each["level"]) for each in output["problems"]] == [
        ("config/no-judge", "warning")
    ]
    assert "`ai` needs one" in output["problems"][0]["message"]


def test_what_the_config_says_of_sessions_is_checked_too(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = """\
version: 1
judge: {type: replay}
artifacts:
  - {paths: [AGENTS.md]}
  - {paths: [CLAUDE.md], traces: [gone/*.jsonl]}
  - paths: [GEMINI.md]
    sessions: {command: [run, "{prompt}"], prompts: [empty.md]}
"""
    files = {"mergebar.yml": config, "empty.md": "", "AGENTS.md": GOOD, "CLAUDE.md": GOOD}
    artifacts.write(repository, {**files, "GEMINI.md": GOOD})

    code, output = told(capsys)

    assert code == 2
    assert [(each["rule"], each["path"], each["line"]) for each in output["problems"]] == [
        ("config/no-sessions", "mergebar.yml", 4),
        ("config/no-match", "mergebar.yml", 5),
        ("config/prompt", "empty.md", 1),
    ]


def test_a_repository_without_artifacts_loads_nothing_of_theirs(repository: Path) -> None:
    artifacts.write(repository, {"evals/a.json": DOCUMENT, "README.md": PLAIN})
    script = "import sys; from mergebar.commands import check; check.main([]); print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    ).stdout

    assert "mergebar.suites.documents" in loaded
    assert "mergebar.suites.artifacts" not in loaded


SEGMENTS = st.sampled_from([
    ".claude", ".github", "skills", "agents", "commands", "rules", "prompts", "a", "src",
    "plugins", "instructions", ".kiro", "steering", ".cursor", "docs",
])  # fmt: skip
NAMES = st.sampled_from([
    "SKILL.md", "skill.md", "AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "x.md",
    "x.agent.md", "x.prompt.md", "x.instructions.md", "x.mdc", "x.toml", "GEMINI.md",
    "copilot-instructions.md",
])  # fmt: skip


@given(st.lists(SEGMENTS, max_size=4), NAMES)
def test_the_quick_look_misses_no_artifact(folders: list[str], name: str) -> None:
    path = "/".join([*folders, name])
    within = not artifact_hints.FOLDERS.isdisjoint(folders)

    if places.recognise(path) is not None:
        assert artifact_hints.may_be(name, within=within)


def test_checking_artifacts_loads_neither_sessions_nor_graders(repository: Path) -> None:
    artifacts.write(repository, {artifacts.SKILL: GOOD})
    script = "import sys; from mergebar.commands import check; check.main([]); print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "mergebar.suites.artifacts" in loaded
    assert {"mergebar.model.sessions", "mergebar.traces", "mergebar.graders", "asyncio"}.isdisjoint(
        loaded
    )


HASH = f"generated-assertion-hash: sha256-{'0' * 64}"
UNMEASURABLE = {
    "another hash": f"{{id: a, grader: command, command: [make], assertion: Dry., {HASH}}}",
    "a NUL": '{id: a, grader: command, command: ["ma\\0ke"]}',
}


@pytest.mark.parametrize("name", UNMEASURABLE)
def test_what_a_run_can_not_measure_is_an_error_here_too(
    repository: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    one = UNMEASURABLE[name]
    written = artifacts.text(f"metadata:\n  evals:\n    - {one}\n")
    skipped = artifacts.text(f"metadata:\n  evals:\n    - {one[:-1]}, skip: true}}\n")

    artifacts.write(repository, {artifacts.SKILL: written})
    code, output = told(capsys)
    artifacts.write(repository, {artifacts.SKILL: skipped})
    later, _ = told(capsys)

    (problem,) = output["suites"][0]["problems"]
    assert (code, problem["level"], problem["line"]) == (2, "error", 4)
    assert later == (2 if name == "a NUL" else 0)


UNWRITTEN = {
    "no command": "{id: a, grader: command, assertion: Dry.}",
    "no options": "{id: a, grader: tool-usage}",
    "no bound": "{id: a, grader: cost}",
}


@pytest.mark.parametrize("name", UNWRITTEN)
def test_what_is_not_written_yet_is_no_error_of_the_artifact(
    repository: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    written = artifacts.text(f"metadata:\n  evals:\n    - {UNWRITTEN[name]}\n")
    artifacts.write(repository, {artifacts.SKILL: written})

    code, output = told(capsys)

    assert code == 0
    assert {one["level"] for one in output["suites"][0]["problems"]} <= {"notice"}


def test_the_strict_form_wants_the_command_of_an_eval(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = artifacts.text(f"metadata:\n  evals:\n    - {UNWRITTEN['no command']}\n")
    artifacts.write(repository, {artifacts.SKILL: written})

    assert check.main(["--strict"]) == 2
    assert "no `command` yet" in capsys.readouterr().out
