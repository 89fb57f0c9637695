"""`mergebar init` in repositories of every kind: what it writes passes `check` and `plan`."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from mergebar import config, plugins
from mergebar.model.configuration import Config
from support import artifacts, commands, traces
from support.pasted_workflows import WORKFLOWS
from support.repositories import Repository

CONFIG = "mergebar.yml"
WORKFLOW = ".github/workflows/mergebar.yml"
IGNORED = ".mergebar/*\n!.mergebar/recordings/\nmergebar-report/\n"

ASKED: dict[str, object] = {
    "schemaVersion": "1.7.0",
    "default_evaluators": {"ExactMatch": {}},
    "items": [{"prompt": "Hello", "expected_response": "Hi"}],
}
STORED = {
    **ASKED,
    "items": [{"prompt": "Hello", "expected_response": "Hi", "response": "Hi"}],
}
JUDGED = {"schemaVersion": "1.7.0", "items": [{"prompt": "Hello"}]}
SESSION = traces.lines(traces.streamed([traces.said("Mend it"), traces.ended()]))
NOT_DOCUMENTS = {
    "package.json": '{"dependencies": {"prompt": "1.0.0"}}',
    "evals/settings.json": '{"items": [1], "prompt": "$ "}',
    "evals/empty.json": "",
    "data/orders.json": '{"items": [{"sku": 1}], "turns": 3}',
}
NAMES = (
    "with space.json",
    "quo\"te's.json",
    "a: b #c.json",
    "- dash.json",
    "*star?.json",
    "[set]{brace}.json",
    "!not.json",
    "back\\slash.json",
    "${HOME}.json",
    "${{ github.token }}.json",
    "line\nbreak: x.json",
    "übung-日本-🎉.json",
    "<< found >>{% if x %}.json",
)


def text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    Repository(folder).git("init", "--quiet", "--initial-branch", "main")
    artifacts.write(folder, files or {})
    return folder


def begin(cwd: Path) -> tuple[str, Config]:
    """Run `init`, hold what it wrote to `check` and `plan`, and return what it said and wrote."""
    done = commands.inside("init", cwd=cwd)
    assert done.code == 0, done.stdout + done.stderr
    for command in ("check", "plan"):
        held = commands.inside(command, cwd=cwd)
        assert held.code == 0, (command, held.stdout + held.stderr)
    data = (cwd / CONFIG).read_bytes()
    parsed = config.parse(data, path=CONFIG, explain=plugins.explain)
    assert parsed.config is not None
    return done.stdout, parsed.config


def planned(cwd: Path) -> dict[str, str | None]:
    """The suites that a run would take."""
    done = commands.inside("plan", "--format", "json", cwd=cwd)
    return {one["path"]: one["kind"] for one in json.loads(done.stdout)["suites"]}


KINDS: dict[str, tuple[dict[str, str], set[str]]] = {
    "documents": ({"evals/a.json": text(ASKED)}, {"evals/a.json"}),
    "stored answers": ({"evals/a.json": text(STORED)}, {"evals/a.json"}),
    "both kinds of documents": (
        {"evals/a.json": text(ASKED), "evals/b.json": text(STORED)},
        {"evals/a.json", "evals/b.json"},
    ),
    "documents at another place": (
        {"quality/cases/a.json": text(JUDGED), "quality/readme.json": "{}"},
        {"quality/cases/a.json"},
    ),
    "skills": ({artifacts.SKILL: artifacts.text()}, {artifacts.SKILL}),
    "skills with traces": (
        {artifacts.SKILL: artifacts.text(), "traces/a.jsonl": SESSION.decode()},
        {artifacts.SKILL},
    ),
    "skills and documents": (
        {artifacts.SKILL: artifacts.text(), "evals/a.json": text(JUDGED)},
        {artifacts.SKILL, "evals/a.json"},
    ),
    "look-alikes": ({**NOT_DOCUMENTS, "evals/a.json": text(ASKED)}, {"evals/a.json"}),
    "names": ({f"evals/{name}": text(ASKED) for name in NAMES}, {f"evals/{one}" for one in NAMES}),
    "names beside others": (
        {f"evals/{one}": text(ASKED) for one in NAMES} | {"evals/settings.json": "{}"},
        {f"evals/{one}" for one in NAMES},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_selects_what_is_found(tmp_path: Path, kind: str) -> None:
    files, suites = KINDS[kind]
    root = repository(tmp_path / "r", files)

    _, settings = begin(root)
    assert set(planned(root)) == suites
    assert not settings.gate.known_failures_block
    assert not settings.gate.new_failures_block


SETTINGS = "{}"
ADDED: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "a document beside settings": (
        {"evals/shop.json": text(ASKED), "evals/config.json": SETTINGS},
        {"evals/new.json": text(ASKED), "evals/deep/new.json": text(STORED)},
    ),
    "a document at another place": (
        {"quality/a.json": text(ASKED)},
        {"quality/b.json": text(ASKED)},
    ),
    "a document beside stored answers": (
        {"evals/a.json": text(STORED), "evals/config.json": SETTINGS},
        {"evals/b.json": text(STORED)},
    ),
    "a document beside both kinds": (
        {"evals/a.json": text(ASKED), "evals/b.json": text(STORED)},
        {"evals/c.json": text(ASKED)},
    ),
    "the second document": ({"evals/config.json": SETTINGS}, {"evals/a.json": text(ASKED)}),
    "a skill beside one without evals": (
        {artifacts.SKILL: artifacts.text(), ".claude/skills/bare/SKILL.md": "# Bare\n"},
        {".claude/skills/new/SKILL.md": artifacts.text()},
    ),
}


@pytest.mark.parametrize("folder", [".", "services/bot"])
@pytest.mark.parametrize("kind", ADDED)
def test_a_suite_that_is_added_later_is_measured(tmp_path: Path, kind: str, folder: str) -> None:
    files, added = ADDED[kind]
    root = repository(tmp_path / "r") / folder
    artifacts.write(root, files)
    begin(root)
    before = set(planned(root))

    artifacts.write(root, added)
    prefix = "" if folder == "." else f"{folder}/"
    assert set(planned(root)) == before | {f"{prefix}{path}" for path in added}


def test_a_trace_that_is_added_later_is_evidence(tmp_path: Path) -> None:
    files = {artifacts.SKILL: artifacts.text(), "traces/a.jsonl": SESSION.decode()}
    root = repository(tmp_path / "r", files | {"traces/log.jsonl": '{"level": "info"}\n'})

    _, settings = begin(root)
    assert settings.artifacts[0].traces == ("traces/**/*.jsonl", "!traces/log.jsonl")


@pytest.mark.parametrize("folder", ["", "services/bot/"])
def test_it_says_what_is_covered_by_the_paths_of_the_repository(
    tmp_path: Path, folder: str
) -> None:
    files = {
        "evals/shop.json": text(JUDGED),
        "evals/config.json": SETTINGS,
        "single.json": text(ASKED),
        "bad.json": text({**ASKED, "items": [{}]}),
    }
    root = repository(tmp_path / "r", {f"{folder}{path}": one for path, one in files.items()})

    said, _ = begin(root / folder)
    assert f"with every file that is added there: `{folder}evals/**/*.json`" in said
    assert f"but not: `{folder}evals/config.json`" in said
    assert (
        f"by name, so that a new file beside it has to be added by hand: `{folder}single.json`"
        in said
    )
    words = said.replace("`", " ").replace(",", " ").replace("(", " ").split()
    told = {word.rstrip(":;") for word in words if "/" in word or CONFIG in word}
    told -= {WORKFLOW, "https://github.com/mergebar/mergebar"}
    assert {one for one in told if not one.startswith(folder)} == set()
    assert f"{folder}{CONFIG}" in told


@pytest.mark.parametrize("files", [{}, NOT_DOCUMENTS], ids=["nothing", "look-alikes"])
def test_a_repository_without_suites_gets_a_document_to_begin_with(
    tmp_path: Path, files: dict[str, str]
) -> None:
    root = repository(tmp_path / "r", dict(files))

    said, settings = begin(root)
    assert planned(root) == {"evals/first.json": "document"}
    assert settings.judge is None
    assert "wrote evals/first.json" in said
    assert "1. put your own questions into evals/first.json" in said


def test_it_says_what_it_found_and_the_steps(tmp_path: Path) -> None:
    files = {"evals/a.json": text(JUDGED), "evals/bad.json": text({**ASKED, "items": [{}]})}
    root = repository(tmp_path / "r", files | {artifacts.SKILL: artifacts.text()})

    said, settings = begin(root)
    assert "eval documents for an agent to answer: 1 (`evals/a.json`)" in said
    assert "left out, because they aren't valid: 1 (`evals/bad.json`)" in said
    assert [line[:4] for line in said.partition("next:\n")[2].splitlines()] == [
        "  1.",
        "  2.",
        "  3.",
        "  4.",
        "  5.",
        "  6.",
    ]
    assert settings.judge is not None
    assert "JUDGE_KEY: ${{ secrets.JUDGE_KEY }}" in (root / WORKFLOW).read_text()


def test_stored_answers_are_measured_at_once(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"evals/a.json": text(STORED)})
    begin(root)

    done = commands.inside("run", "--all", cwd=root)
    assert done.code == 0, done.stdout + done.stderr
    assert "passed: 1 check measured" in done.stdout


def test_what_a_run_writes_is_ignored_but_for_recordings(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"evals/a.json": text(STORED), ".gitignore": "dist/\n"})
    begin(root)
    commands.inside("run", "--all", cwd=root)
    artifacts.write(
        root, {".mergebar/recordings/a.json": "{}", "mergebar-report/report.json": "{}"}
    )

    seen = Repository(root).git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert (root / ".gitignore").read_text() == "dist/\n" + IGNORED
    assert {line[3:] for line in seen} == {
        ".github/workflows/mergebar.yml",
        ".gitignore",
        ".mergebar/recordings/a.json",
        "evals/a.json",
        "mergebar.yml",
    }


@pytest.mark.parametrize("folder", ["agents/support", "a: b #c/${{ github.token }}"])
def test_a_folder_of_a_repository_has_its_own_configuration(tmp_path: Path, folder: str) -> None:
    files = {f"{folder}/evals/a.json": text(ASKED), "evals/other.json": text(ASKED)}
    root = repository(tmp_path / "r", files)

    begin(root / folder)
    assert set(planned(root / folder)) == {f"{folder}/evals/a.json"}
    [job] = yaml.safe_load((root / WORKFLOW).read_text())["jobs"].values()
    where = job["steps"][1]["with"]["working-directory"]
    assert where == folder.replace("${{", "${{ '$' }}{{")
    assert not (root / CONFIG).exists()


def test_it_works_without_git(tmp_path: Path) -> None:
    artifacts.write(tmp_path, {"evals/a.json": text(ASKED)})

    begin(tmp_path)
    assert set(planned(tmp_path)) == {"evals/a.json"}


@pytest.mark.parametrize("there", [CONFIG, ".github/mergebar.yml", "mergebar.yaml"])
def test_a_configuration_that_is_there_is_left_alone(tmp_path: Path, there: str) -> None:
    root = repository(tmp_path / "r", {there: "version: 1\n"})

    done = commands.inside("init", cwd=root)
    assert (done.code, done.stdout) == (2, "")
    assert f"`{there}`" in done.stderr
    assert sorted(one.name for one in root.iterdir()) == sorted([".git", Path(there).parts[0]])
    assert (root / there).read_text() == "version: 1\n"


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        (WORKFLOW, "mine\n", "kept .github/workflows/mergebar.yml: it is there already"),
        (
            ".github/workflows/ci.yml",
            "jobs: {a: {steps: [{uses: mergebar/mergebar@v1}]}}\n",
            "workflows that run mergebar already: 1 (`.github/workflows/ci.yml`)",
        ),
    ],
)
def test_a_workflow_that_is_there_is_left_alone(
    tmp_path: Path, path: str, content: str, said: str
) -> None:
    root = repository(tmp_path / "r", {"evals/a.json": text(ASKED), path: content})

    told, _ = begin(root)
    assert said in told
    assert [one.name for one in (root / ".github/workflows").iterdir()] == [Path(path).name]
    assert (root / path).read_text() == content


def test_a_dry_run_shows_what_would_be_written_and_writes_nothing(tmp_path: Path) -> None:
    files = {"evals/a.json": text(JUDGED), artifacts.SKILL: artifacts.text()}
    root = repository(tmp_path / "r", files)
    before = sorted(root.rglob("*"))

    done = commands.inside("init", "--dry-run", cwd=root)
    assert done.code == 0
    assert sorted(root.rglob("*")) == before
    begin(root)
    for name in (CONFIG, WORKFLOW, ".gitignore"):
        assert f"would write {name}\n{(root / name).read_text()}" in done.stdout


def test_a_file_that_cannot_be_written_is_named_and_leaves_no_configuration(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"evals/a.json": text(ASKED), ".github": "a file"})

    done = commands.inside("init", cwd=root)
    assert done.code == 2
    assert "couldn't write .github/workflows/mergebar.yml: " in done.stdout
    assert not (root / CONFIG).exists()


def _plain(root: Path) -> Path:
    return repository(root, {"evals/a.json": text(JUDGED)})


def _nested(root: Path) -> Path:
    return repository(root, {"${{ x }}/a #'\"/evals/a.json": text(ASKED)}) / "${{ x }}/a #'\""


@pytest.mark.parametrize("make", [_plain, _nested])
def test_the_workflow_follows_githubs_schema(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    begin(make(tmp_path / "r"))

    done = subprocess.run(
        [
            sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows",
            str(tmp_path / "r" / WORKFLOW),
        ],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_is_the_one_that_the_readme_shows(tmp_path: Path) -> None:
    root = _plain(tmp_path / "r")
    begin(root)

    [shown] = [block for name, block in WORKFLOWS.items() if name.startswith("README-")]
    assert yaml.safe_load((root / WORKFLOW).read_text()) == yaml.safe_load(shown)


def test_links_and_traces_of_one_name_do_no_harm(tmp_path: Path) -> None:
    files = {f"{folder}/x.jsonl": SESSION.decode() for folder in ("a", "b")}
    documents = {"real/evals/a.json": text(ASKED)}
    root = repository(tmp_path / "r", files | documents | {artifacts.SKILL: artifacts.text()})
    (root / "evals").symlink_to("real/evals")
    (root / "a/link.json").symlink_to("../real/evals/a.json")

    _, settings = begin(root)
    assert settings.artifacts[0].traces == ("a/*.jsonl", "b/*.jsonl")
    assert set(planned(root)) == {"real/evals/a.json", artifacts.SKILL}


def test_public_files_of_all_kinds_get_a_configuration_that_holds(
    tmp_path: Path, shared: Path
) -> None:
    root = tmp_path / "r"
    shutil.copytree(shared / "corpus", root)

    said, settings = begin(repository(root))
    assert len(settings.documents) == 2
    assert len(settings.artifacts) == 1
    assert settings.artifacts[0].traces
    assert "left out, because they aren't valid: " in said


AGENT = 'import sys\n\nsys.stdin.readline()\nprint(\'{"response": "Hi"}\')\n'


JUDGED_KINDS = {
    "documents at another place",
    "skills",
    "skills with traces",
    "skills and documents",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_runs_as_soon_as_there_is_an_agent(tmp_path: Path, kind: str) -> None:
    files, _ = KINDS[kind]
    root = repository(tmp_path / "r", files | {"agent.py": AGENT})
    begin(root)

    done = commands.inside("run", "--all", "--no-judge", cwd=root)
    assert done.code == 0, done.said
    outcomes = {one["outcome"] for one in done.report()["checks"]}
    assert outcomes == ({"skipped"} if kind in JUDGED_KINDS else {"pass"})


def last(said: str) -> str:
    """The last of the steps."""
    return said.partition("next:\n")[2].splitlines()[-1]


def test_the_last_step_makes_the_written_job_a_required_status(tmp_path: Path) -> None:
    said, _ = begin(_plain(tmp_path / "r"))

    assert last(said).endswith("open a pull request, and make the job `gate` a required status")


@pytest.mark.parametrize(
    ("workflow", "content"),
    [
        (WORKFLOW, "name: mine\n"),
        (".github/workflows/ci.yml", "jobs: {a: {steps: [{uses: mergebar/mergebar@v1}]}}\n"),
    ],
)
@pytest.mark.parametrize("folder", [".", "agents/b"])
def test_a_workflow_that_was_there_is_not_taken_for_the_gate_of_this_folder(
    tmp_path: Path, folder: str, workflow: str, content: str
) -> None:
    root = repository(tmp_path / "r", {f"{folder}/evals/a.json": text(ASKED), workflow: content})

    said, _ = begin(root / folder)
    assert f"let a job of {workflow} use `mergebar/mergebar@v1`" in last(said)
    own = "with `working-directory: agents/b` and a `check-name` of its own"
    assert (own in last(said)) == (folder != ".")
    assert "`gate`" not in last(said)


def test_workflow_and_steps_say_which_commit_to_name_before_there_is_a_release(
    tmp_path: Path,
) -> None:
    root = _plain(tmp_path / "r")
    said, _ = begin(root)

    command = "git ls-remote https://github.com/mergebar/mergebar HEAD"
    assert (
        f"until `v1` is released, name a commit where the workflow says `v1`: `{command}`" in said
    )
    assert f"# {command}" in (root / WORKFLOW).read_text()


def test_without_git_the_last_step_begins_with_it(tmp_path: Path) -> None:
    artifacts.write(tmp_path, {"evals/a.json": text(ASKED)})

    said, _ = begin(tmp_path)
    assert last(said).partition(". ")[2].startswith("`git init`, commit ")
