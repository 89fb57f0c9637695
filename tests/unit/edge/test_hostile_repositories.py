import os
from pathlib import Path

import pytest

from mergebar.edge.git import Git, GitTrouble
from mergebar.edge.raw_diff import Diff
from support import repositories
from support.repositories import Repository

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def git_at(folder: Path, **environ: str) -> Git:
    return Git(folder, {**ENVIRON, **environ})


def differing(git: Git) -> list[str]:
    diff = git.uncommitted()
    assert isinstance(diff, Diff), diff
    return [change.path for change in diff.files]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repositories.start(tmp_path / "repository", {"a.txt": "a\n", "b/c.txt": "c\n"})


def test_a_git_in_the_checkout_is_never_run(repository: Repository) -> None:
    planted = repository.write("git", "#!/bin/sh\ntouch planted\n")
    planted.chmod(0o755)
    for path in (".", "", f".{os.pathsep}{ENVIRON['PATH']}"):
        git_at(repository.path, PATH=path).head()
    assert not (repository.path / "planted").exists()


# Settings that start a program, with `{}` for the program. Each is tried on every question.
HOSTILE = {
    "fsmonitor": "[core]\n\tfsmonitor = {}\n",
    "hooks": "[core]\n\thooksPath = {hooks}\n",
    "external-diff": "[diff]\n\texternal = {}\n",
    "textconv": '[diff "evil"]\n\ttextconv = {}\n\tcommand = {}\n',
    "filter": '[filter "evil"]\n\tclean = {}\n\tsmudge = {}\n\trequired = true\n',
    "filter-process": '[filter "evil"]\n\tprocess = {}\n\trequired = true\n',
    "filter-name": '[filter "evil"]\n\tclean = {}\n[filter "e=v.i l"]\n\tclean = {}\n',
    "pager": "[core]\n\tpager = {}\n\teditor = {}\n\taskPass = {}\n\tsshCommand = {}\n",
    "alias": '[alias]\n\tdiff = "!{}"\n\trev-parse = "!{}"\n\tls-files = "!{}"\n',
    "gpg": "[gpg]\n\tprogram = {}\n[log]\n\tshowSignature = true\n",
}


def asked(git: Git, base: str, head: str) -> list[object]:
    return [
        git.head(),
        git.parents(head),
        git.merge_base(base, head),
        git.is_shallow(),
        git.diff(base, head),
        git.diff_to_files(base),
        git.file_at(base, "a.txt"),
        git.is_tracked("a.txt"),
    ]


def plant(repository: Repository, tmp_path: Path) -> tuple[Path, Path]:
    """A program that leaves a trace, and hooks that run it; attributes point every file at it."""
    trace = tmp_path / "trace"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\necho ran >> {trace}\ncat\n")
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction"):
        (hooks / name).symlink_to(program)
        (repository.path / ".git" / "hooks").mkdir(exist_ok=True)
        (repository.path / ".git" / "hooks" / name).symlink_to(program)
    return program, trace


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("included", [False, True])
def test_no_program_of_the_repositorys_configuration_is_run(
    repository: Repository, tmp_path: Path, name: str, *, included: bool
) -> None:
    base = repository.head()
    head = repository.commit(
        {".gitattributes": "* diff=evil filter=evil\n", "b/c.txt": "changed\n"}
    )
    expected = asked(git_at(repository.path), base, head)
    assert not [answer for answer in expected if isinstance(answer, GitTrouble)]
    program, trace = plant(repository, tmp_path)
    text = HOSTILE[name].replace("{hooks}", str(tmp_path / "hooks")).replace("{}", str(program))
    if included:
        (tmp_path / "included").write_text(text)
        text = f"[include]\n\tpath = {tmp_path / 'included'}\n"
    with (repository.path / ".git" / "config").open("a") as config:
        config.write(text)
    os.utime(repository.path / "a.txt", (1, 1))
    assert asked(git_at(repository.path), base, head) == expected
    assert not trace.exists()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("fsmonitor", ("status",)),
        ("hooks", ("update-index", "--refresh")),
        ("external-diff", ("diff", "HEAD~1")),
        ("textconv", ("diff", "HEAD~1")),
        ("filter", ("diff", "--name-status")),
    ],
)
def test_the_planted_programs_would_run_under_a_plain_git(
    repository: Repository, tmp_path: Path, name: str, command: tuple[str, ...]
) -> None:
    """Without this, the test above could pass because it planted nothing."""
    repository.commit({".gitattributes": "* diff=evil filter=evil\n", "b/c.txt": "changed\n"})
    program, trace = plant(repository, tmp_path)
    text = HOSTILE[name].replace("{hooks}", str(tmp_path / "hooks")).replace("{}", str(program))
    with (repository.path / ".git" / "config").open("a") as config:
        config.write(text)
    os.utime(repository.path / "a.txt", (1, 1))
    repository.git(*command)
    assert trace.exists()


def test_git_variables_of_the_environment_are_dropped(
    repository: Repository, tmp_path: Path
) -> None:
    other = repositories.start(tmp_path / "other", {"x": "x"})
    program, trace = plant(repository, tmp_path)
    hostile = {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_WORK_TREE": "/",
        "GIT_INDEX_FILE": "/nonexistent",
        "GIT_EXTERNAL_DIFF": str(program),
        "GIT_SSH_COMMAND": str(program),
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='{program}'",
        "GIT_TRACE": str(tmp_path / "log"),
        "GIT_EXEC_PATH": str(tmp_path),
        "LD_PRELOAD": "/nonexistent.so",
    }
    git = git_at(repository.path, **hostile)
    assert git.head() == repository.head()
    assert differing(git) == []
    assert not trace.exists()
    assert not (tmp_path / "log").exists()


def test_a_repository_with_sha256_ids_is_read(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.git("init", "--quiet", "--object-format=sha256")
    base = repository.commit({"a.txt": "a\n"})
    repository.write("b.txt", "b\n")
    git = git_at(tmp_path)
    assert git.head() == base
    assert len(base) == 64
    assert differing(git) == ["b.txt"]
    assert git.file_at(base, "a.txt") == b"a\n"


def test_a_configured_worktree_is_not_followed(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    git = git_at(repository.path / "b")
    assert git.toplevel() == repository.path
    assert differing(git) == []


def test_a_bare_repository_committed_as_a_folder_is_not_entered(repository: Repository) -> None:
    bare = repository.path / "evals"
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text("[core]\n\tbare = true\n\tfsmonitor = touch planted\n")
    git = git_at(bare)
    assert git.toplevel() == repository.path
    assert git.head() == repository.head()


def test_a_missing_object_is_not_fetched(repository: Repository, tmp_path: Path) -> None:
    """A partial clone would start the transport that its configuration names."""
    program, trace = plant(repository, tmp_path)
    head = repository.head()
    blob = repository.git("rev-parse", "HEAD:a.txt")
    (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with (repository.path / ".git" / "config").open("a") as config:
        config.write(
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
            f'[remote "origin"]\n\turl = ssh://127.0.0.1/x\n\tpromisor = true\n\tuploadpack = {program}\n'
            f"[core]\n\tsshCommand = {program}\n"
        )
    assert isinstance(git_at(repository.path).file_at(head, "a.txt"), GitTrouble)
    assert not trace.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository away")
def test_a_repository_of_another_user_is_read(repository: Repository) -> None:
    for path in (repository.path, *repository.path.rglob("*")):
        os.lchown(path, 12345, 12345)
    git = git_at(repository.path)
    assert git.head() != ""
    assert differing(git) == []
    assert git.is_tracked("a.txt") is True
