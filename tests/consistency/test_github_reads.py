"""What GitHub's own tools say of our action, our workflows, and those that pages offer."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from support import commands, gates
from support.pasted_workflows import WORKFLOWS

OWN = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "action.yml", *sorted((ROOT / ".github/workflows").glob("*.yml")))
}
OFFERED = {f".github/workflows/{name}": text for name, text in WORKFLOWS.items()}
SERVICE = (
    "@actions/languageservice",
    "@actions/workflow-parser",
    "vscode-languageserver-textdocument",
)


@pytest.fixture(scope="module")
def node() -> str:
    """Node.js, where GitHub's language service is installed for it."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("`node` is absent: GitHub's language service needs it")
    missing = [name for name in SERVICE if not (ROOT / "node_modules" / name).is_dir()]
    if missing:
        pytest.skip(f"absent: `npm install --no-save {' '.join(missing)}`")
    return found


def told(node: str, files: dict[str, str]) -> list[str]:
    """What the language service finds wrong."""
    done = subprocess.run(
        [node, str(ROOT / "tests/support/node/language_service.mjs"), json.dumps(files)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


def test_the_language_service_finds_nothing_wrong(node: str) -> None:
    assert len(OWN) >= 2
    assert told(node, {**OWN, **OFFERED}) == []


FOLDERS = (".", "agents/b", "a: b #c/${{ github.token }}", "größe 日本", "quo'te\"s")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The workflows that `init` writes: with a judge and without, for folders of odd names."""
    found = {}
    for number, folder in enumerate(FOLDERS):
        for kind, item in (("plain", gates.passing()), ("judged", {"prompt": "Hello"})):
            root = tmp_path_factory.mktemp("begun")
            (root / ".git").mkdir()
            document = root / folder / "evals/a.json"
            document.parent.mkdir(parents=True)
            document.write_text(gates.document(item))
            done = commands.inside("init", cwd=root / folder)
            assert done.code == 0, done.said
            text = (root / ".github/workflows/mergebar.yml").read_text(encoding="utf-8")
            found[f".github/workflows/{kind}-{number}.yml"] = text
    return found


def test_the_language_service_finds_nothing_wrong_with_what_init_writes(
    node: str, begun: dict[str, str]
) -> None:
    assert len({*begun.values()}) == 2 * len(FOLDERS)
    assert told(node, begun) == []


def test_zizmor_finds_no_weakness_in_what_init_writes_but_versions_to_pin(
    tmp_path: Path, begun: dict[str, str]
) -> None:
    """A folder with an expression in its name has to be written so that GitHub doesn't evaluate it."""
    found = weaknesses(tmp_path, begun)

    assert {kind for kind, _ in found} == {"unpinned-uses", "obfuscation"}
    odd = {path for kind, path in found if kind == "obfuscation"}
    assert all("${{ '$' }}" in begun[path] for path in odd)


def test_it_would_find_what_is_wrong(node: str) -> None:
    action = OWN["action.yml"].replace("using: docker", "using: docker\n  imago: x")
    workflow = OWN[".github/workflows/ci.yml"].replace("runs-on:", "run-on:", 1)
    found = told(node, {"action.yml": action, ".github/workflows/ci.yml": workflow})
    assert any(line.startswith("action.yml:") and "imago" in line for line in found)
    assert any("run-on" in line for line in found)


def weaknesses(folder: Path, files: dict[str, str]) -> set[tuple[str, str]]:
    """What zizmor finds, as (kind, file)."""
    program = Path(sys.executable).with_name("zizmor")
    if not program.exists():
        pytest.skip("`zizmor` is absent: it comes with the development requirements")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = subprocess.run(
        [program, "--offline", "--no-progress", "--quiet", "--format", "json", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout, done.stderr
    return {
        (found["ident"], place["symbolic"]["key"]["Local"]["verbatim_path"].removeprefix("./"))
        for found in json.loads(done.stdout)
        for place in found["locations"]
    }


def test_zizmor_finds_no_weakness_in_our_own(tmp_path: Path) -> None:
    assert weaknesses(tmp_path, OWN) == set()


def test_zizmor_finds_only_what_pages_explain_in_those_they_offer(tmp_path: Path) -> None:
    """Versions are for readers to pin; the comment on a fork takes `workflow_run`, and runs nothing."""
    found = {one for one in weaknesses(tmp_path, OFFERED) if one[0] != "unpinned-uses"}
    assert {kind for kind, _ in found} == {"dangerous-triggers"}
    assert all("mode: publish" in OFFERED[path] for _, path in found)
