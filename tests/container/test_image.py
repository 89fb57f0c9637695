"""What is in the image and what isn't, and that it starts on any other CI."""

import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from mergebar import __version__, cli
from support import gates, repositories
from support.container import building
from support.container.running import Image
from support.gates import failing, passing

CONFIG = """\
version: 1
agents:
  desk: {type: command, command: [python3, -I, agent.py], sources: [agent.py]}
documents:
  - {paths: ["evals/*.json"], agent: desk}
"""
AGENT = """\
import json, sys
print(json.dumps({"response": json.loads(sys.stdin.readline())["prompt"].partition(" ")[2]}))
"""


def described(image: Image) -> dict[str, Any]:
    (found,) = json.loads(image.engine.podman("image", "inspect", image.id))
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def saved(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The layers as they would be pushed, each in a file of its own."""
    folder = tmp_path_factory.mktemp("saved")
    image.engine.buildah("push", "--quiet", image.id, f"dir:{folder}")
    return folder


def layers(saved: Path) -> list[Path]:
    """The layers, first that of the base."""
    manifest = json.loads((saved / "manifest.json").read_text())
    return [saved / layer["digest"].removeprefix("sha256:") for layer in manifest["layers"]]


@pytest.fixture(scope="module")
def files(saved: Path) -> dict[str, bytes]:
    """What our layers add, each file by its name; a folder or a link is empty."""
    found = {}
    for layer in layers(saved)[1:]:
        with tarfile.open(layer) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                found[member.name] = file.read() if file else b""
    return found


def test_it_tells_its_version(image: Image) -> None:
    ended = image.run("--version")

    assert (ended.code, ended.stdout.strip()) == (0, f"mergebar {__version__}")


def test_without_a_command_it_lists_them(image: Image) -> None:
    ended = image.run()

    assert all(command in ended.said for command in cli.COMMANDS)


def test_it_starts_as_the_runner_needs_it(image: Image) -> None:
    config = described(image)["Config"]

    assert config["Entrypoint"] == ["/usr/local/bin/python", "-I", "/entrypoint"]
    assert config.get("User", "") == ""
    assert config.get("WorkingDir", "/") in {"", "/"}
    assert {name.removeprefix("org.opencontainers.image.") for name in config["Labels"]} >= {
        "title",
        "version",
        "revision",
        "source",
        "description",
        "licenses",
    }


def test_our_layers_hold_what_is_needed_and_nothing_else(files: dict[str, bytes]) -> None:
    names = set(files)

    assert any(name.endswith("/site-packages/mergebar/cli.py") for name in names)
    assert "usr/bin/git" in names
    unwanted = (
        ".deb",
        "pip.conf",
        "/conftest.py",
        ".orig",
        "/pip/__init__.py",
        "-gcc",
        "/hatchling",
        "/direct_url.json",
    )
    assert [name for name in names if name.endswith(unwanted)] == []
    folders = ("var/cache/apt/", "var/lib/apt/lists/", "root/", "run/", "build/", "tmp/", "opt/")
    assert [name for name in names if name.startswith(folders) and name + "/" not in folders] == []
    assert [name for name in names if {"tests", "_tests"} & set(name.split("/"))] == []
    programs = {name for name in names if name.startswith("usr/local/bin/")}
    assert programs == {"usr/local/bin/mergebar"}


def test_no_program_makes_anybody_somebody_else(image: Image) -> None:
    assert image.shell("find / -xdev -type f -perm /6000") == ""


def test_everything_that_is_imported_is_compiled(files: dict[str, bytes]) -> None:
    names = set(files)
    sources = {name for name in names if name.endswith(".py") and "/site-packages/" in name}
    library = {name for name in names if "/json/__pycache__/decoder." in name}

    assert len(sources) > 1000
    assert library
    assert sorted({_compiled(name) for name in sources} - _tagless(names)) == []


def _compiled(name: str) -> str:
    folder, _, file = name.rpartition("/")
    return f"{folder}/__pycache__/{file.removesuffix('.py')}"


def _tagless(names: set[str]) -> set[str]:
    return {name.rpartition(".cpython-")[0] for name in names if name.endswith(".pyc")}


def test_nothing_of_the_machine_is_in_a_layer(image: Image, files: dict[str, bytes]) -> None:
    told = (image.engine.folder / "reaching/pip.conf").read_text()
    words = [word for line in told.splitlines() for word in line.partition(" = ")[2].split()]
    machine = {
        str(image.engine.folder),
        str(building.ROOT),
        *(word for word in words if "/" in word),
    }
    wanted = [text.encode() for text in machine]

    found = [(name, text) for name, data in files.items() for text in wanted if text in data]
    history = json.dumps(described(image)["History"])

    assert found == []
    assert not [text for text in wanted if text.decode() in history]


def test_git_is_known_to_scanners_and_works_alone(image: Image) -> None:
    told = image.shell(
        "cat /var/lib/dpkg/status.d/git; cd /tmp && git init -q r && cd r && git worktree list"
    )

    assert "Package: git\n" in told
    assert "\nVersion: " in told
    assert " [main]" in told or " [master]" in told


@pytest.mark.parametrize("owner", [0, 1001, 4242])
@pytest.mark.parametrize("home", ["", "/nowhere"])
def test_it_runs_on_any_other_ci(image: Image, tmp_path: Path, owner: int, home: str) -> None:
    here = gates.repository(
        tmp_path / "a b", failing("no"), passing("yes"), config=CONFIG, **{"agent.py": AGENT}
    )
    head = here.head()
    for path in (here.path, *here.path.rglob("*")):
        os.chown(path, owner, owner, follow_symlinks=False)
    options = ("--volume", f"{here.path}:/work", "--workdir", "/work")
    environ = {"CI": "true", **({"HOME": home} if home else {})}

    ended = image.run("run", options=options, environ=environ, cwd=here.path)

    assert ended.code == 1, ended.said
    report = ended.report()
    assert report["run"]["commit"] == head
    assert [check["outcome"] for check in report["checks"]] == ["fail", "pass"]
    made = here.path / ".mergebar"
    assert {path.lstat().st_uid for path in (made, *made.rglob("*"))} == {owner}


def test_its_user_may_be_anybody_else(image: Image, tmp_path: Path) -> None:
    here = repositories.start(
        tmp_path / "work",
        {
            ".gitignore": ".mergebar/\n",
            "mergebar.yml": CONFIG,
            "agent.py": AGENT,
            "evals/a.json": gates.document(passing()),
        },
    )
    for path in (here.path, *here.path.rglob("*")):
        os.chown(path, 1001, 1001, follow_symlinks=False)
    options = ("--volume", f"{here.path}:/work", "--workdir", "/work", "--user", "1001:1001")

    ended = image.run("run", options=options, cwd=here.path)

    assert ended.code == 0, ended.said


def test_an_input_with_a_hyphen_arrives(image: Image, tmp_path: Path) -> None:
    environ = {"GITHUB_ACTIONS": "true", "INPUT_CHECK-RUN": "perhaps"}

    ended = image.run(environ=environ, cwd=tmp_path)

    assert ended.code == 2
    assert "`check-run` is `perhaps`" in ended.said


def test_a_refused_connection_to_localhost_says_whose_localhost_it_is(
    image: Image, tmp_path: Path
) -> None:
    config = CONFIG.replace(
        "command, command: [python3, -I, agent.py]", 'http, url: "http://localhost:9", attempts: 1'
    )
    here = gates.repository(tmp_path / "work", passing(), config=config)
    options = ("--volume", f"{here.path}:/work", "--workdir", "/work")

    ended = image.run("run", options=options, cwd=here.path)

    assert ended.code == 3, ended.said
    assert "inside a container `localhost` is the container itself" in ended.said


@pytest.mark.parametrize("home", ["", "/work"], ids=["nothing", "the workspace"])
def test_no_variable_makes_code_of_the_repository_root_or_the_workspaces_owner(
    image: Image, tmp_path: Path, home: str
) -> None:
    agent = 'import json, os\nprint(json.dumps({"response": str(os.getuid())}))\n'
    here = gates.repository(
        tmp_path / "work", gates.item("who", "10001"), config=CONFIG, **{"agent.py": agent}
    )
    for path in (here.path, *here.path.rglob("*")):
        os.chown(path, 1001, 1001, follow_symlinks=False)
    options = ("--volume", f"{here.path}:/work", "--workdir", "/work")

    ended = image.run("run", options=options, environ={"MERGEBAR_CONTAINER": home}, cwd=here.path)

    assert ended.code == (0 if not home else 2), ended.said
    assert ("`MERGEBAR_CONTAINER` names a folder of the workspace" in ended.said) is bool(home)
