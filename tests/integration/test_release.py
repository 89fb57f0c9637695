"""The scripts of the release workflow, on real git repositories; Docker and GitHub's CLI stand by."""

import base64
import os
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
import yaml

from conftest import ROOT
from mergebar import __version__
from support.repositories import ENVIRON, Repository

SCRIPTS = ROOT / ".github/scripts"
DIGEST = "sha256:" + "0123456789abcdef" * 4
OTHER = "sha256:" + "fedcba9876543210" * 4
IMAGE = f"registry.example.org/mergebar/mergebar@{DIGEST}"


def run(script: str, *arguments: str, cwd: Path, **environ: str) -> tuple[int, str]:
    """Its exit code and all that it printed."""
    done = subprocess.run(
        [SCRIPTS / script, *arguments],
        cwd=cwd,
        env={**ENVIRON, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def source(folder: Path, *, version: str = "1.2.3", changelog: str | None = None) -> Repository:
    """A repository with what a release is made of."""
    repository = Repository(folder)
    repository.write("src/mergebar/__init__.py", f'"""x"""\n\n__version__ = "{version}"\n')
    repository.write(
        "CHANGELOG.md",
        changelog or f"# Changelog\n\n## {version}\n\n* New.\n\n## 0.1.0\n\n* Old.\n",
    )
    shutil.copy(ROOT / "action.yml", folder)
    return repository


def standing_in(folder: Path, name: str, body: str) -> dict[str, str]:
    """A program of somebody else's that notes what it is asked, and answers as `body` does."""
    file = folder / "bin" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'#!/bin/sh\necho "$*" >> "{folder}/asked"\n{textwrap.dedent(body)}')
    file.chmod(0o755)
    return {"PATH": os.pathsep.join([str(file.parent), ENVIRON["PATH"]])}


def asked(folder: Path) -> list[str]:
    return (folder / "asked").read_text().splitlines()


def test_a_version_is_what_tag_package_and_changelog_say(tmp_path: Path) -> None:
    source(tmp_path)

    assert run("release.py", "version", "release-1.2.3", cwd=tmp_path) == (0, "version=1.2.3\n")
    assert run("release.py", "notes", "1.2.3", cwd=tmp_path) == (0, "* New.\n")


@pytest.mark.parametrize(
    ("tag", "version", "changelog", "said"),
    [
        ("v1.2.3", "1.2.3", None, "push one like `release-1.2.3`"),
        ("release-1.2", "1.2", None, "no tag of a release"),
        ("release-1.2.3;id", "1.2.3;id", None, "no tag of a release"),
        ("release-1.2.3", "1.2.4", None, "`__version__` is `1.2.4`"),
        ("release-1.2.3", "1.2.3", "## Unreleased\n\n* New.\n", "give `Unreleased` that name"),
        ("release-1.2.3", "1.2.3", "## 1.2.3\n\n## 1.2.2\n\n* Old.\n", "says nothing under"),
        ("release-1.2.3", "1.2.3", "## 1.2.30\n\n* Another.\n", "says nothing under"),
    ],
)
def test_a_release_that_does_not_agree_with_itself_is_none(
    tmp_path: Path, tag: str, version: str, changelog: str | None, said: str
) -> None:
    source(tmp_path, version=version, changelog=changelog)

    code, printed = run("release.py", "version", tag, cwd=tmp_path)
    assert (code, said in printed) == (2, True), printed


@pytest.mark.parametrize("version", ["1.2.3", "2.0.0rc1", "0.1.0"])
def test_versions_of_every_kind_are_taken(tmp_path: Path, version: str) -> None:
    source(tmp_path, version=version)

    code, printed = run("release.py", "version", f"release-{version}", cwd=tmp_path)
    assert (code, printed) == (0, f"version={version}\n")


def test_our_own_version_can_be_asked_for() -> None:
    code, printed = run("release.py", "version", f"release-{__version__}", cwd=ROOT)

    assert code in {0, 2}
    assert printed == f"version={__version__}\n" or "give `Unreleased` that name" in printed


def test_the_action_of_a_release_names_an_image_by_digest_and_is_the_same_otherwise(
    tmp_path: Path,
) -> None:
    source(tmp_path)

    assert run("release.py", "pin", IMAGE, cwd=tmp_path) == (0, "")
    pinned, built = (
        yaml.safe_load((folder / "action.yml").read_text()) for folder in (tmp_path, ROOT)
    )
    assert pinned.pop("runs") == {"using": "docker", "image": f"docker://{IMAGE}"}
    assert built.pop("runs") == {"using": "docker", "image": "Dockerfile"}
    assert pinned == built


@pytest.mark.parametrize(
    "image",
    [
        "",
        f"/mergebar/mergebar@{DIGEST}",
        "registry.example.org/mergebar/mergebar:1.2.3",
        "registry.example.org/mergebar/mergebar@",
        f"registry.example.org/mergebar/mergebar@{DIGEST[:-1]}",
        f"registry.example.org/mergebar\n@{DIGEST}",
        f"../a/b@{DIGEST}",
        f"registry.example.org/a/../b@{DIGEST}",
        f"registry.example.org/./b@{DIGEST}",
        f"registry.example.org/-a/b@{DIGEST}",
        f"registry.example.org/a-/b@{DIGEST}",
        f"registry.example.org/a..b@{DIGEST}",
        f"registry.example.org/A/b@{DIGEST}",
        f"registry.example.org//b@{DIGEST}",
        f"-x/a@{DIGEST}",
        f"x/a@{DIGEST}",
        f"registry.-example.org/a@{DIGEST}",
        f"registry..example/a@{DIGEST}",
        f"registry.example.org:/a@{DIGEST}",
        f"registry.example.org:123456/a@{DIGEST}",
        f"registry.example.org/a@{DIGEST}\n",
        f"docker://registry.example.org/a@{DIGEST}",
        f"registry.example.org/a$(id)@{DIGEST}",
    ],
)
def test_an_image_that_could_change_is_not_pinned_to(tmp_path: Path, image: str) -> None:
    source(tmp_path)

    code, printed = run("release.py", "pin", image, cwd=tmp_path)
    assert (code, "no image with a digest" in printed) == (2, True)
    assert (tmp_path / "action.yml").read_bytes() == (ROOT / "action.yml").read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        "localhost/a",
        "localhost:5000/a",
        "registry:5000/a/b",
        "r.example/a-b/c__d",
        "r.ex-a.org/a.b",
    ],
)
def test_every_registry_and_path_that_images_can_have_is_taken(tmp_path: Path, name: str) -> None:
    source(tmp_path)

    assert run("release.py", "pin", f"{name}@{DIGEST}", cwd=tmp_path) == (0, "")


def test_an_action_is_not_pinned_twice(tmp_path: Path) -> None:
    source(tmp_path)
    run("release.py", "pin", IMAGE, cwd=tmp_path)

    code, printed = run("release.py", "pin", IMAGE, cwd=tmp_path)
    assert (code, "`image: Dockerfile` once" in printed) == (2, True)


@pytest.fixture
def checkout(tmp_path: Path) -> Repository:
    """A checkout of main; `origin.git` beside it is the repository."""
    made = source(tmp_path / "work")
    made.git("init", "--quiet", "--initial-branch", "main")
    made.commit()
    bare = tmp_path / "origin.git"
    made.git("init", "--quiet", "--bare", str(bare))
    made.git("remote", "add", "origin", str(bare))
    made.git("push", "--quiet", "origin", "main")
    made.git("fetch", "--quiet", "origin")
    return made


def origin(checkout: Repository) -> Repository:
    return Repository(checkout.path.parent / "origin.git")


def tags(checkout: Repository) -> dict[str, str]:
    """The commit that each tag leads to."""
    form = "%(refname:short) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
    listed = origin(checkout).git("for-each-ref", "refs/tags", f"--format={form}")
    return dict(line.split(" ", 1) for line in listed.splitlines())


def test_a_release_is_tagged_once_and_its_major_version_moves(checkout: Repository) -> None:
    main = checkout.head()

    code, printed = run("tag.sh", "1.2.3", IMAGE, cwd=checkout.path)
    assert code == 0, printed
    first = tags(checkout)
    assert set(first) == {"v1", "v1.2.3"}
    assert first["v1"] == first["v1.2.3"]
    changed = origin(checkout).git("diff", "--name-only", main, first["v1"])
    assert changed == "action.yml"
    assert f"docker://{IMAGE}" in origin(checkout).git("show", "v1:action.yml")
    assert origin(checkout).git("rev-parse", "main", "v1^") == f"{main}\n{main}"

    checkout.git("checkout", "--quiet", "main")
    checkout.git("reset", "--quiet", "--hard", main)
    code, printed = run("tag.sh", "1.3.0", IMAGE, cwd=checkout.path)
    assert code == 0, printed
    second = tags(checkout)
    assert second["v1.2.3"] == first["v1.2.3"]
    assert second["v1"] == second["v1.3.0"] != first["v1"]


def test_a_release_that_is_tried_again_leaves_its_tags_alone(checkout: Repository) -> None:
    run("tag.sh", "1.2.3", IMAGE, cwd=checkout.path)
    before = tags(checkout)

    code, printed = run("tag.sh", "1.2.3", IMAGE, cwd=checkout.path)
    assert (code, printed) == (0, "v1.2.3 is there already, with this image\n")
    assert tags(checkout) == before


@pytest.mark.parametrize(
    "other", [IMAGE.replace("0", "f"), IMAGE.replace("example", "other")], ids=["digest", "place"]
)
def test_a_release_that_is_tried_again_with_another_image_fails(
    checkout: Repository, other: str
) -> None:
    run("tag.sh", "1.2.3", IMAGE, cwd=checkout.path)
    before = tags(checkout)

    code, printed = run("tag.sh", "1.2.3", other, cwd=checkout.path)
    assert (code, IMAGE in printed, other in printed) == (2, True, True), printed
    assert "release another version" in printed
    assert tags(checkout) == before


VERSIONS_THAT_ARE_NONE = (
    "", "--help", "-1.2.3", "$(id)", "1.2", "1.2.3.4", "v1.2.3", "1.2.3-rc1", "1.2.3 ", "1.2.3\n",
    "01.2.3", "1.2.3rc01", "1.2.\N{ARABIC-INDIC DIGIT THREE}", "../1.2.3", "1.2.3;id",
)  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS_THAT_ARE_NONE)
def test_nothing_is_tagged_with_what_is_no_version(checkout: Repository, version: str) -> None:
    code, printed = run("tag.sh", version, IMAGE, cwd=checkout.path)

    assert (code, "is no version" in printed) == (2, True), printed
    assert tags(checkout) == {}
    assert checkout.git("status", "--porcelain") == ""


@pytest.mark.parametrize("arguments", [(), ("1.2.3",)])
def test_nothing_is_tagged_without_arguments(checkout: Repository, arguments: tuple[str]) -> None:
    code, _ = run("tag.sh", *arguments, cwd=checkout.path)

    assert code == 2
    assert tags(checkout) == {}


@pytest.mark.parametrize(("version", "code"), [("1.2.3", 1), ("1.2.4", 0), ("1.2", 0)])
def test_no_image_of_a_release_is_replaced_by_a_second_push_of_its_tag(
    checkout: Repository, version: str, code: int
) -> None:
    run("tag.sh", "1.2.3", IMAGE, cwd=checkout.path)
    checkout.git("fetch", "--quiet", "--tags", "origin")

    ended, printed = run("unreleased.sh", version, cwd=checkout.path)
    assert (ended, "is released already" in printed) == (code, bool(code)), printed


def test_nothing_is_built_before_it_is_known_to_be_a_new_release() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    prepare = jobs["prepare"]["steps"]
    assert prepare[0]["with"]["fetch-depth"] == 0
    assert any("unreleased.sh" in step.get("run", "") for step in prepare)
    pushing = [
        name
        for name, job in jobs.items()
        if any(script in str(job["steps"]) for script in ("push.sh", "join.sh"))
    ]
    assert pushing == ["image", "index"]
    assert all("prepare" in jobs[name]["needs"] for name in pushing)


def test_a_version_before_the_final_one_does_not_move_the_major_version(
    checkout: Repository,
) -> None:
    code, printed = run("tag.sh", "2.0.0rc1", IMAGE, cwd=checkout.path)

    assert code == 0, printed
    assert set(tags(checkout)) == {"v2.0.0rc1"}


@pytest.mark.parametrize(
    ("there", "version", "major"),
    [
        (["1.2.1"], "1.2.0", "1.2.1"),
        (["1.2.1", "1.10.0"], "1.9.9", "1.10.0"),
        (["1.9.9"], "1.10.0", "1.10.0"),
        (["1.2.0", "2.0.0"], "1.2.1", "1.2.1"),
        (["1.2.0", "1.3.0rc1", "11.0.0"], "1.2.1", "1.2.1"),
        (["1.2.1"], "1.2.1rc1", "1.2.1"),
    ],
)
def test_the_major_version_never_goes_back(
    checkout: Repository, there: list[str], version: str, major: str
) -> None:
    main = checkout.head()
    for one in (*there, version):
        checkout.git("checkout", "--quiet", "--detach", main)
        code, printed = run("tag.sh", one, IMAGE, cwd=checkout.path)
        assert code == 0, printed

    now = tags(checkout)
    assert f"v{version}" in now
    assert now["v1"] == now[f"v{major}"]


def test_tags_are_pushed_together_or_not_at_all(checkout: Repository) -> None:
    hook = origin(checkout).path / "hooks/update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\ntest "$1" != refs/tags/v1\n')
    hook.chmod(0o755)

    code, _ = run("tag.sh", "1.2.3", IMAGE, cwd=checkout.path)
    assert code != 0
    assert tags(checkout) == {}


def test_nothing_is_tagged_without_a_digest(checkout: Repository) -> None:
    code, _ = run("tag.sh", "1.2.3", "mergebar@", cwd=checkout.path)

    assert code != 0
    assert tags(checkout) == {}


@pytest.mark.parametrize(
    ("merged", "runs", "code", "said"),
    [
        (True, "1", 0, ""),
        (True, "2", 0, ""),
        (True, "0", 1, "hasn't passed"),
        (True, "", 1, "hasn't passed"),
        (False, "1", 1, "isn't on main"),
    ],
)
def test_only_what_was_merged_and_has_passed_is_released(
    checkout: Repository, *, merged: bool, runs: str, code: int, said: str
) -> None:
    commit = checkout.head() if merged else checkout.commit({"x": "1"})
    environ = standing_in(checkout.path.parent, "gh", f"echo {runs}\n")

    ended, printed = run("proven.sh", commit, cwd=checkout.path, **environ)
    assert (ended, said in printed) == (code, True), printed
    if merged:
        [question] = asked(checkout.path.parent)
        assert f"--commit {commit} --event push --branch main --status success" in question


@pytest.mark.parametrize(
    ("base", "answer", "code", "printed"),
    [
        ("registry/python:3.13-slim", DIGEST, 0, f"base=registry/python:3.13-slim@{DIGEST}\n"),
        (f"registry/python@{DIGEST}", "", 0, f"base=registry/python@{DIGEST}\n"),
        ("registry/python:3.13-slim", "", 1, "::error::the base image has no digest"),
        ("registry/python:3.13-slim", "sha256:1", 1, "::error::the base image has no digest"),
    ],
)
def test_the_base_image_is_one_with_a_digest(
    tmp_path: Path, base: str, answer: str, code: int, printed: str
) -> None:
    (tmp_path / "Dockerfile").write_text(f"# why\nARG BASE={base}\n\nFROM ${{BASE}} AS build\n")
    environ = standing_in(tmp_path, "docker", f"echo {answer}\n")

    ended, said = run("base.sh", cwd=tmp_path, **environ)
    assert ended == code
    assert said.startswith(printed)


def test_our_dockerfile_has_the_base_image_that_is_looked_for(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Dockerfile", tmp_path)
    environ = standing_in(tmp_path, "docker", f"echo {DIGEST}\n")

    code, said = run("base.sh", cwd=tmp_path, **environ)
    assert code == 0, said
    assert "python" in said


@pytest.mark.parametrize("answer", [DIGEST, "", "latest"])
def test_an_image_is_pushed_and_told_by_its_digest(tmp_path: Path, answer: str) -> None:
    environ = standing_in(
        tmp_path, "docker", f'[ "$1" = push ] && echo pushed || echo "name@{answer}"\n'
    )

    code, said = run("push.sh", "registry/x:1-amd64", "amd64", cwd=tmp_path, **environ)
    assert asked(tmp_path)[0] == "push --quiet registry/x:1-amd64"
    assert (code == 0) == (answer == DIGEST)
    assert (f"amd64={DIGEST}\n" in said) == (answer == DIGEST)


@pytest.mark.parametrize("answer", [DIGEST, ""])
def test_the_images_of_all_kinds_of_machines_are_joined(tmp_path: Path, answer: str) -> None:
    environ = standing_in(tmp_path, "docker", f'[ "$3" = create ] || echo "{answer}"\n')

    code, said = run("join.sh", "host:1/x:1", DIGEST, OTHER, cwd=tmp_path, **environ)
    create, inspect = asked(tmp_path)
    joined = f"host:1/x@{DIGEST} host:1/x@{OTHER}"
    assert create == f"buildx imagetools create --tag host:1/x:1 {joined}"
    assert inspect.startswith("buildx imagetools inspect host:1/x:1 ")
    assert (code, said.endswith(f"digest={DIGEST}\n")) == ((0, True) if answer else (1, False))


def test_nothing_is_joined_that_has_no_digest(tmp_path: Path) -> None:
    environ = standing_in(tmp_path, "docker", "echo started\n")

    code, said = run("join.sh", "registry/x:1", DIGEST, "", cwd=tmp_path, **environ)

    assert code == 1
    assert "is no digest" in said
    assert "started" not in said


@pytest.mark.parametrize(
    ("image", "code"), [("registry.example.org/a/b", 0), ("/a/b", 1)], ids=["set", "unset"]
)
def test_nobody_logs_in_at_a_registry_that_is_not_named(
    tmp_path: Path, image: str, code: int
) -> None:
    environ = standing_in(tmp_path, "docker", f'cat > "{tmp_path}/given"\n')
    secret = {"TOKEN": "t0ken", "GITHUB_ACTOR": "maria"}

    ended, said = run("login.sh", image, cwd=tmp_path, **environ, **secret)
    assert ended == code, said
    if code == 0:
        assert asked(tmp_path) == ["login registry.example.org --username maria --password-stdin"]
        assert (tmp_path / "given").read_text() == "t0ken\n"
        assert "t0ken" not in said
    else:
        assert "IMAGE_REGISTRY" in said
        assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(
    ("version", "there", "expected"),
    [
        ("1.2.3", False, ["--notes-file - a.whl"]),
        ("1.2.3rc1", False, ["--notes-file - --prerelease a.whl"]),
        ("1.2.3", True, []),
    ],
)
def test_a_release_is_told_of_once(
    tmp_path: Path, version: str, *, there: bool, expected: list[str]
) -> None:
    source(tmp_path, version=version)
    answer = f'[ "$2" = view ] && exit {0 if there else 1}\ncat > "{tmp_path}/given"\n'

    code, said = run(
        "tell.sh", version, "a.whl", cwd=tmp_path, **standing_in(tmp_path, "gh", answer)
    )
    assert code == 0, said
    _, *created = asked(tmp_path)
    begin = f"release create v{version} --verify-tag --title mergebar {version} "
    assert created == [begin + rest for rest in expected]
    if created:
        assert (tmp_path / "given").read_text() == "* New.\n"


def test_a_started_image_is_given_a_copy_of_the_example_and_not_the_checkout(
    tmp_path: Path,
) -> None:
    given = f'[ -e "${{6%%:*}}/examples/support-agent/mergebar.yml" ] || exit 3\necho "${{6%%:*}}" >> "{tmp_path}/given"\n'

    code, said = run("image.sh", "mergebar", cwd=tmp_path, **standing_in(tmp_path, "docker", given))
    assert code == 0, said
    told = asked(tmp_path)
    assert [line.partition(" mergebar ")[2] for line in told] == [
        "--version",
        "check",
        "run --all --quiet",
    ]
    folders = {Path(line) for line in (tmp_path / "given").read_text().splitlines()}
    assert len(folders) == 1
    assert not any(ROOT.is_relative_to(one) or one.is_relative_to(ROOT) for one in folders)
    assert not any(one.exists() for one in folders)


def test_files_that_were_changed_on_their_way_are_not_signed(tmp_path: Path) -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    checks = [
        step["run"]
        for name in ("attest", "publish")
        for step in jobs[name]["steps"]
        if "DIGESTS" in step.get("env", {})
    ]
    assert len(checks) == 2
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "a.whl").write_text("wheel")
    (dist / "a.tar.gz").write_text("source")
    listed = subprocess.run(
        ["sha256sum", "a.tar.gz", "a.whl"], cwd=dist, capture_output=True, check=True
    )
    digests = base64.b64encode(listed.stdout).decode()

    def accepts(check: str) -> bool:
        environ = {**ENVIRON, "DIGESTS": digests}
        argv = ["bash", "-e", "-c", check]
        return (
            subprocess.run(argv, cwd=dist, env=environ, capture_output=True, check=False).returncode
            == 0
        )

    for check in checks:
        assert accepts(check)
        (dist / "more.whl").write_text("another")
        assert not accepts(check)
        (dist / "more.whl").unlink()
        (dist / "a.whl").write_text("whee1")
        assert not accepts(check)
        (dist / "a.whl").write_text("wheel")


def test_every_script_that_a_workflow_names_exists_and_can_be_started() -> None:
    named = {
        word
        for file in (ROOT / ".github/workflows").glob("*.yml")
        for word in file.read_text().split()
        if word.startswith(".github/scripts/")
    }

    assert len(named) >= 9
    assert {word for word in named if not os.access(ROOT / word, os.X_OK)} == set()
    assert {f".github/scripts/{one.name}" for one in SCRIPTS.iterdir()} == named
