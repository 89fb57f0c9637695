"""Artifacts through the whole gate: real repositories, real traces, real processes."""

import json
import sys
from pathlib import Path

import pytest

from support import commands, held, repositories, traces
from support.held import CONFIG, QUIET, READS, SEEN, SKILL

TRACE = "traces/mend.jsonl"


def test_evals_are_held_against_a_recorded_session(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path,
        {SKILL: held.skill(READS, QUIET), TRACE: held.recorded(held.session(runs=True))},
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    report = ended.report()
    assert ended.code == 1
    assert held.checks(report) == {"mend.jsonl::reads": "pass", "mend.jsonl::quiet": "fail"}
    (failing,) = (one for one in report["checks"] if one["outcome"] == "fail")
    assert failing["id"] == f"{SKILL}::mend.jsonl::quiet"
    assert failing["location"]["path"] == SKILL
    assert failing["location"]["line"] == 7
    assert (failing["kind"], failing["type"], failing["turn"]) == ("grader", "regression", None)
    assert "`Bash` was called once" in failing["reason"]
    assert report["suites"][0]["kind"] == "artifact"
    assert f"{SKILL}:7" in ended.said
    assert "mend.jsonl" in ended.said


def test_documents_and_artifacts_stand_in_one_report(tmp_path: Path) -> None:
    config = CONFIG.replace("documents: []", "documents: [{paths: ['evals/*.json']}]")
    document = {
        "schemaVersion": "1.7.0",
        "items": [
            {
                "prompt": "Hi",
                "response": "yes",
                "expected_response": "yes",
                "evaluators": {"ExactMatch": {}},
                "evaluators_mode": "replace",
            }
        ],
    }
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill(READS),
            TRACE: held.recorded(held.session()),
            "evals/a.json": json.dumps(document),
        },
        config=config,
    )

    ended = commands.inside("run", "--all", "--no-judge", cwd=here.path)

    assert ended.code == 0, ended.said
    assert {one["path"]: one["kind"] for one in ended.report()["suites"]} == {
        SKILL: "artifact",
        "evals/a.json": "document",
    }


def test_a_session_that_used_another_skill_withholds_and_does_not_spoil(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill(READS),
            held.OTHER: held.skill(READS, name="paint"),
            TRACE: held.recorded(held.session()),
            "traces/paint.jsonl": held.recorded(held.session("paint")),
        },
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 0, ended.said
    outcomes = [(one["suite"], one["case"], one["skip"]) for one in ended.report()["checks"]]
    assert outcomes == [
        (SKILL, "mend.jsonl", None),
        (SKILL, "paint.jsonl", "withheld"),
        (held.OTHER, "mend.jsonl", "withheld"),
        (held.OTHER, "paint.jsonl", None),
    ]


def test_no_session_that_used_it_is_not_a_pass(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path,
        {SKILL: held.skill(READS), TRACE: held.recorded(held.session("paint"))},
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3
    assert "was never invoked in this session" in ended.said


def test_without_sessions_in_the_configuration_it_says_so_loudly(tmp_path: Path) -> None:
    config = "version: 1\ndocuments: []\nartifacts: [{paths: ['.claude/**/SKILL.md']}]\n"
    here = held.repository(tmp_path, {SKILL: held.skill(READS)}, config=config)

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3
    assert "can never be measured" in ended.said


def test_an_artifact_without_evals_is_no_suite_and_a_warning(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill(READS),
            held.OTHER: held.skill(name="paint"),
            TRACE: held.recorded(held.session()),
        },
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    report = ended.report()
    assert ended.code == 0
    assert [one["path"] for one in report["suites"]] == [SKILL]
    assert [one["path"] for one in report["warnings"]] == [held.OTHER]


def test_evals_that_nobody_configured_are_a_warning(tmp_path: Path) -> None:
    config = "version: 1\n"
    document = {"schemaVersion": "1.7.0", "items": [{"prompt": "Hi", "response": "Hello"}]}
    here = held.repository(
        tmp_path,
        {SKILL: held.skill(READS), "evals/a.json": json.dumps(document)},
        config=config,
    )

    ended = commands.inside("run", "--all", "--no-judge", cwd=here.path)

    assert "nothing measures them" in ended.said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "image"),
        (b"hello there\n", "traces/broken.jsonl"),
        (b'{"session_id": "1", "type": "gibberish"}\n', "traces/broken.jsonl"),
    ],
)
def test_a_trace_that_cannot_be_read_is_red_and_the_rest_is_measured(
    tmp_path: Path, content: bytes, said: str
) -> None:
    here = held.repository(
        tmp_path, {SKILL: held.skill(READS), TRACE: held.recorded(held.session())}
    )
    (here.path / "traces/broken.jsonl").write_bytes(content)

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3, ended.said
    assert said in ended.said
    assert held.checks(ended.report()) == {
        "broken.jsonl::reads": "error",
        "mend.jsonl::reads": "pass",
    }


def test_a_trace_glob_that_matches_nothing_is_invalid(tmp_path: Path) -> None:
    here = held.repository(tmp_path, {SKILL: held.skill(READS)})

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 2
    assert "`artifacts[0].traces`: `traces/**/*.jsonl` matches no file" in ended.said


def test_a_broken_declaration_is_invalid_and_names_its_line(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill("- {id: reads, grader: file-acces, options: {path: x}}"),
            TRACE: held.recorded(held.session()),
        },
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 2
    assert f"{SKILL}:6" in ended.said
    assert "file-access" in ended.said


def test_what_its_author_skips_is_declined(tmp_path: Path) -> None:
    skipped = READS.replace("{id", "{skip: true, id")
    here = held.repository(
        tmp_path, {SKILL: held.skill(skipped), TRACE: held.recorded(held.session())}
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 0
    assert held.checks(ended.report()) == {"mend.jsonl::reads": "declined"}
    assert "nothing measured: skipped by its authors" in ended.said


def test_a_fault_is_an_error_even_where_nobody_used_the_artifact(tmp_path: Path) -> None:
    unwritten = "- {id: runs, grader: command, assertion: It runs.}"
    here = held.repository(
        tmp_path, {SKILL: held.skill(unwritten), TRACE: held.recorded(held.session("paint"))}
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3
    assert held.checks(ended.report()) == {"mend.jsonl::runs": "error"}


def test_a_human_eval_waits_and_a_verdict_in_the_file_settles_it(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path, {SKILL: held.skill(READS, SEEN), TRACE: held.recorded(held.session())}
    )

    waiting = commands.inside("run", "--all", cwd=here.path)

    assert waiting.code == 4
    comment = (here.path / ".mergebar/comment.md").read_text()
    assert "digest: sha256-" in comment
    start = comment.index("version: 1\nreviews:")
    pasted = comment[start : comment.index("```", start)]
    written = (
        pasted.replace("verdict: # pass or fail", "verdict: pass")
        .replace("by: # who looked", "by: ada")
        .replace("note: # why", "note: It does.")
    )
    (here.path / "mergebar.reviews.yml").write_text(written)
    settled = commands.inside("run", "--all", cwd=here.path)
    assert settled.code == 0, settled.said
    (check,) = (one for one in settled.report()["checks"] if one["name"] == "looked-at")
    assert check["reason"] == "reviewed by ada: It does."


def test_a_verdict_on_another_text_does_not_count(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path, {SKILL: held.skill(SEEN), TRACE: held.recorded(held.session())}
    )
    entry = {
        "suite": SKILL,
        "eval": "looked-at",
        "session": "mend.jsonl",
        "digest": f"sha256-{'0' * 64}",
        "verdict": "pass",
        "by": "ada",
    }
    (here.path / "mergebar.reviews.yml").write_text(json.dumps({"version": 1, "reviews": [entry]}))

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 4


def test_a_broken_file_of_reviews_is_invalid(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path, {SKILL: held.skill(SEEN), TRACE: held.recorded(held.session())}
    )
    (here.path / "mergebar.reviews.yml").write_text("version: 1\nreviews: [{suite: x}]\n")

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 2
    assert "mergebar.reviews.yml:2" in ended.said


def test_rules_weigh_evals_by_their_grader(tmp_path: Path) -> None:
    config = f"{CONFIG}rules: [{{match: {{grader: tool-usage}}, severity: notice}}]\n"
    here = held.repository(
        tmp_path,
        {SKILL: held.skill(READS, QUIET), TRACE: held.recorded(held.session(runs=True))},
        config=config,
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 0, ended.said
    assert held.checks(ended.report())["mend.jsonl::quiet"] == "fail"


def test_sub_agents_files_and_manifests_are_no_sessions(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill(READS),
            TRACE: held.recorded(held.session()),
            f"{TRACE}.manifest.json": '{"schema": "mergebar.manifest/1", "artifacts": {}}',
            "traces/mend/subagents/agent-1.jsonl": held.recorded(
                traces.chained([traces.said("x")], side=True)
            ),
        },
        config=CONFIG.replace("traces/**/*.jsonl", "traces/**"),
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert held.checks(ended.report()) == {"mend.jsonl::reads": "pass"}


def test_what_other_sessions_settle_is_no_gap_in_the_comment(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill(READS),
            TRACE: held.recorded(held.session()),
            "traces/paint.jsonl": held.recorded(held.session("paint")),
        },
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    comment = (here.path / ".mergebar/comment.md").read_text()
    assert ended.code == 0
    assert "1 graded on other sessions" in comment
    assert "not measured:" not in comment
    assert "1 graded on other sessions" in ended.said


def test_a_group_whose_artifacts_declare_no_evals_wants_no_documents(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("---\nname: house\n---\nBe brief.\n", encoding="utf-8")
    (tmp_path / "mergebar.yml").write_text(
        "version: 1\nartifacts: [{paths: [AGENTS.md]}]\n", encoding="utf-8"
    )

    ended = commands.inside("run", "--all", cwd=tmp_path)

    assert ended.code == 0, ended.stdout
    assert "no eval document" not in ended.stdout
    assert "AGENTS.md" in ended.stdout
    assert "nothing affected" in ended.stdout


PLACES = (
    ".claude/skills/mend/SKILL.md",
    "skills/mend/SKILL.md",
    ".github/agents/mend.agent.md",
    ".claude/commands/mend.md",
    "AGENTS.md",
    "apps/web/CLAUDE.md",
    ".cursor/rules/mend.mdc",
)


@pytest.mark.parametrize("path", PLACES)
def test_without_a_configuration_run_finds_what_check_finds(tmp_path: Path, path: str) -> None:
    here = repositories.start(tmp_path / "r", {path: held.skill(READS), ".gitignore": "/.mergebar"})

    checked = commands.inside("check", "--format", "json", cwd=here.path)
    ended = commands.inside("run", "--all", cwd=here.path)

    assert [one["path"] for one in json.loads(checked.stdout)["suites"]] == [path]
    report = ended.report()
    assert [(one["path"], one["kind"]) for one in report["suites"]] == [(path, "artifact")]
    assert ended.code == 3
    assert set(held.checks(report).values()) == {"withheld"}
    assert "no session used it" in ended.said
    assert "can never be measured" in ended.said


def test_without_a_configuration_a_document_that_passes_hides_no_unmeasured_artifact(
    tmp_path: Path,
) -> None:
    document = {
        "schemaVersion": "1.7.0",
        "items": [
            {
                "prompt": "Hi",
                "response": "Hello",
                "expected_response": "Hello",
                "evaluators": {"ExactMatch": {}},
                "evaluators_mode": "replace",
            }
        ],
    }
    here = repositories.start(
        tmp_path / "r", {SKILL: held.skill(READS), "evals/a.json": json.dumps(document)}
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3, ended.said
    assert {one["outcome"] for one in ended.report()["checks"]} == {"pass", "skipped"}


def test_without_a_configuration_only_what_changed_is_affected(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "r", {SKILL: held.skill(READS)})
    here.git("tag", "base")
    here.commit({"README.md": "Hello"})

    ended = commands.inside("run", "--base", "base", cwd=here.path)

    assert ended.code == 0, ended.said
    assert [one["affected"] for one in ended.report()["suites"]] == [False]


@pytest.mark.parametrize("front", ["", "---\nname: mend\n---\n"])
def test_without_a_configuration_an_artifact_without_evals_is_nothing_to_run(
    tmp_path: Path, front: str
) -> None:
    here = repositories.start(tmp_path / "r", {SKILL: f"{front}Mend.\n"})

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 2
    assert "no artifact that declares evals" in ended.said


def test_without_a_configuration_a_broken_declaration_is_invalid(tmp_path: Path) -> None:
    here = repositories.start(tmp_path / "r", {SKILL: held.skill("- {id: reads, grader: fiel}")})

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 2
    assert f"{SKILL}:6" in ended.said


@pytest.mark.parametrize("configured", [True, False])
def test_a_folder_means_every_artifact_below_it(tmp_path: Path, *, configured: bool) -> None:
    files = {SKILL: held.skill(READS), "docs/skills/x/SKILL.md": held.skill(READS, name="x")}
    config = {"mergebar.yml": "version: 1\ndocuments: []\nartifacts: []\n"}
    here = repositories.start(tmp_path / "r", {**files, **(config if configured else {})})

    ended = commands.inside("run", ".claude", cwd=here.path)

    assert [one["path"] for one in ended.report()["suites"]] == [SKILL]
    assert ended.code == 3


LINKS = {
    "a file outside": (".claude/skills/b/SKILL.md", "../../../../outside/SKILL.md"),
    "a folder outside": (".claude/skills/b", "../../../outside"),
    "nothing": (".claude/skills/b/SKILL.md", "gone.md"),
    "itself": (".claude/skills/b/SKILL.md", "SKILL.md"),
}


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("configured", [True, False])
@pytest.mark.parametrize("kind", LINKS)
def test_a_link_that_cannot_be_followed_is_never_passed_over(
    tmp_path: Path, command: str, kind: str, *, configured: bool
) -> None:
    name, target = LINKS[kind]
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/SKILL.md").write_text(held.skill(READS))
    files = {SKILL: held.skill(READS), TRACE: held.recorded(held.session())}
    config = {"mergebar.yml": CONFIG} if configured else {}
    here = repositories.start(tmp_path / "r", {**files, **config})
    (here.path / name).parent.mkdir(parents=True, exist_ok=True)
    (here.path / name).symlink_to(target)

    ended = commands.inside(command, cwd=here.path)

    assert ended.code == 2, ended.said
    assert f"`{name}`" in ended.said
    assert "symbolic link" in ended.said


NOWHERE = {"outside": "{tmp_path}/outside", "nothing": "gone", "circle": "{name}"}
SPOILT = {
    "evals/b.json": 2,
    ".claude/skills/weld/SKILL.md": 2,
    "traces/b.jsonl": 3,
    "sessions/b.md": 3,
}


@pytest.mark.parametrize("kind", NOWHERE)
@pytest.mark.parametrize("name", SPOILT)
def test_a_link_that_cannot_be_followed_spoils_nothing_else(
    tmp_path: Path, name: str, kind: str
) -> None:
    (tmp_path / "outside").write_text(held.skill(READS))
    document = {"schemaVersion": "1.7.0", "items": [{"prompt": "Hi", "response": "Hello"}]}
    agent = {"agent.py": held.agent(), "sessions/a.md": "mend\n", "pipes.txt": "wet\n"}
    files = {
        SKILL: held.skill(READS),
        TRACE: held.recorded(held.session()),
        "evals/a.json": json.dumps(document),
        **(agent if name.startswith("sessions") else {}),
    }
    config = CONFIG.replace("documents: []", "documents: [{paths: ['evals/*.json']}]")
    if name.startswith("sessions"):
        config += f"""    sessions:
      command: ["{sys.executable}", agent.py, "{{prompt}}"]
      prompts: [sessions/*.md]
"""
    here = held.repository(tmp_path, files, config=config)
    (here.path / name).parent.mkdir(parents=True, exist_ok=True)
    target = NOWHERE[kind].format(tmp_path=tmp_path, name=Path(name).name)
    (here.path / name).symlink_to(target)

    checked = commands.inside("check", "--format", "json", cwd=here.path)
    ended = commands.inside("run", "--no-judge", cwd=here.path)

    told = json.loads(checked.stdout)
    problems = [*told["problems"], *(one for each in told["suites"] for one in each["problems"])]
    about = [one for one in problems if one["level"] == "error"]
    assert [one["path"] for one in about] == [name]
    assert checked.code == 2
    assert (ended.code, f"`{name}`" in ended.said) == (SPOILT[name], True)
    assert "artifacts[0].paths" not in ended.said + about[0]["message"]
    found = held.checks(ended.report())
    assert found["mend.jsonl::reads"] == "pass"
    others = {key for key, outcome in found.items() if outcome == "error"}
    key = f"{Path(name).name.removesuffix('.md')}::reads"
    assert others == ({key} if SPOILT[name] == 3 else set())
