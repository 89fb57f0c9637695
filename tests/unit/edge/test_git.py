import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.edge import git as git_module
from mergebar.edge import processes
from mergebar.edge.git import Git, GitTrouble
from mergebar.edge.raw_diff import Diff
from support import repositories
from support.repositories import Repository

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def git_at(folder: Path, **environ: str) -> Git:
    return Git(folder, {**ENVIRON, **environ})


def files(diff: Diff | GitTrouble) -> list[tuple[str, str, str | None]]:
    assert isinstance(diff, Diff), diff
    return [(change.status.value, change.path, change.old_path) for change in diff.files]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repositories.start(
        tmp_path / "repository",
        {"a.txt": "one\ntwo\nthree\n", "b/c.txt": "c\n", "d.txt": "d\n", ".gitignore": "*.log\n"},
    )


def test_the_toplevel_is_found_from_any_folder_below(repository: Repository) -> None:
    assert git_at(repository.path / "b").toplevel() == repository.path
    assert git_at(repository.path / "b" / "not-yet" / "there").toplevel() == repository.path


def test_no_repository_is_a_value(tmp_path: Path) -> None:
    git = git_at(tmp_path)
    for answer in (git.toplevel(), git.head(), git.is_shallow(), git.is_tracked("x")):
        assert answer == GitTrouble(message="this is not a git repository")


def test_no_git_is_a_value(repository: Repository, tmp_path: Path) -> None:
    answer = git_at(repository.path, PATH=str(tmp_path)).head()
    assert answer == GitTrouble(message="git is not installed, or not on the `PATH`")


def test_an_empty_repository_has_no_head(tmp_path: Path) -> None:
    repositories.start(tmp_path)
    answer = git_at(tmp_path).head()
    assert answer == GitTrouble(message="this checkout has no commit `HEAD`")


def test_a_broken_repository_is_a_value(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    answer = git_at(tmp_path).head()
    assert isinstance(answer, GitTrouble)
    assert answer.message.startswith("`git rev-parse` failed: ")


def test_revisions_are_resolved_to_full_ids(repository: Repository) -> None:
    first = repository.head()
    second = repository.commit({"a.txt": "changed\n"})
    git = git_at(repository.path)
    assert git.head() == second
    assert git.resolve("main") == second
    assert git.resolve("HEAD~1") == first
    assert git.resolve(second[:10]) == second
    assert git.resolve("v1") == GitTrouble(message="this checkout has no commit `v1`")


@pytest.mark.parametrize(
    "revision",
    [
        *("", "-", "--all", "--output=x", "-h", "^main", "a..b", "HEAD:a.txt", ":/one", "a b"),
        *("a\nb", "a\0b", "*", "main?", "x" * 600, "\udcff"),
    ],
)
def test_what_cannot_name_one_commit_never_reaches_git(tmp_path: Path, revision: str) -> None:
    def refuse(*_: object, **__: object) -> processes.Finished:
        raise AssertionError

    repositories.start(tmp_path)
    answer = Git(tmp_path, ENVIRON, refuse).resolve(revision)
    assert isinstance(answer, GitTrouble)
    assert answer.message.isprintable()


@given(st.text(max_size=30))
def test_an_accepted_revision_is_one_plain_argument(revision: str) -> None:
    if not git_module.wrong_revision(revision):
        assert not revision.startswith("-")
        assert revision.isprintable()
        assert not {":", " ", "\0"} & set(revision)


def test_a_commit_that_is_no_full_id_is_a_bug(repository: Repository) -> None:
    with pytest.raises(ValueError, match="not a full commit id"):
        git_at(repository.path).diff("--output=x", repository.head())


def test_a_merge_commit_has_two_parents(repository: Repository) -> None:
    base = repository.head()
    repository.branch("change")
    head = repository.commit({"new.txt": "n\n"})
    repository.checkout("main")
    merge = repository.merge("change")
    git = git_at(repository.path)
    assert git.parents(merge) == (base, head)
    assert git.parents(head) == (base,)
    assert git.parents(base) == ()


def test_a_merge_base_is_found_or_there_is_none(repository: Repository) -> None:
    base = repository.head()
    repository.branch("change")
    head = repository.commit({"new.txt": "n\n"})
    repository.checkout("main")
    other = repository.commit({"other.txt": "o\n"})
    git = git_at(repository.path)
    assert git.merge_base(other, head) == base
    repository.git("checkout", "--quiet", "--orphan", "apart")
    apart = repository.commit({"apart.txt": "x\n"})
    assert git.merge_base(apart, head) is None


def test_a_diff_has_every_kind_of_change(repository: Repository) -> None:
    base = repository.head()
    (repository.path / "a.txt").rename(repository.path / "moved.txt")
    repository.commit({"b/c.txt": "changed\n", "d.txt": None, "e f\tg.txt": "new\n"})
    assert files(git_at(repository.path).diff(base, repository.head())) == [
        ("modified", "b/c.txt", None),
        ("deleted", "d.txt", None),
        ("added", "e f\tg.txt", None),
        ("renamed", "moved.txt", "a.txt"),
    ]


def test_a_change_of_type_or_mode_is_a_modification(repository: Repository) -> None:
    base = repository.head()
    (repository.path / "a.txt").unlink()
    (repository.path / "a.txt").symlink_to("d.txt")
    (repository.path / "d.txt").chmod(0o755)
    repository.commit()
    diff = git_at(repository.path).diff(base, repository.head())
    assert files(diff) == [("modified", "a.txt", None), ("modified", "d.txt", None)]


def test_a_name_that_is_not_utf8_is_the_one_that_python_gives_the_file(
    repository: Repository,
) -> None:
    base = repository.head()
    (repository.path / os.fsdecode(b"caf\xe9.json")).write_text("{}")
    (repository.path / "caf\u00e9.json").write_text("{}")
    repository.commit()
    assert files(git_at(repository.path).diff(base, repository.head())) == [
        ("added", "caf\u00e9.json", None),
        ("added", os.fsdecode(b"caf\xe9.json"), None),
    ]


def test_files_on_disk_are_compared_untracked_ones_too(repository: Repository) -> None:
    base = repository.head()
    repository.commit({"committed.txt": "x\n"})
    repository.write("a.txt", "edited\n")
    repository.write("untracked.txt", "u\n")
    repository.write("ignored.log", "l\n")
    repository.write("staged.txt", "s\n")
    repository.git("add", "staged.txt")
    (repository.path / "d.txt").unlink()
    expected = [
        ("modified", "a.txt", None),
        ("added", "committed.txt", None),
        ("deleted", "d.txt", None),
        ("added", "staged.txt", None),
        ("added", "untracked.txt", None),
    ]
    git = git_at(repository.path / "b")
    assert files(git.diff_to_files(base)) == expected
    assert files(git.uncommitted()) == [row for row in expected if row[1] != "committed.txt"]


def test_a_file_removed_from_the_index_only_is_modified(repository: Repository) -> None:
    repository.git("rm", "--quiet", "--cached", "d.txt")
    assert files(git_at(repository.path).uncommitted()) == [("modified", "d.txt", None)]


def test_a_touched_file_with_the_same_content_is_unchanged(repository: Repository) -> None:
    os.utime(repository.path / "a.txt", (1, 1))
    assert files(git_at(repository.path).uncommitted()) == []


def test_conflicting_files_are_listed_once(repository: Repository) -> None:
    repository.branch("change")
    repository.commit({"a.txt": "theirs\n"})
    repository.checkout("main")
    repository.commit({"a.txt": "ours\n"})
    with pytest.raises(AssertionError):
        repository.merge("change")
    assert files(git_at(repository.path).uncommitted()) == [("modified", "a.txt", None)]


def test_a_file_is_read_as_of_a_commit(repository: Repository) -> None:
    first = repository.head()
    repository.commit({"a.txt": "later\n"})
    git = git_at(repository.path / "b")
    assert git.file_at(first, "a.txt") == b"one\ntwo\nthree\n"
    assert git.file_at(repository.head(), "a.txt") == b"later\n"
    assert git.file_at(first, "absent.txt") is None
    assert git.file_at(first, "*.txt") is None


def test_a_commit_that_is_not_here_is_named_and_not_gits_own_words(repository: Repository) -> None:
    answer = git_at(repository.path).file_at("a" * 40, "a.txt")
    assert answer == GitTrouble(message="this checkout has no commit `aaaaaaaaaaaa`")


def test_what_is_no_regular_file_is_not_read(repository: Repository) -> None:
    (repository.path / "link.txt").symlink_to("/etc/passwd")
    head = repository.commit()
    git = git_at(repository.path)
    for path in ("link.txt", "b", "../x", "/etc/passwd", "b/../a.txt", "", "b/", "./a.txt"):
        assert isinstance(git.file_at(head, path), GitTrouble), path


def test_a_file_over_the_limit_is_not_read(repository: Repository) -> None:
    answer = git_at(repository.path).file_at(repository.head(), "a.txt", limit=5)
    assert isinstance(answer, GitTrouble)
    assert "`a.txt` has 14 bytes" in answer.message


def test_the_index_says_what_is_tracked(repository: Repository) -> None:
    repository.write("b/new.txt", "n\n")
    git = git_at(repository.path / "b")
    for path in ("a.txt", "b", "b/c.txt", ".", "B", "A.TXT"):
        assert git.is_tracked(path) is True, path
    for path in ("b/new.txt", "absent", "a", ".mergebar", "*.txt", ":(glob)*"):
        assert git.is_tracked(path) is False, path
    assert isinstance(git.is_tracked("../x"), GitTrouble)


@pytest.mark.parametrize(("depth", "shallow"), [(0, False), (1, True), (2, True)])
def test_a_clone_says_whether_it_is_shallow(
    repository: Repository, tmp_path: Path, *, depth: int, shallow: bool
) -> None:
    for number in range(3):
        repository.commit({"a.txt": f"{number}\n"})
    clone = repository.clone(tmp_path / "clone", ref="refs/heads/main", depth=depth)
    git = git_at(clone.path)
    assert git.is_shallow() is shallow
    parents = git.parents(clone.head())
    assert isinstance(parents, tuple)
    assert len(parents) == (0 if depth == 1 else 1)


def test_a_linked_worktree_is_its_own_toplevel(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    git = git_at(tmp_path / "linked" / "b")
    assert git.toplevel() == tmp_path / "linked"
    assert git.head() == repository.head()
    repository.write("a.txt", "edited\n")
    assert files(git.uncommitted()) == []


def test_a_changed_submodule_is_named(repository: Repository, tmp_path: Path) -> None:
    inner = repositories.start(tmp_path / "inner", {"x.txt": "x\n"})
    repository.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub"
    )
    base = repository.commit()
    inside = Repository(repository.path / "sub")
    inside.commit({"x.txt": "y\n"})
    head = repository.commit()
    diff = git_at(repository.path).diff(base, head)
    assert isinstance(diff, Diff)
    assert diff.submodules == ("sub",)
    assert git_at(repository.path / "sub").toplevel() == repository.path / "sub"


def scripted(answer: processes.Finished | processes.Stopped) -> Callable[..., object]:
    def run(
        argv: Sequence[str],
        /,
        *,
        cwd: Path,
        environ: Mapping[str, str],
        timeout_s: float,
        limit: int,
    ) -> processes.Finished | processes.Stopped:
        return answer

    return run


def test_a_git_that_takes_too_long_or_says_too_much_is_a_value(repository: Repository) -> None:
    slow = processes.Stopped(reason="took too long")
    git = Git(repository.path, ENVIRON, scripted(slow))  # type: ignore[arg-type]
    assert git.is_shallow() == GitTrouble(message="`git rev-parse` took too long")


def test_what_git_says_is_shown_printable_and_short(repository: Repository) -> None:
    rude = processes.Finished(code=128, stdout=b"", stderr=b"one\n\x1b[31m" + b"x" * 5000 + b"\n\n")
    git = Git(repository.path, ENVIRON, scripted(rude))  # type: ignore[arg-type]
    answer = git.is_shallow()
    assert isinstance(answer, GitTrouble)
    assert answer.message.isprintable()
    assert len(answer.message) < 400
