import os
from dataclasses import replace
from pathlib import Path

import pytest

from mergebar.edge import changes, events
from mergebar.edge.changes import Found, Miss, Request
from mergebar.edge.events import Event, EventScope
from mergebar.edge.git import Git
from mergebar.model.changes import Change, Changes, Scope, Status
from mergebar.model.problems import Problem
from mergebar.model.text import JsonObject
from support import events as github
from support import repositories
from support.repositories import Repository

LOCAL = Event(name=None, trusted=True, scope=EventScope.AFFECTED)


def git_at(folder: Path) -> Git:
    return Git(folder, {"PATH": os.environ["PATH"]})


def find(
    event: Event, repository: Repository, request: Request | None = None, **options: object
) -> Found:
    found = changes.find(event, git_at(repository.path), request or Request(), **options)  # type: ignore[arg-type]
    assert isinstance(found, Found), found
    return found


def paths(found: Found) -> list[str]:
    assert not found.changes.everything, found.changes.reason
    return [change.path for change in found.changes.files]


def event_of(name: str, payload: JsonObject, *, sha: str) -> Event:
    event = events.interpret(name, payload, github.environ(name, sha=sha))
    assert isinstance(event, Event)
    return event


class PullRequest:
    """main moved on after the branch started; the merge commit is what GitHub tests."""

    def __init__(self, folder: Path) -> None:
        self.origin = repositories.start(folder, {"a.txt": "a\n", "b.txt": "b\n"})
        self.start = self.origin.head()
        self.origin.branch("change")
        self.head = self.origin.commit({"new.txt": "n\n"})
        self.origin.checkout("main")
        self.base = self.origin.commit({"a.txt": "moved on\n"})
        self.origin.branch("merged", at="main")
        self.merge = self.origin.merge("change")
        self.event = event_of(
            "pull_request", github.pull_request(base=self.base, head=self.head), sha=self.merge
        )


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    return PullRequest(tmp_path / "origin")


@pytest.mark.parametrize("depth", [0, 2])
def test_a_pull_request_is_what_its_merge_commit_adds(
    pull: PullRequest, tmp_path: Path, depth: int
) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/merged", depth=depth)
    found = find(pull.event, clone)
    assert paths(found) == ["new.txt"]
    assert found.base == pull.base
    assert found.changes.reason == f"1 changed file since `{pull.base[:12]}`"


def test_a_pull_request_at_depth_1_is_everything_and_says_what_to_set(
    pull: PullRequest, tmp_path: Path
) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/merged", depth=1)
    found = find(pull.event, clone)
    assert found.changes == Changes(
        everything=True,
        reason="can't tell what changed: the checkout has depth 1; "
        "set `fetch-depth: 2` on actions/checkout",
    )
    assert found.base == pull.base


def test_a_checkout_of_the_head_is_compared_with_the_merge_base(
    pull: PullRequest, tmp_path: Path
) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change")
    found = find(pull.event, clone)
    assert paths(found) == ["new.txt"]
    assert found.base == pull.start


def test_a_head_that_is_itself_a_merge_is_not_taken_for_the_merge_commit(tmp_path: Path) -> None:
    """Its first parent is the branch's own history: main's news would count, its own work not."""
    pull = PullRequest(tmp_path / "origin")
    pull.origin.checkout("change")
    head = pull.origin.merge("main")
    payload = github.pull_request(base=pull.base, head=head)
    event = event_of("pull_request", payload, sha=pull.merge)
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change")
    assert paths(find(event, clone)) == ["new.txt"]


def test_a_shallow_checkout_of_the_head_asks_for_all_of_history(
    pull: PullRequest, tmp_path: Path
) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change", depth=1)
    assert "set `fetch-depth: 0` on" in find(pull.event, clone).changes.reason


def test_a_base_that_is_gone_is_looked_for_on_its_branch(pull: PullRequest, tmp_path: Path) -> None:
    event = replace(pull.event, base="d" * 40)
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change")
    assert paths(find(event, clone)) == ["new.txt"]


def test_a_rename_keeps_its_old_name(tmp_path: Path) -> None:
    text = "".join(f"{number}\n" for number in range(40))
    repository = repositories.start(tmp_path, {"old.txt": text})
    repository.branch("change")
    repository.commit({"old.txt": None, "new.txt": text + "more\n"})
    found = find(LOCAL, repository, Request(base="main"))
    assert found.changes.files == (
        Change(path="new.txt", status=Status.RENAMED, old_path="old.txt"),
    )


def test_what_is_preferred_is_asked_first(pull: PullRequest) -> None:
    listed = Found(changes=Changes(reason="listed elsewhere"), base=pull.base)
    assert find(pull.event, pull.origin, preferred=[lambda: listed]) == listed
    silent = find(pull.event, pull.origin, preferred=[lambda: Miss(reason="not now")])
    assert paths(silent) == ["new.txt"]


def test_a_closed_pull_request_has_nothing_to_run(tmp_path: Path) -> None:
    event = event_of("pull_request", github.pull_request(action="closed"), sha=github.MERGE)
    found = changes.find(event, git_at(tmp_path), Request(scope=Scope.ALL))
    assert found == Found(changes=Changes(reason="the pull request was closed"))


def test_a_merge_group_is_compared_with_its_base(pull: PullRequest, tmp_path: Path) -> None:
    payload = github.merge_group(base=pull.base, head=pull.merge)
    event = event_of("merge_group", payload, sha=pull.merge)
    for depth in (0, 2):
        clone = pull.origin.clone(tmp_path / f"{depth}", ref="refs/heads/merged", depth=depth)
        assert paths(find(event, clone)) == ["new.txt"]


def test_a_push_to_the_default_branch_is_everything_until_there_is_a_baseline(
    pull: PullRequest, tmp_path: Path
) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/main")
    event = event_of("push", github.push(before=pull.start), sha=pull.base)
    found = find(event, clone)
    assert found.changes.everything
    assert found.changes.reason == "can't tell what changed: there is no baseline yet"
    assert paths(find(event, clone, Request(baseline=pull.start))) == ["a.txt"]
    assert paths(find(event, clone, Request(scope=Scope.AFFECTED))) == ["a.txt"]


def test_a_push_to_a_branch_counts_all_of_the_branch(pull: PullRequest, tmp_path: Path) -> None:
    pull.origin.checkout("change")
    later = pull.origin.commit({"later.txt": "l\n"})
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change")
    event = event_of("push", github.push(branch="change", before=pull.head), sha=later)
    assert paths(find(event, clone)) == ["later.txt", "new.txt"]
    clone.git("update-ref", "-d", "refs/remotes/origin/main")
    assert paths(find(event, clone)) == ["later.txt"]


def test_a_push_in_a_shallow_checkout_is_everything(pull: PullRequest, tmp_path: Path) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change", depth=1)
    event = event_of("push", github.push(branch="change", before=pull.start), sha=pull.head)
    reason = find(event, clone).changes.reason
    assert reason.endswith("the checkout has depth 1; set `fetch-depth: 0` on actions/checkout")


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("schedule", github.schedule()),
        ("workflow_dispatch", github.workflow_dispatch()),
        ("release", {}),
    ],
)
def test_events_that_run_all_say_so(pull: PullRequest, name: str, payload: JsonObject) -> None:
    event = event_of(name, payload, sha=pull.merge)
    found = find(event, pull.origin)
    assert found == Found(changes=Changes(everything=True, reason=f"`{name}` runs all suites"))
    compared = find(event, pull.origin, Request(base="change"))
    assert (compared.changes.everything, compared.base) == (True, pull.head)
    narrowed = find(event, pull.origin, Request(base="main", scope=Scope.AFFECTED))
    assert paths(narrowed) == ["new.txt"]


def test_all_is_everything_even_with_a_base(pull: PullRequest) -> None:
    found = find(pull.event, pull.origin, Request(scope=Scope.ALL))
    some = find(pull.event, pull.origin)
    files = some.changes.files
    assert files
    assert found.changes == Changes(
        files=files, everything=True, reason="all suites were asked for"
    )
    assert found.base == pull.base
    assert find(LOCAL, pull.origin, Request(scope=Scope.ALL)).changes.everything


def test_on_a_laptop_uncommitted_and_untracked_files_count(pull: PullRequest) -> None:
    pull.origin.checkout("change")
    pull.origin.write("b.txt", "edited\n")
    pull.origin.write("untracked.txt", "u\n")
    found = find(LOCAL, pull.origin, Request(base="main"))
    assert paths(found) == ["b.txt", "new.txt", "untracked.txt"]
    assert found.base == pull.start


def test_on_a_laptop_without_a_base_everything_is_affected(pull: PullRequest) -> None:
    found = find(LOCAL, pull.origin)
    assert found.changes.everything
    assert found.changes.reason == "no `--base` was given to compare with"


def test_outside_a_repository_everything_is_affected(tmp_path: Path) -> None:
    found = changes.find(LOCAL, git_at(tmp_path), Request())
    assert isinstance(found, Found)
    assert found.changes.everything


def test_a_named_base_is_looked_for_on_the_remote_too(pull: PullRequest, tmp_path: Path) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change")
    clone.git("checkout", "--quiet", "--detach")
    assert paths(find(LOCAL, clone, Request(base="main"))) == ["new.txt"]


@pytest.mark.parametrize("base", ["nowhere", "--all", "-x", ""])
def test_a_named_base_that_does_not_exist_is_a_problem(pull: PullRequest, base: str) -> None:
    found = changes.find(LOCAL, git_at(pull.origin.path), Request(base=base))
    assert isinstance(found, Problem)
    assert found.message.startswith(f"can't compare with the base `{base}`: ")


def test_a_named_base_that_a_shallow_checkout_lacks_asks_for_its_history(
    pull: PullRequest, tmp_path: Path
) -> None:
    clone = pull.origin.clone(tmp_path / "clone", ref="refs/heads/change", depth=1)
    event = event_of("workflow_dispatch", github.workflow_dispatch(), sha=pull.head)
    found = changes.find(event, git_at(clone.path), Request(base="main"))
    assert isinstance(found, Problem)
    assert found.message.endswith("set `fetch-depth: 0` on actions/checkout")


def test_the_events_own_base_comes_before_a_named_one(pull: PullRequest) -> None:
    assert find(pull.event, pull.origin, Request(base="nowhere")).base == pull.base


def test_listed_files_are_those_that_are_here_or_known_to_git(pull: PullRequest) -> None:
    pull.origin.commit({"gone.txt": "x"})
    (pull.origin.path / "gone.txt").unlink()
    absolute = str(pull.origin.path / "b.txt")
    request = Request(changed=("./a.txt", absolute, "x/../gone.txt"))
    for event in (LOCAL, pull.event):
        assert find(event, pull.origin, request).changes == Changes(
            files=(
                Change(path="a.txt"),
                Change(path="b.txt"),
                Change(path="gone.txt", status=Status.DELETED),
            ),
            reason="the changed files were listed",
        )


def test_an_empty_list_of_changed_files_is_no_change(pull: PullRequest) -> None:
    assert paths(find(LOCAL, pull.origin, Request(changed=()))) == []


def test_a_changed_submodule_makes_everything_affected(tmp_path: Path) -> None:
    inner = repositories.start(tmp_path / "inner", {"x.txt": "x\n"})
    outer = repositories.start(tmp_path / "outer", {"a.txt": "a\n"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    outer.commit()
    outer.branch("change")
    Repository(outer.path / "sub").commit({"x.txt": "y\n"})
    outer.commit()
    found = find(LOCAL, outer, Request(base="main"))
    assert found.changes.everything
    assert "submodule `sub`" in found.changes.reason
    assert [change.path for change in found.changes.files] == ["sub"]
