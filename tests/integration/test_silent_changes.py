"""What changed without git saying so reaches the suites all the same: nothing passes unmeasured."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support import commands, gates, repositories
from support.commands import Ended
from support.gates import passing
from support.repositories import Repository

LIB = "prompts/lib.md"
ANOTHER = gates.document(passing("ja"))


def affected(ended: Ended, folder: str = ".mergebar") -> set[str]:
    """The affected suites; no name in the report or the output is half a character."""
    report = ended.report(folder)
    json.dumps([report, ended.said], ensure_ascii=False).encode()
    return {suite["path"] for suite in report["suites"] if suite["affected"]}


def since_head(here: Repository, *arguments: str) -> set[str]:
    ended = commands.inside("run", "--base", "HEAD", *arguments, cwd=here.path)
    assert ended.code == 0, ended.said
    return affected(ended, arguments[-1] if arguments else ".mergebar")


def start(tmp_path: Path, *, config: str = gates.CONFIG) -> Repository:
    """A gate whose folder of sources is still to come."""
    here = gates.repository(tmp_path, passing(), config=config)
    here.git("rm", "--quiet", "-r", "--ignore-unmatch", "prompts")
    here.commit()
    return here


def link(here: Repository, name: str, target: str) -> None:
    (here.path / name).parent.mkdir(parents=True, exist_ok=True)
    (here.path / name).symlink_to(target)


def a_suite_that_is_a_link(here: Repository) -> str:
    link(here, "evals/a.json", "../data/a.json")
    here.commit({"data/a.json": gates.document(passing("a"))})
    here.write("data/a.json", ANOTHER)
    return "evals/a.json"


def a_link_to_a_link(here: Repository) -> str:
    link(here, "evals/a.json", "../data/a.json")
    link(here, "data/a.json", "deep/a.json")
    here.commit({"data/deep/a.json": gates.document(passing("a"))})
    here.write("data/deep/a.json", ANOTHER)
    return "evals/a.json"


def a_suite_in_a_folder_that_is_a_link(here: Repository) -> str:
    (here.path / "evals/desk.json").unlink()
    (here.path / "evals").rmdir()
    link(here, "evals", "data")
    here.commit({"data/a.json": gates.document(passing("a"))})
    here.write("data/a.json", ANOTHER)
    return "evals/a.json"


def a_folder_that_leads_elsewhere_now(here: Repository) -> str:
    shutil.rmtree(here.path / "evals")
    link(here, "evals", "one")
    here.commit({"one/a.json": gates.document(passing("a")), "two/a.json": ANOTHER})
    (here.path / "evals").unlink()
    link(here, "evals", "two")
    return "evals/a.json"


def a_link_through_a_folder_that_leads_elsewhere_now(here: Repository) -> str:
    link(here, "evals/a.json", "../now/a.json")
    link(here, "now", "one")
    here.commit({"one/a.json": gates.document(passing("a")), "two/a.json": ANOTHER})
    (here.path / "now").unlink()
    link(here, "now", "two")
    return "evals/a.json"


def a_source_that_is_a_link(here: Repository) -> str:
    link(here, "prompts/p.md", "../lib/p.md")
    here.commit({"lib/p.md": "be kind\n"})
    here.write("lib/p.md", "be short\n")
    return "evals/desk.json"


def a_folder_of_sources_that_is_a_link(here: Repository) -> str:
    link(here, "prompts", "lib")
    here.commit({"lib/deep/p.md": "be kind\n"})
    here.write("lib/deep/p.md", "be short\n")
    return "evals/desk.json"


def a_new_file_in_a_linked_folder(here: Repository) -> str:
    link(here, "prompts", "lib")
    here.commit({"lib/p.md": "be kind\n"})
    here.write("lib/q.md", "be short\n")
    return "evals/desk.json"


def a_deleted_target(here: Repository) -> str:
    link(here, "prompts", "lib")
    here.commit({"lib/p.md": "be kind\n", "lib/q.md": "be short\n"})
    (here.path / "lib/p.md").unlink()
    return "evals/desk.json"


def a_name_that_is_not_utf8(here: Repository) -> str:
    name = os.fsdecode(b"evals/b\xff.json")
    here.commit({name: gates.document(passing("a"))})
    here.write(name, ANOTHER)
    return "evals/b\N{REPLACEMENT CHARACTER}.json"


def a_source_that_is_not_utf8(here: Repository) -> str:
    name = os.fsdecode(b"prompts/\xe9.md")
    here.commit({name: "be kind\n"})
    here.write(name, "be short\n")
    return "evals/desk.json"


def a_suite_that_git_is_told_to_assume_unchanged(here: Repository) -> str:
    here.git("update-index", "--assume-unchanged", "evals/desk.json")
    here.write("evals/desk.json", ANOTHER)
    return "evals/desk.json"


def a_source_that_git_is_told_to_skip(here: Repository) -> str:
    here.commit({LIB: "be kind\n"})
    here.git("update-index", "--skip-worktree", LIB)
    here.write(LIB, "be short\n")
    return "evals/desk.json"


def a_source_deleted_behind_gits_back(here: Repository) -> str:
    here.commit({LIB: "be kind\n", "prompts/other.md": "be polite\n"})
    here.git("update-index", "--assume-unchanged", LIB)
    (here.path / LIB).unlink()
    return "evals/desk.json"


def a_suite_that_git_ignores(here: Repository) -> str:
    here.commit({".gitignore": ".mergebar/\n/evals/mine.json\n"})
    here.write("evals/mine.json", ANOTHER)
    return "evals/mine.json"


def a_folder_of_sources_that_git_ignores(here: Repository) -> str:
    here.commit({".gitignore": ".mergebar/\n/prompts/\n"})
    here.write(LIB, "be short\n")
    return "evals/desk.json"


def add_submodule(here: Repository) -> None:
    inner = repositories.start(here.path.parent / "inner", {"p.md": "be kind\n"})
    add = ("submodule", "--quiet", "add", str(inner.path), "prompts")
    here.git("-c", "protocol.file.allow=always", *add)
    here.commit()


def a_file_in_a_submodule(here: Repository) -> str:
    add_submodule(here)
    here.write("prompts/p.md", "be short\n")
    return "evals/desk.json"


def a_new_file_in_a_submodule(here: Repository) -> str:
    add_submodule(here)
    here.write("prompts/q.md", "be short\n")
    return "evals/desk.json"


def a_repository_inside(here: Repository) -> str:
    repositories.start(here.path / "prompts", {"p.md": "be kind\n"})
    return "evals/desk.json"


KINDS = (
    a_suite_that_is_a_link,
    a_link_to_a_link,
    a_suite_in_a_folder_that_is_a_link,
    a_folder_that_leads_elsewhere_now,
    a_link_through_a_folder_that_leads_elsewhere_now,
    a_source_that_is_a_link,
    a_folder_of_sources_that_is_a_link,
    a_new_file_in_a_linked_folder,
    a_deleted_target,
    a_name_that_is_not_utf8,
    a_source_that_is_not_utf8,
    a_suite_that_git_is_told_to_assume_unchanged,
    a_source_that_git_is_told_to_skip,
    a_source_deleted_behind_gits_back,
    a_suite_that_git_ignores,
    a_folder_of_sources_that_git_ignores,
    a_file_in_a_submodule,
    a_new_file_in_a_submodule,
    a_repository_inside,
)


@pytest.mark.parametrize("change", KINDS)
def test_a_change_that_git_does_not_list_affects_what_it_reaches(
    tmp_path: Path, change: Callable[[Repository], str]
) -> None:
    here = start(tmp_path / "here")
    assert change(here) in since_head(here)


def test_a_configuration_that_is_a_link_is_changed_with_its_target(tmp_path: Path) -> None:
    here = start(tmp_path)
    (here.path / "mergebar.yml").unlink()
    link(here, "mergebar.yml", "conf/mb.yml")
    here.commit({"conf/mb.yml": gates.CONFIG})
    here.write("conf/mb.yml", gates.CONFIG.replace("timeout: 20s", "timeout: 10s"))
    assert since_head(here) == {"evals/desk.json"}


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_is_told_to_overlook_and_that_is_the_same_affects_nothing(
    tmp_path: Path, flag: str
) -> None:
    here = start(tmp_path)
    link(here, "evals/a.json", "desk.json")
    here.commit()
    here.git("update-index", flag, "evals/desk.json", "evals/a.json")
    assert since_head(here) == set()


def test_links_that_lead_in_a_circle_or_out_change_nothing_by_themselves(tmp_path: Path) -> None:
    here = start(tmp_path / "here")
    (tmp_path / "outside").mkdir()
    for name, target in (("prompts/up", ".."), ("a/b", "../c"), ("c/d", "../a"), ("x", "x")):
        link(here, name, target)
    link(here, "prompts/out", "../../outside")
    here.commit({"a/file": "1", "c/file": "1"})
    assert since_head(here) == set()
    here.write("a/file", "2")
    assert since_head(here) == {"evals/desk.json"}  # `prompts/up/a/file` is a source


def test_a_glob_over_the_whole_repository_means_what_git_watches(tmp_path: Path) -> None:
    here = start(tmp_path, config=gates.CONFIG.replace("[agent.py, prompts/**]", '["**", .key]'))
    here.commit({".gitignore": ".mergebar/\n*.log\n.calls\n.key\n"})
    here.write("agent.log", "x")
    assert since_head(here) == set()
    here.write(".key", "x")
    assert since_head(here) == {"evals/desk.json"}


def test_by_products_that_git_ignores_affect_nothing(tmp_path: Path) -> None:
    config = gates.CONFIG.replace("prompts/**", "tools/**")
    here = start(tmp_path, config=config)
    here.commit({".gitignore": ".mergebar/\n__pycache__/\n*.pyc\n", "tools/a.py": ""})
    here.write("tools/__pycache__/a.cpython-311.pyc", "x")
    here.write("tools/b.pyc", "x")
    assert since_head(here) == set()


@pytest.mark.parametrize("folder", ["lib", ".mergebar"])
def test_what_mergebar_wrote_is_no_change_and_whatever_else_is_there_is_one(
    tmp_path: Path, folder: str
) -> None:
    here = start(tmp_path, config=gates.CONFIG.replace("prompts/**", f"{folder}/**"))
    here.commit({".gitignore": ".calls\n"})
    commands.inside("run", "--output", folder, cwd=here.path)
    assert (here.path / folder / "documents/evals/desk.json").is_file()
    assert since_head(here, "--output", folder) == set()
    here.write(f"{folder}/prompt.md", "be kind\n")
    assert since_head(here, "--output", folder) == {"evals/desk.json"}


@pytest.mark.parametrize("name", ["evals", "evals/", ".", "./evals"])
def test_a_listed_folder_is_all_that_is_in_it(tmp_path: Path, name: str) -> None:
    here = start(tmp_path)
    ended = commands.inside("run", "--changed", name, cwd=here.path)
    assert affected(ended) == {"evals/desk.json"}


def test_a_listed_folder_that_is_gone_is_all_that_was_in_it(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({LIB: "be kind\n"})
    shutil.rmtree(here.path / "prompts")
    for name in ("prompts", LIB):
        assert affected(commands.inside("run", "--changed", name, cwd=here.path))


@pytest.mark.parametrize(
    "name", ["EVALS/DESK.JSON", "EVALS/desk.json", "evals\\desk.json", "evals/desc.json"]
)
def test_a_listed_name_that_nobody_knows_is_refused_with_the_nearest(
    tmp_path: Path, name: str
) -> None:
    here = start(tmp_path)
    for command in ("run", "plan"):
        ended = commands.inside(command, "--changed", LIB.replace("lib", "x"), name, cwd=here.path)
        assert ended.code == 2
        assert f"`{name}` is neither here nor known to git; did you mean `evals/desk.json`?" in (
            ended.said
        )
        assert "`prompts/x.md` is neither here nor known" in ended.said


def test_a_listed_name_that_is_not_there_is_refused_without_git_too(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/a.json").write_text(gates.document(passing()))
    ended = commands.inside("plan", "--changed", "evals/A.json", cwd=tmp_path)
    assert ended.code == 2
    assert "did you mean `evals/a.json`?" in ended.said


def test_a_changed_suite_that_a_sparse_checkout_leaves_out_is_no_pass(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing(), **{"evals/deep/a.json": ANOTHER})
    here.write("mergebar.yml", gates.CONFIG.replace("evals/*.json", "evals/**/*.json"))
    here.commit()
    here.branch("change")
    here.commit({"evals/deep/a.json": gates.document(passing("b"))})
    here.git("sparse-checkout", "set", "--no-cone", "/*", "!evals/deep/")

    ended = commands.inside("run", "--base", "main", cwd=here.path)

    assert ended.code == 2
    assert "evals/deep/a.json this file changed, and isn't in this checkout" in ended.said
