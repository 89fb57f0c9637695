"""The guides for other CIs: their files follow the schema of each, and their scripts gate a change."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from conftest import ROOT
from mergebar import config, plugins
from support import gates, pages, repositories
from support.gates import failing, passing
from support.pages import DOCS, Block
from support.repositories import ENVIRON

GUIDES = "guides/other-ci"
OURS = Path(sys.executable).with_name("mergebar")


def block(page: str, language: str) -> str:
    """The first block of a guide in a language."""
    return pages.blocks(f"{GUIDES}/{page}", language)[0].text


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """What a CI does: its commands for the gate, those that follow whatever happens, and with what.

    `kept` are the results for its page of tests, and what else is published; `build` is what the
    build's number is called, if the files have it in their names.
    """

    gate: tuple[str, ...]
    after: tuple[str, ...]
    kept: tuple[str, ...]
    report: str
    environ: Callable[[str], Mapping[str, str]]
    build: tuple[str, str] = ("", "")

    def of(self, names: Iterable[str], number: int) -> list[str]:
        """Files of a build."""
        written, _ = self.build
        return [name.replace(written, str(number)) if written else name for name in names]

    def numbered(self, number: int) -> Mapping[str, str]:
        """How scripts get to know the build."""
        return {self.build[1]: str(number)} if self.build[1] else {}


def _gitlab() -> Guide:
    job = yaml.safe_load(block("gitlab.md", "yaml"))["mergebar"]
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert job["artifacts"]["when"] == "always"
    return Guide(
        gate=(*job["before_script"], *job["script"]),
        after=tuple(job["after_script"]),
        kept=(job["artifacts"]["reports"]["junit"], *job["artifacts"]["paths"]),
        report=".mergebar/report.json",
        environ=lambda base: {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base} if base else {},
    )


def _azure() -> Guide:
    steps = yaml.safe_load(block("azure-devops.md", "yaml"))["steps"]
    assert steps[0]["fetchDepth"] == "0"
    scripts = [step for step in steps if "script" in step]
    [results] = [step for step in steps if step.get("task", "").startswith("PublishTestResults@")]
    [kept] = [step["publish"] for step in steps if "publish" in step]
    return Guide(
        gate=tuple(one["script"] for one in scripts if "condition" not in one),
        after=tuple(one["script"] for one in scripts if "condition" in one),
        kept=(results["inputs"]["testResultsFiles"], kept),
        report=f"{kept}/report.json",
        environ=lambda base: {"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"} if base else {},
        build=("$(Build.BuildId)", "BUILD_BUILDID"),
    )


def _jenkins() -> Guide:
    text = block("jenkins.md", "groovy")
    gate, after = re.findall(r"sh '''\n(.*?)'''", text, re.DOTALL)
    [junit] = re.findall(r'junit "([^"]+)"', text)
    [kept] = re.findall(r'archiveArtifacts "([^"]+)"', text)
    assert text.count("{") == text.count("}")
    return Guide(
        gate=(gate,),
        after=(after,),
        kept=(junit, *kept.split(", ")),
        report=kept.split(", ")[0],
        environ=lambda base: {"CHANGE_TARGET": "main"} if base else {},
        build=("${env.BUILD_NUMBER}", "BUILD_NUMBER"),
    )


KINDS = {"gitlab": _gitlab, "azure-devops": _azure, "jenkins": _jenkins}


PIP = """\
#!/bin/sh
test "$*" = "install mergebar"
"""
PYTHON = """\
#!/bin/sh
set -e
test "$1 $2" = "-m venv"
mkdir -p "$3/bin"
ln -sf "{programs}/pip" "{programs}/mergebar" "$3/bin/"
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """An environment where `pip install mergebar` and `python3 -m venv` give this mergebar."""
    return _machine(tmp_path_factory.mktemp("programs"), {})


def _machine(programs: Path, others: Mapping[str, str]) -> Mapping[str, str]:
    """The same with other programs."""
    programs.mkdir(exist_ok=True)
    started = f'#!/bin/sh\nexec "{OURS}" "$@"\n'
    texts = {"mergebar": started, "pip": PIP, "python3": PYTHON.format(programs=programs)}
    for name, text in {**texts, **others}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return {**ENVIRON, "PATH": f"{programs}:{ENVIRON['PATH']}", "CI": "true"}


@pytest.fixture
def checkout(tmp_path: Path) -> repositories.Repository:
    """A clone whose branch has changed nothing that matters yet; `main` is at its origin."""
    origin = gates.repository(tmp_path / "origin", passing("so far"))
    origin.git("checkout", "--quiet", "--detach")
    made = repositories.start(tmp_path / "work")
    made.git("remote", "add", "origin", str(origin.path))
    made.git("fetch", "--quiet", "origin")
    made.git("checkout", "--quiet", "-b", "change", "origin/main")
    return made


def play(
    guide: Guide, work: Path, machine: Mapping[str, str], base: str, *, number: int = 1
) -> tuple[int, str]:
    """The exit code of the gate, and all that was printed."""
    environ = {**machine, **guide.environ(base), **guide.numbered(number)}
    said, code = "", 0
    for script in guide.gate:
        done = _shell(script, work, {**environ, "WORKSPACE_TMP": f"{work}@tmp"})
        said, code = said + done.stdout, done.returncode
        if code:
            break
    return code, said


def follow(guide: Guide, work: Path, machine: Mapping[str, str], *, number: int = 1) -> int:
    """Do what is done whatever the gate said, and return how that ended."""
    environ = {**machine, **guide.numbered(number), "WORKSPACE_TMP": f"{work}@tmp"}
    return max(_shell(script, work, environ).returncode for script in guide.after)


def _shell(
    script: str, work: Path, environ: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=work,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_scripts_of_a_guide_gate_a_change(
    kind: str, checkout: repositories.Repository, machine: Mapping[str, str]
) -> None:
    guide, work = KINDS[kind](), checkout.path
    base = checkout.head()
    checkout.commit({"evals/desk.json": gates.document(passing("so far"), failing("now"))})

    code, said = play(guide, work, machine, base)
    assert code == 1, said
    assert follow(guide, work, machine) == 0
    kept = guide.of(guide.kept, 1)
    junit = ET.parse(work / kept[0]).getroot()  # noqa: S314 - our own file
    assert {one.tag for one in junit.iter()} >= {"testsuites", "failure"}
    assert [name for name in kept if not (work / name).exists()] == []
    report = json.loads((work / guide.of([guide.report], 1)[0]).read_text())
    assert report["run"]["base_commit"] == base
    assert len(report["checks"]) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_push_to_the_default_branch_runs_everything(kind: str) -> None:
    """Where there is no base to name, none is named."""
    guide = KINDS[kind]()
    line = next(
        line for line in "\n".join(guide.gate).splitlines() if "mergebar" in line and " run" in line
    )
    argv = f"set -- {line}\nprintf '%s\\n' \"$@\""

    def words(environ: Mapping[str, str]) -> list[str]:
        given = {**ENVIRON, **environ, **guide.numbered(1), "WORKSPACE_TMP": "/x"}
        return _shell(argv, ROOT, given).stdout.split()

    assert "--base" not in words({})
    assert words(guide.environ("0" * 40))[-2] == "--base"


TROUBLE = {
    "the installation fails": {"pip": "#!/bin/sh\nexit 1\n"},
    "the gate is killed": {
        "mergebar": f'#!/bin/sh\ntest "$1" = run && kill -9 $$\nexec "{OURS}" "$@"\n'
    },
    "nothing is installed": {"pip": "#!/bin/sh\nexit 1\n", "mergebar": "#!/bin/sh\nexit 127\n"},
}


@pytest.mark.parametrize("trouble", TROUBLE)
@pytest.mark.parametrize("kind", KINDS)
def test_a_build_without_a_report_shows_no_other_builds(
    tmp_path: Path, kind: str, trouble: str
) -> None:
    """The workspace of an earlier build is used again, and this one gets nowhere."""
    guide, work = KINDS[kind](), tmp_path / "work"
    machine = _machine(tmp_path / "programs", TROUBLE[trouble])
    origin = repositories.start(tmp_path / "origin")
    origin.commit({"a": "1"})
    made = repositories.start(work)
    made.git("remote", "add", "origin", str(origin.path))
    for name in guide.of((*guide.kept, guide.report), 1):
        file = work / name if Path(name).suffix else work / name / "page.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("old")

    code, said = play(guide, work, machine, "", number=2)
    assert code != 0, said
    assert follow(guide, work, machine, number=2) == 0
    results, *others = (work / name for name in guide.of(guide.kept, 2))
    if trouble == "nothing is installed":
        assert results.read_bytes() == b""
    else:
        drawn = ET.parse(results).getroot()  # noqa: S314 - our own file
        assert [one.attrib["failures"] for one in drawn.iter("testsuite")] == ["1"]
    found = {file for one in others for file in (one, *one.rglob("*")) if file.is_file()}
    assert found <= {results}


@pytest.mark.parametrize(
    ("schema", "page", "name"),
    [
        ("vendor.gitlab-ci", "gitlab.md", ".gitlab-ci.yml"),
        ("vendor.azure-pipelines", "azure-devops.md", "azure-pipelines.yml"),
    ],
)
def test_a_file_follows_the_schema_of_its_ci(
    tmp_path: Path, schema: str, page: str, name: str
) -> None:
    transform = schema.removeprefix("vendor.")
    file = tmp_path / name
    file.write_text(block(page, "yaml"))
    argv = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]

    done = subprocess.run(
        [*argv, "--data-transform", transform, "--regex-variant", "nonunicode", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
LOOKED_AT = [
    "evals/a.json",
    "mergebar.yml",
    ".github/mergebar.yml",
    "mergebar.reviews.yml",
    ".claude/skills/x/SKILL.md",
    ".cursor/rules/x.mdc",
    ".gemini/commands/x.toml",
    "AGENTS.meta.yaml",
    "manni.config.yaml",
    "traces/a.jsonl",
]


@pytest.mark.parametrize("number", range(2))
def test_the_hook_stops_a_commit_that_breaks_a_document(tmp_path: Path, number: int) -> None:
    """As pre-commit does it: the entry and the arguments, in the top folder of the repository."""
    blocks = pages.blocks(f"{GUIDES}/pre-commit.md", "yaml")
    [repo] = yaml.safe_load(blocks[number].text)["repos"]
    [hook] = HOOKS
    [wanted] = repo["hooks"]
    assert wanted["id"] == hook["id"]
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    program, command = str(hook["entry"]).split()
    arguments = [command, *wanted.get("args", [])]
    assert program in (ROOT / "pyproject.toml").read_text()

    root = gates.repository(tmp_path / "r", passing("so far")).path
    argv = [str(Path(sys.executable).with_name(program)), *arguments]
    assert subprocess.run(argv, cwd=root, capture_output=True, check=False).returncode == 0
    (root / "evals/desk.json").write_text('{"schemaVersion": "1.7.0", "itms": []}')
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "evals/desk.json:1:" in done.stdout


@pytest.mark.parametrize("name", LOOKED_AT)
def test_the_hook_looks_whenever_a_file_that_counts_changes(name: str) -> None:
    assert re.search(HOOKS[0]["files"], name)


def test_the_hook_looks_at_nothing_else() -> None:
    assert not any(
        re.search(HOOKS[0]["files"], name) for name in ("a.py", "json", "x.mdx", "a.png")
    )


def _configurations() -> list[Block]:
    found = [one for page in (DOCS / GUIDES).glob("*.md") for one in pages.blocks(page, "yaml")]
    return [one for one in found if one.text.startswith("version: 1")]


def test_configurations_of_the_guides_hold() -> None:
    blocks = _configurations()

    assert blocks
    for one in blocks:
        parsed = config.parse(one.text.encode(), path="page.yml", explain=plugins.explain)
        assert parsed.problems == (), one
