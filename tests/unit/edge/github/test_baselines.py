"""The baseline: the nearest report that a run of this repository left, whatever a stranger uploads."""

import io
import zipfile
from dataclasses import replace
from datetime import datetime

import pytest

from mergebar.edge.github.baselines import Baseline, NoBaseline, Wanted
from mergebar.edge.github.repository import GitHub
from mergebar.model.publishing import GitHubTrouble, TroubleKind
from support.github import faults
from support.github.connecting import HEAD, Waits
from support.github.server import GitHubServer
from support.github.state import FORK_ID, REPOSITORY_ID, WHEN, packed

NAME = "mergebar-report-mergebar"
COMMITS = [f"{number:040x}" for number in range(1, 8)]
BASE = COMMITS[-1]


def wanted(commit: str | None = BASE, *, limit: int = 10_000) -> Wanted:
    return Wanted(artifact=NAME, file="report.json", branch="main", commit=commit, limit=limit)


def report(text: str) -> bytes:
    return packed(report__json=text.encode(), comment__md=b"## passed")


def left(server: GitHubServer, text: str, *, head: str = BASE, **values: object) -> int:
    """A report that a run on the commit left; its run. `told` is what its artifact says."""
    told = values.pop("told", {})
    run = server.state.run(head=head, **values)  # type: ignore[arg-type]
    server.state.artifact(run, NAME, report(text), **told)  # type: ignore[arg-type]
    return run


@pytest.fixture(autouse=True)
def history(server: GitHubServer) -> None:
    """Seven commits in a line; the last one is the base, and the tip of main."""
    for before, sha in zip([None, *COMMITS[:-1]], COMMITS, strict=True):
        server.state.commit(sha, *([before] if before else []))
    server.state.branches["main"] = BASE


def found(github: GitHub, want: Wanted | None = None) -> Baseline:
    baseline = github.baseline(want or wanted())
    assert isinstance(baseline, Baseline), baseline
    return baseline


def missing(github: GitHub, want: Wanted | None = None) -> str:
    baseline = github.baseline(want or wanted())
    assert isinstance(baseline, NoBaseline), baseline
    return baseline.reason


def test_the_report_of_the_base_commit_is_the_baseline(
    server: GitHubServer, github: GitHub
) -> None:
    run = left(server, "base")
    baseline = found(github)
    assert baseline.data == b"base"
    assert (baseline.commit, baseline.created_at, baseline.run) == (BASE, WHEN, run)


def test_the_nearest_ancestor_is_taken_and_not_the_newest_artifact(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "near", head=COMMITS[4])
    left(server, "far", head=COMMITS[2])
    assert found(github).data == b"near"


def test_a_commit_that_is_no_ancestor_is_no_baseline(server: GitHubServer, github: GitHub) -> None:
    left(server, "later", head=BASE)
    reason = missing(github, wanted(COMMITS[3]))
    assert "no ancestor of" in reason
    assert "`main`" in reason


def test_without_a_commit_the_way_back_begins_at_the_tip_of_the_branch(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "near", head=COMMITS[4])
    left(server, "far", head=COMMITS[2])
    assert found(github, wanted(None)).data == b"near"


def test_a_tag_that_is_called_like_the_branch_leaves_none(
    server: GitHubServer, github: GitHub
) -> None:
    """GitHub calls the tag of such a run its branch."""
    left(server, "of main", head=COMMITS[2])
    elsewhere = server.state.commit("f" * 40, COMMITS[0])
    left(server, "of a tag `main`", head=elsewhere)
    assert found(github, wanted(None)).data == b"of main"
    assert found(github).data == b"of main"


def test_a_branch_that_is_gone_has_none(server: GitHubServer, github: GitHub) -> None:
    left(server, "base")
    server.state.branches.clear()
    assert missing(github, wanted(None)) == "there is no branch `main`"


def test_a_baseline_says_how_far_and_how_long_ago_it_is(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "far", head=COMMITS[2])
    baseline = found(github)
    assert baseline.distance == 4
    assert baseline.age_s(datetime.fromisoformat(WHEN).timestamp() + 90) == 90
    assert baseline.age_s(0) == 0
    for unknown in ("", "yesterday", "2026-11-30"):
        assert replace(baseline, created_at=unknown).age_s(0) is None


@pytest.mark.parametrize("conclusion", ["success", "failure", "cancelled", None])
def test_a_red_run_leaves_as_good_a_baseline_as_a_green_one(
    server: GitHubServer, github: GitHub, conclusion: str | None
) -> None:
    run = left(server, "base")
    server.state.runs[run]["conclusion"] = conclusion
    assert found(github).data == b"base"


def test_no_more_is_listed_than_it_takes(server: GitHubServer, github: GitHub) -> None:
    for _ in range(230):
        left(server, "pull request", branch="change", event="pull_request")
    left(server, "base")
    for _ in range(20):
        left(server, "pull request", branch="change", event="pull_request")
    assert found(github).distance == 0
    assert len(server.asked("GET", "/actions/artifacts?")) == 1


def test_of_several_attempts_the_last_is_taken(server: GitHubServer, github: GitHub) -> None:
    run = left(server, "first attempt")
    server.state.artifact(run, NAME, report("second attempt"))
    assert found(github).data == b"second attempt"


def test_an_artifact_on_the_second_page_is_found(server: GitHubServer, github: GitHub) -> None:
    left(server, "base")
    for _ in range(120):
        left(server, "pull request", branch="change", event="pull_request")
    assert found(github).data == b"base"


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
def test_events_that_run_no_strangers_code_may_leave_a_baseline(
    server: GitHubServer, github: GitHub, event: str
) -> None:
    left(server, "base", event=event)
    assert found(github).data == b"base"


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run", "issues"])
def test_other_events_leave_none(server: GitHubServer, github: GitHub, event: str) -> None:
    left(server, "poison", event=event)
    assert f"`{event}`" in missing(github)


def test_a_fork_with_a_branch_of_the_same_name_leaves_none(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "poison", fork=True)
    assert "has left an artifact" in missing(github)


def test_the_run_is_asked_whatever_its_artifact_says(server: GitHubServer, github: GitHub) -> None:
    run = server.state.run(head=BASE, fork=True)
    made_by = {
        "id": run,
        "repository_id": REPOSITORY_ID,
        "head_repository_id": REPOSITORY_ID,
        "head_branch": "main",
        "head_sha": BASE,
    }
    server.state.artifact(run, NAME, report("poison"), workflow_run=made_by)
    assert "for a fork" in missing(github)


@pytest.mark.parametrize("field", ["head_branch", "head_sha"])
def test_a_run_of_another_branch_or_commit_than_its_artifact_says_leaves_none(
    server: GitHubServer, github: GitHub, field: str
) -> None:
    run = left(server, "poison")
    server.state.runs[run][field] = "f" * 40
    assert "another branch" in missing(github)


@pytest.mark.parametrize(
    "made_by",
    [
        None,
        {"head_branch": "main", "head_sha": BASE},
        {
            "id": 1,
            "repository_id": REPOSITORY_ID,
            "head_repository_id": FORK_ID,
            "head_branch": "main",
            "head_sha": BASE,
        },
    ],
    ids=["no run", "no repository", "another repository"],
)
def test_an_artifact_that_does_not_say_where_it_is_from_is_none(
    server: GitHubServer, github: GitHub, made_by: object
) -> None:
    left(server, "poison", told={"workflow_run": made_by})
    assert "no run on `main`" in missing(github)


def test_another_branch_leaves_none(server: GitHubServer, github: GitHub) -> None:
    left(server, "poison", branch="change")
    assert "no run on `main`" in missing(github)


def test_an_expired_artifact_is_none(server: GitHubServer, github: GitHub) -> None:
    left(server, "old", told={"expired": True})
    assert "no run on `main`" in missing(github)


def test_one_that_expires_meanwhile_makes_place_for_the_next(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "far", head=COMMITS[2])
    left(server, "near")
    newest = max(server.state.artifacts)
    expire = {"expired": True}
    server.on("GET", "/zip", lambda: server.state.artifacts[newest].node.update(expire))
    assert found(github).data == b"far"


def test_one_with_another_digest_makes_place_for_the_next(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "far", head=COMMITS[2])
    left(server, "changed", told={"digest": f"sha256:{'0' * 64}"})
    assert found(github).data == b"far"


def test_one_without_a_digest_is_taken(server: GitHubServer, github: GitHub) -> None:
    left(server, "old", told={"digest": None})
    assert found(github).data == b"old"


def test_one_that_the_caller_refuses_makes_place_for_the_next(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "far", head=COMMITS[2])
    left(server, "partial")
    baseline = github.baseline(
        wanted(), fault=lambda one: "it is partial" if one.data == b"partial" else ""
    )
    assert isinstance(baseline, Baseline)
    assert baseline.data == b"far"


def test_a_refused_one_is_told_where_there_is_no_other(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "partial")
    baseline = github.baseline(wanted(), fault=lambda _: "it is partial")
    assert isinstance(baseline, NoBaseline)
    assert baseline.reason.endswith("can't be used: it is partial")


def test_the_storage_is_never_shown_the_token(server: GitHubServer, github: GitHub) -> None:
    left(server, "base")
    found(github)
    requests = server.asked("GET", "/storage/")
    assert len(requests) == 1
    assert "authorization" not in requests[0].headers
    assert "ghs_actions" not in requests[0].path


def test_a_report_that_unpacks_beyond_the_limit_is_refused(
    server: GitHubServer, github: GitHub
) -> None:
    left(server, "x" * 1_000_000)
    assert "more than 10000 bytes" in missing(github)


@pytest.mark.parametrize("name", ["../report.json", "/report.json", "a/../../report.json"])
def test_an_archive_with_a_name_that_leads_out_of_it_is_refused(
    server: GitHubServer, github: GitHub, name: str
) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("report.json", b"poison")
        archive.writestr(name, b"poison")
    server.state.artifact(server.state.run(head=BASE), NAME, stream.getvalue())
    assert "can't be used" in missing(github)


def test_an_archive_without_a_report_is_refused(server: GitHubServer, github: GitHub) -> None:
    server.state.artifact(server.state.run(head=BASE), NAME, packed(other__json=b"{}"))
    assert "`report.json`" in missing(github)


def test_a_report_that_was_not_packed_is_read(server: GitHubServer, github: GitHub) -> None:
    server.state.artifact(server.state.run(head=BASE), NAME, b'{"schema": 1}')
    assert found(github).data == b'{"schema": 1}'


def test_trouble_with_all_of_them_is_trouble(server: GitHubServer, github: GitHub) -> None:
    left(server, "base")
    server.state.token(permissions={"contents": "read"})
    trouble = github.baseline(wanted())
    assert isinstance(trouble, GitHubTrouble)
    assert trouble.kind is TroubleKind.PERMISSION
    assert trouble.permission == "actions: read"


def test_a_lookup_is_repeated_after_a_server_error(
    server: GitHubServer, github: GitHub, waits: Waits
) -> None:
    left(server, "base")
    server.faults += [faults.down("GET", "/actions/runs/"), faults.down("GET", "/zip")]
    assert found(github).data == b"base"
    assert len(waits.slept) == 2


def test_the_artifact_of_one_run_is_read_by_the_runs_id(
    server: GitHubServer, github: GitHub
) -> None:
    run = left(server, "of a fork", head=HEAD, fork=True, event="pull_request")
    server.state.artifact(run, NAME, report("of its second attempt"))
    left(server, "of another run", head=HEAD)
    assert github.artifact(run, NAME, "report.json") == b"of its second attempt"
    assert github.artifact(run, "mergebar-report-other", "report.json") is None
