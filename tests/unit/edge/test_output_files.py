import os
from pathlib import Path

import pytest

from mergebar.edge import output_files
from mergebar.edge.git import Git
from mergebar.edge.output_files import Owner, Refusal
from support import repositories
from support.repositories import Repository

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repositories.start(tmp_path / "repository", {"evals/a.json": "{}\n"})


def git_at(folder: Path) -> Git:
    return Git(folder, {"PATH": os.environ["PATH"]})


def refuse(folder: Path, git: Git) -> str:
    refused = output_files.refuse(folder, git)
    return refused.message if refused else ""


def written(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "out"
    files = {"report.json": b"{}", "documents/evals/x.json": b"[]"}
    assert output_files.write(folder, files) is None
    assert written(folder) == {"report.json": "{}", "documents/evals/x.json": "[]"}


def test_writing_again_replaces_and_leaves_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "x").write_text("kept")
    output_files.write(tmp_path, {"report.json": b"longer before"})
    output_files.write(tmp_path, {"report.json": b"after"})
    assert written(tmp_path) == {"cache/x": "kept", "report.json": "after"}


def test_a_reader_sees_a_file_whole(tmp_path: Path) -> None:
    output_files.write(tmp_path, {"report.json": b"before"})
    with (tmp_path / "report.json").open() as reader:
        output_files.write(tmp_path, {"report.json": b"after"})
        assert reader.read() == "before"


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "report.json").mkdir()
    refused = output_files.write(tmp_path, {"report.json": b"x"})
    assert refused is not None
    assert "Is a directory" in refused.message
    assert list(tmp_path.iterdir()) == [tmp_path / "report.json"]


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "", ".", "a\0b"])
def test_a_name_that_leaves_the_folder_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    refused = output_files.write(tmp_path / "out", {"report.json": b"x", name: b"x"})
    assert isinstance(refused, Refusal)
    assert not (tmp_path / "out").exists()


def test_a_linked_folder_inside_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "documents").symlink_to(tmp_path / "elsewhere")
    refused = output_files.write(tmp_path / "out", {"documents/x.json": b"x"})
    assert refused == Refusal(
        message="can't write to `out` at `documents`: it is a link or a file, and a folder is needed"
    )
    assert written(tmp_path / "elsewhere") == {}


def test_a_linked_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("kept")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.json").symlink_to(tmp_path / "precious")
    assert output_files.write(tmp_path / "out", {"report.json": b"x"}) is None
    assert (tmp_path / "precious").read_text() == "kept"
    assert not (tmp_path / "out" / "report.json").is_symlink()


def test_an_input_is_never_overwritten(tmp_path: Path) -> None:
    document = tmp_path / "evals" / "a.json"
    document.parent.mkdir()
    document.write_text("input")
    for folder, name in (("evals", "a.json"), (".", "evals/a.json")):
        files = {"first.json": b"x", name: b"x"}
        refused = output_files.write(tmp_path / folder, files, inputs=[document])
        assert refused is not None
        assert "`a.json` is an input" in refused.message
    assert written(tmp_path / "evals") == {"a.json": "input"}


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    assert "is a file" in refuse(tmp_path / "out", git_at(tmp_path))
    assert output_files.write(tmp_path / "out", {"report.json": b"x"}) is not None


def test_a_fresh_folder_is_fine_in_and_outside_a_repository(
    repository: Repository, tmp_path: Path
) -> None:
    git = git_at(repository.path)
    assert refuse(repository.path / ".mergebar", git) == ""
    assert refuse(tmp_path / "out", git) == ""
    assert refuse(tmp_path / "out", git_at(tmp_path)) == ""


def test_a_folder_that_git_ignores_may_exist(repository: Repository) -> None:
    repository.write(".gitignore", ".mergebar/\n")
    repository.write(".mergebar/report.json", "{}")
    repository.commit()
    assert refuse(repository.path / ".mergebar", git_at(repository.path)) == ""


@pytest.mark.parametrize(
    "name", [".mergebar", "evals", "evals/", ".", "evals/../.mergebar", "EVALS"]
)
def test_a_folder_that_git_tracks_is_refused(repository: Repository, name: str) -> None:
    repository.commit({".mergebar/report.json": "{}"})
    message = refuse(repository.path / name, git_at(repository.path))
    assert message.startswith("git tracks the output folder `")
    assert "`--output`" in message


def test_a_tracked_folder_behind_a_link_is_refused(repository: Repository) -> None:
    (repository.path / "link").symlink_to("evals")
    assert "git tracks" in refuse(repository.path / "link", git_at(repository.path))


def test_a_tracked_link_is_refused_wherever_it_leads(
    repository: Repository, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (repository.path / ".mergebar").symlink_to(tmp_path / "outside")
    repository.commit()
    assert "git tracks" in refuse(repository.path / ".mergebar", git_at(repository.path))


def test_a_link_out_of_the_repository_is_refused(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (repository.path / "build").symlink_to(tmp_path / "outside")
    git = git_at(repository.path)
    assert "link out of the repository" in refuse(repository.path / "build" / "out", git)


def test_a_folder_that_another_repository_tracks_is_refused(
    repository: Repository, tmp_path: Path
) -> None:
    repositories.start(tmp_path / "other", {"out/report.json": "{}"})
    assert "git tracks" in refuse(tmp_path / "other" / "out", git_at(repository.path))


def test_a_link_that_leads_in_a_circle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert output_files.write(tmp_path / "one", {"report.json": b"x"}) is not None


def prepared(folder: Path) -> Path:
    made = output_files.prepare(folder)
    assert isinstance(made, Path)
    return made


def refused(answer: Path | Refusal | None) -> str:
    assert isinstance(answer, Refusal)
    return answer.message


def test_a_folder_is_made_and_tried_before_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert prepared(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert list((tmp_path / "a" / "b").iterdir()) == []
    assert "a folder is needed" in refused(output_files.prepare(tmp_path / "file" / "out"))


def test_a_folder_that_the_system_does_not_allow_is_refused_early() -> None:
    assert "can't write to `x`" in refused(output_files.prepare(Path("/proc/self/x")))


@pytest.mark.parametrize("name", [".", "work", "work/evals", "/"])
def test_a_folder_that_holds_what_a_run_reads_is_refused(tmp_path: Path, name: str) -> None:
    inputs = [tmp_path / "work", tmp_path / "work/evals/a.json"]
    (tmp_path / "work/evals").mkdir(parents=True)
    assert "which a run reads" in refused(output_files.prepare(tmp_path / name, inputs=inputs))
    assert [path.name for path in tmp_path.iterdir()] == ["work"]


@pytest.mark.parametrize("part", ["out", "out/deep", "."])
def test_a_link_that_is_planted_meanwhile_is_refused(tmp_path: Path, part: str) -> None:
    folder = prepared(tmp_path / "base" / "out" / "deep")
    planted = tmp_path / "base" / part
    planted.rename(tmp_path / "moved")
    (tmp_path / "elsewhere" / "out" / "deep").mkdir(parents=True)
    planted.symlink_to(tmp_path / "elsewhere")
    assert "it is a link" in refused(output_files.write(folder, {"report.json": b"x"}))
    assert written(tmp_path) == {}


def test_a_folder_that_was_removed_meanwhile_is_made_again(tmp_path: Path) -> None:
    folder = prepared(tmp_path / "a" / "out")
    folder.rmdir()
    folder.parent.rmdir()
    assert output_files.write(folder, {"report.json": b"x"}) is None
    assert written(folder) == {"report.json": "x"}


def test_a_link_that_was_there_before_is_the_users(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    assert output_files.write(prepared(tmp_path / "out"), {"report.json": b"x"}) is None
    assert written(tmp_path / "disk") == {"report.json": "x"}


def test_a_name_of_the_greatest_length_is_written(tmp_path: Path) -> None:
    name = "\N{PILE OF POO}" * 62 + ".json"
    assert output_files.write(tmp_path, {name: b"x"}) is None
    assert written(tmp_path) == {name: "x"}


@as_root
def test_files_of_a_container_belong_to_the_workspaces_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 23456)
    owner = output_files.owner_of(tmp_path)
    assert owner == Owner(user=12345, group=23456)
    output_files.write(tmp_path / "out", {"documents/x.json": b"x"}, owner=owner)
    for path in (tmp_path / "out").rglob("*"):
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456), path
    assert (tmp_path / "out").stat().st_uid == 12345


def test_nobody_else_owns_what_is_ours(tmp_path: Path) -> None:
    assert output_files.owner_of(tmp_path) is None
    assert output_files.owner_of(tmp_path / "absent") is None
