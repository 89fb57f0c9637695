import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conftest import ROOT
from mergebar import __version__, settings
from mergebar.edge import events
from mergebar.settings.table import Input, Kind

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PAGES = [ROOT / "docs" / "reference" / "action.md", ROOT / "README.md"]


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells below a table's heading row."""
    found: list[list[str]] = []
    lines = iter(page.splitlines())
    for line in lines:
        if line.startswith(heading):
            next(lines)
            break
    for line in lines:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split(" |")])
    return found


def test_the_actions_inputs_are_those_of_the_table_in_its_order() -> None:
    written = [
        (name, entry["default"], entry["description"]) for name, entry in ACTION["inputs"].items()
    ]
    assert written == [(entry.name, entry.default, entry.meaning) for entry in settings.INPUTS]


def test_no_input_is_required_because_the_runner_does_not_hold_to_it() -> None:
    assert {entry["required"] for entry in ACTION["inputs"].values()} == {False}


def test_every_default_is_text_as_the_runner_reads_it() -> None:
    assert all(isinstance(entry["default"], str) for entry in ACTION["inputs"].values())


def test_the_actions_outputs_are_those_of_the_table_in_its_order() -> None:
    written = [(name, entry["description"]) for name, entry in ACTION["outputs"].items()]
    assert written == [(entry.name, entry.meaning) for entry in settings.OUTPUTS]


def test_the_settings_of_an_action_without_inputs_are_its_defaults() -> None:
    environ = {
        settings.variable(entry.name): "" if entry.kind is Kind.SECRET else entry.default
        for entry in settings.INPUTS
    }
    assert settings.from_inputs(environ) == settings.Settings()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_list_the_inputs_as_they_are(page: Path) -> None:
    """The reference page has the tables; the README has to agree as soon as it has them."""
    text = page.read_text(encoding="utf-8")
    if page.name != "README.md" or "| input |" in text:
        assert rows(text, "| input |") == [
            [f"`{entry.name}`", _default(entry), entry.meaning] for entry in settings.INPUTS
        ]
    if page.name != "README.md" or "| output |" in text:
        expected = [[f"`{entry.name}`", entry.meaning] for entry in settings.OUTPUTS]
        assert rows(text, "| output |") == expected


def _default(entry: Input) -> str:
    return f"`{entry.default}`" if entry.default else ""


def test_the_page_lists_the_events_that_mean_something() -> None:
    page = PAGES[0].read_text(encoding="utf-8")
    names = [name for row in rows(page, "| event |") for name in re.findall("^`([a-z_]+)`", row[0])]
    assert {*names} == {*events._MEANINGS}


def test_the_action_passes_nothing_through_arguments_or_environment() -> None:
    assert ACTION["runs"] == {"using": "docker", "image": "Dockerfile"}


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", ROOT / "action.yml"),
        *(("vendor.github-workflows", file) for file in WORKFLOWS),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_github_would_accept_the_file(schema: str, file: Path) -> None:
    argv = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file))
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflows_have_least_permissions_and_pinned_actions(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert "permissions" in job, name
        assert "timeout-minutes" in job, name
    used = re.findall(r"uses: ([^\s]+)(.*)", text)
    assert used
    for action, comment in used:
        if action == "./":
            continue
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_checkouts_leave_no_token_behind() -> None:
    for file in WORKFLOWS:
        for job in yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"].values():
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False


def instructions(name: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{name} +(.*)$", joined, re.MULTILINE)


def test_the_image_starts_python_in_isolation_without_a_shell() -> None:
    assert instructions("ENTRYPOINT") == ['["/usr/local/bin/python", "-I", "/entrypoint"]']
    assert instructions("CMD") == []


def test_the_image_keeps_the_runners_user_and_working_directory() -> None:
    last = DOCKERFILE.rsplit("\nFROM ", 1)[1]
    assert not re.search("^(USER|WORKDIR|VOLUME|SHELL|ADD) ", last, re.MULTILINE)


def test_the_image_installs_what_is_locked() -> None:
    installs = [
        part for text in instructions("RUN") for part in text.split("&&") if "pip install" in part
    ]
    assert len(installs) == 3
    for install in installs:
        words = shlex.split(install)
        assert "--require-hashes" in words or {"--no-deps", "--no-index"} <= {*words}


def test_what_the_image_copies_exists_and_is_not_ignored() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = {line[1:] for line in lines if line.startswith("!")}
    copied = {
        source
        for text in instructions("COPY")
        if "--from=" not in text
        for source in text.split()[:-1]
    }
    assert copied == allowed
    assert all((ROOT / source).exists() for source in copied)
    assert "*" in lines


def test_the_lock_for_building_has_what_the_lock_for_developing_has() -> None:
    developing = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    building = (ROOT / "requirements" / "build.txt").read_text(encoding="utf-8")
    entries = [entry.rstrip() for entry in re.split(r"\n(?=\S)", building)]
    assert "hatchling" in [entry.split("==")[0] for entry in entries]
    for entry in entries:
        assert entry in developing, entry.split()[0]


def start(*arguments: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(ROOT / "entrypoint"), *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_entrypoint_passes_a_command_line_through(tmp_path: Path) -> None:
    done = start("--version", folder=tmp_path, HOME="/nonexistent", GITHUB_ACTIONS="true")
    assert (done.returncode, done.stdout) == (0, f"mergebar {__version__}\n")


def test_the_entrypoint_without_arguments_shows_help_outside_github(tmp_path: Path) -> None:
    done = start(folder=tmp_path)
    assert done.stdout.startswith("usage: mergebar")


def test_the_entrypoint_imports_nothing_from_the_checkout(tmp_path: Path) -> None:
    for name in ("mergebar", "yaml", "signal", "tempfile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('planted')")
    done = start("--version", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stdout == f"mergebar {__version__}\n"


ENTRYPOINT = """
import os, runpy, signal, sys
module = runpy.run_path({path!r}, run_name="entrypoint")
"""


def in_entrypoint(code: str, **environ: str) -> str:
    prelude = ENTRYPOINT.format(path=str(ROOT / "entrypoint"))
    done = subprocess.run(
        [sys.executable, "-I", "-c", prelude + code],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_entrypoint_mends_a_home_and_a_path_of_another_machine(tmp_path: Path) -> None:
    code = "module['settle'](); print(os.environ['HOME'], os.environ['PATH'])"
    home, path = in_entrypoint(code, HOME="/nonexistent", PATH="/opt/x:/usr/bin").split()
    assert Path(home).is_dir()
    assert path.startswith("/opt/x:/usr/bin:/usr/local/bin:")
    home, path = in_entrypoint(code, HOME=str(tmp_path)).split()
    assert (home, path.split(":")[0]) == (str(tmp_path), "/usr/local/bin")


def test_a_termination_is_an_interrupt() -> None:
    code = """
signal.signal(signal.SIGTERM, module["interrupt"])
try:
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert in_entrypoint(code) == "interrupted"


@pytest.mark.parametrize(
    ("given", "actions", "expected"),
    [([], "true", ["action"]), ([], "", []), (["run", "--all"], "true", ["run", "--all"])],
)
def test_the_entrypoint_is_the_action_only_inside_github_and_without_arguments(
    given: list[str], actions: str, expected: list[str]
) -> None:
    printed = in_entrypoint(f"print(module['arguments']({given}))", GITHUB_ACTIONS=actions)
    assert printed == str(expected)
