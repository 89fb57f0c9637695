"""The check run: in progress first, then its conclusion and every annotation, each once."""

import pytest

from mergebar.edge.github.repository import GitHub
from mergebar.model.publishing import (
    Annotation,
    AnnotationLevel,
    CheckRun,
    CheckRunOutput,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
    PublishState,
    TroubleKind,
)
from support.github import faults
from support.github.connecting import HEAD, connected
from support.github.server import GitHubServer

WHEN = "2026-11-30T12:00:00Z"


def started(github: GitHub, *, external_id: str = "10.1") -> CheckRun:
    made = try_to_start(github, external_id=external_id)
    assert isinstance(made, CheckRun), made
    return made


def try_to_start(github: GitHub, *, external_id: str = "10.1") -> CheckRun | GitHubTrouble:
    return github.start_check_run(
        name="mergebar",
        head_sha=HEAD,
        external_id=external_id,
        details_url="https://github.example/acme/agent/actions/runs/10",
        started_at=WHEN,
    )


def annotation(line: int = 1, **values: object) -> Annotation:
    fields: dict[str, object] = {
        "path": "evals/support.json",
        "start_line": line,
        "end_line": line,
        "level": AnnotationLevel.FAILURE,
        "message": f"failure {line}",
    }
    return Annotation(**(fields | values))  # type: ignore[arg-type]


def drawn(count: int = 0, *, summary: str = "## failed") -> CheckRunOutput:
    annotations = tuple(annotation(line) for line in range(1, count + 1))
    return CheckRunOutput(title="2 checks block", summary=summary, annotations=annotations)


def test_a_check_run_is_created_in_progress_on_the_head(
    server: GitHubServer, github: GitHub
) -> None:
    made = started(github)
    node = server.state.check_runs[made.id]
    assert node["status"] == "in_progress"
    assert node["conclusion"] is None
    assert node["head_sha"] == HEAD
    assert node["external_id"] == "10.1"
    assert made.url == node["html_url"]
    assert made.author == "github-actions[bot]"


@pytest.mark.parametrize(("count", "requests"), [(0, 1), (1, 1), (50, 1), (51, 2), (120, 3)])
def test_all_annotations_are_sent_in_batches_of_fifty(
    server: GitHubServer, github: GitHub, count: int, requests: int
) -> None:
    made = started(github)
    outcome = github.complete_check_run(
        made, conclusion=Conclusion.FAILURE, completed_at=WHEN, output=drawn(count)
    )
    assert outcome.state is PublishState.UPDATED
    assert outcome.trouble is None
    assert outcome.url == made.url
    lines = [one["start_line"] for one in server.state.annotations[made.id]]
    assert lines == list(range(1, count + 1))
    assert len(server.asked("PATCH")) == requests
    node = server.state.check_runs[made.id]
    assert (node["status"], node["conclusion"]) == ("completed", "failure")
    assert node["output"]["summary"] == "## failed"


@pytest.mark.parametrize("conclusion", list(Conclusion))
def test_every_conclusion_is_one_that_github_knows(
    server: GitHubServer, github: GitHub, conclusion: Conclusion
) -> None:
    made = started(github)
    github.complete_check_run(made, conclusion=conclusion, completed_at=WHEN, output=drawn())
    assert server.state.check_runs[made.id]["conclusion"] == conclusion


@pytest.mark.parametrize(
    "fault",
    [
        faults.down("POST", "/check-runs", carried_out=True),
        faults.dropped("POST", "/check-runs", carried_out=True),
    ],
    ids=["server error", "connection lost"],
)
def test_a_check_run_whose_answer_was_lost_is_found_by_its_external_id(
    server: GitHubServer, github: GitHub, fault: faults.Fault
) -> None:
    before = started(github, external_id="9.1")
    server.faults.append(fault)
    made = started(github, external_id="10.1")
    assert made.id != before.id
    assert len(server.state.check_runs) == 2


def test_a_check_run_that_was_not_created_is_created_again(
    server: GitHubServer, github: GitHub
) -> None:
    before = started(github, external_id="9.1")
    server.faults.append(faults.down("POST", "/check-runs", status=503, times=2))
    assert started(github, external_id="10.1").id != before.id
    assert len(server.state.check_runs) == 2
    assert len(server.asked("POST")) == 4


@pytest.mark.parametrize("batch", [0, 1, 2])
@pytest.mark.parametrize("carried_out", [True, False])
def test_annotations_are_shown_once_after_a_lost_answer(
    server: GitHubServer, github: GitHub, *, carried_out: bool, batch: int
) -> None:
    made = started(github)
    fault = faults.down("PATCH", "/check-runs", carried_out=carried_out)
    fault.after = batch
    server.faults.append(fault)
    outcome = github.complete_check_run(
        made, conclusion=Conclusion.FAILURE, completed_at=WHEN, output=drawn(120)
    )
    assert outcome.trouble is None
    lines = [one["start_line"] for one in server.state.annotations[made.id]]
    assert lines == list(range(1, 121))


def test_a_refused_annotation_does_not_keep_the_conclusion_back(
    server: GitHubServer, github: GitHub
) -> None:
    made = started(github)
    output = CheckRunOutput(title="t", summary="s", annotations=(annotation(path="/etc/passwd"),))
    outcome = github.complete_check_run(
        made, conclusion=Conclusion.FAILURE, completed_at=WHEN, output=output
    )
    assert outcome.state is PublishState.UPDATED
    assert outcome.trouble is not None
    assert outcome.trouble.kind is TroubleKind.REJECTED
    assert server.state.check_runs[made.id]["conclusion"] == "failure"


def test_a_later_batch_that_fails_leaves_the_conclusion_and_is_told(
    server: GitHubServer, github: GitHub
) -> None:
    made = started(github)
    fault = faults.refusal("PATCH", "/check-runs", status=403)
    fault.after = 1
    server.faults.append(fault)
    outcome = github.complete_check_run(
        made, conclusion=Conclusion.FAILURE, completed_at=WHEN, output=drawn(120)
    )
    assert outcome.state is PublishState.UPDATED
    assert outcome.trouble is not None
    assert outcome.trouble.permission == "checks: write"
    assert server.state.check_runs[made.id]["conclusion"] == "failure"
    assert len(server.state.annotations[made.id]) == 50


def test_texts_are_cut_to_what_github_takes(server: GitHubServer, github: GitHub) -> None:
    made = started(github)
    huge = annotation(message="ü" * 70_000, title="t" * 300, raw_details="d" * 70_000)
    output = CheckRunOutput(title="T" * 300, summary="ü" * 70_000, annotations=(huge,))
    outcome = github.complete_check_run(
        made, conclusion=Conclusion.NEUTRAL, completed_at=WHEN, output=output
    )
    assert outcome.trouble is None
    node = server.state.check_runs[made.id]
    assert 65_000 < len(node["output"]["summary"].encode()) <= 65_535
    assert len(server.state.annotations[made.id][0]["title"]) == 255


def test_columns_are_told_for_one_line_only(server: GitHubServer, github: GitHub) -> None:
    made = started(github)
    one = annotation(3, start_column=5, end_column=2)
    many = annotation(3, end_line=4, start_column=5, end_column=9)
    none = annotation(0, end_line=-1, title="untold", message="")
    output = CheckRunOutput(title="t", summary="", annotations=(one, many, none))
    outcome = github.complete_check_run(
        made, conclusion=Conclusion.FAILURE, completed_at=WHEN, output=output
    )
    assert outcome.trouble is None
    sent = server.state.annotations[made.id]
    assert (sent[0]["start_column"], sent[0]["end_column"]) == (5, 5)
    assert "start_column" not in sent[1]
    assert (sent[2]["start_line"], sent[2]["end_line"], sent[2]["message"]) == (1, 1, "untold")


def cancelled(github: GitHub, made: CheckRun) -> PublishOutcome:
    output = CheckRunOutput(title="Cancelled", summary="12 of 20 measured")
    return github.complete_check_run(
        made, conclusion=Conclusion.CANCELLED, completed_at=WHEN, output=output
    )


def test_a_check_run_is_found_again_by_what_it_was_started_with(
    server: GitHubServer, github: GitHub
) -> None:
    made = started(github)
    named = {"name": made.name, "head_sha": made.head_sha}
    assert github.find_check_run(**named, external_id="10.1") == made
    assert github.find_check_run(**named, external_id="10.2") is None


def test_an_interrupted_run_cancels_its_check_run(server: GitHubServer, github: GitHub) -> None:
    made = started(github)
    with github.hurried() as hurried:
        outcome = cancelled(hurried, made)
    assert outcome.state is PublishState.UPDATED
    node = server.state.check_runs[made.id]
    assert (node["status"], node["conclusion"]) == ("completed", "cancelled")
    assert node["output"]["summary"] == "12 of 20 measured"


def test_a_hurried_connection_does_not_wait_out_a_broken_github(
    server: GitHubServer, github: GitHub
) -> None:
    made = started(github)
    server.faults.append(faults.secondary("PATCH", "/check-runs", retry_after=60))
    with github.hurried() as hurried:
        outcome = cancelled(hurried, made)
    assert outcome.state is PublishState.REFUSED
    assert len(server.asked("PATCH")) == 1


def test_a_check_run_of_another_app_is_not_ours_to_change(
    server: GitHubServer, github: GitHub
) -> None:
    made = started(github)
    token = server.state.token("ghs_app", login="bar[bot]", app="bar", app_id=7)
    with connected(server, token=token) as other:
        outcome = other.complete_check_run(
            made, conclusion=Conclusion.SUCCESS, completed_at=WHEN, output=drawn()
        )
    assert outcome.trouble is not None
    assert outcome.trouble.permission is None
    assert "Invalid app_id" in outcome.trouble.message


def test_a_persons_token_cannot_create_check_runs(server: GitHubServer) -> None:
    token = server.state.token("ghp_maria", login="maria", app=None)
    with connected(server, token=token) as github:
        trouble = try_to_start(github)
    assert isinstance(trouble, GitHubTrouble)
    assert trouble.permission is None
    assert "You must authenticate via a GitHub App" in trouble.message
