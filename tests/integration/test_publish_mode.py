"""The second of two workflows: a stranger's report in, one comment out, and no verdict of ours."""

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mergebar.commands.github import recomputing
from mergebar.edge.finished_runs import FinishedRun
from mergebar.model.configuration import Config, DocumentGroup, GatePolicy
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.problems import Location
from mergebar.model.reports import Report
from mergebar.report import json_report
from support import events, gates, github_markdown, hostile, jobs, reports, states
from support.github.state import WRITES, file, packed
from support.jobs import Job, Step

BRANCH = "change"
STRANGER = "stranger"
RUN = FinishedRun(
    id=90,
    attempt=2,
    event="pull_request",
    conclusion="success",
    head_sha="a" * 40,
    repository=f"{STRANGER}/agent",
    branch=BRANCH,
)


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    """A pull request from a fork, whose own run can have left a report."""
    with jobs.job(tmp_path) as made:
        made.change({"evals/desk.json": gates.document(gates.failing("Berlin"))})
        made.github.state.pull(jobs.NUMBER, head=made.head, base=made.base, owner=STRANGER)
        made.github.state.change_files(jobs.NUMBER, [file("evals/desk.json")])
        yield made


def left(job: Job, data: bytes, *, name: str = "mergebar-report-mergebar") -> Step:
    """The event after a run of the fork that has left this artifact."""
    run = job.github.state.run(head=job.head, branch=BRANCH, event="pull_request", fork=True)
    if data:
        job.github.state.artifact(run, name, data)
    return finished(job, run)


def finished(job: Job, run: int, **values: object) -> Step:
    payload: Any = events.workflow_run()
    payload["workflow_run"] |= {
        "id": run,
        "head_sha": job.head,
        "head_branch": BRANCH,
        "head_repository": {"full_name": f"{STRANGER}/agent"},
        **values,
    }
    return job.step("workflow_run", payload, sha=job.base)


def report_of(*checks: Any, **given: Any) -> bytes:
    return packed(report__json=json_report.dump(reports.report(*checks, **given)))


def test_the_report_of_a_forks_run_becomes_a_comment_and_nothing_else(job: Job) -> None:
    fork = job.fork().inside()
    assert (fork.code, job.comments) == (3, [])
    job.github.state.token(permissions=WRITES)
    data = job.service.content("mergebar-report-mergebar")

    result = left(job, data).inside()

    (body,) = job.comments
    first, second, *_ = body.splitlines()
    assert result.code == 0
    assert first.endswith(f"attempt=1 sha={job.head} -->")
    assert second.startswith("**Reported by an untrusted run.**")
    assert "Could not evaluate" in body
    assert "untrusted run, without secrets" in body
    assert job.check_runs == []
    assert result.outputs["comment-url"].startswith("https://github.example/")
    assert result.outputs["decision"] == "could-not-evaluate"
    assert "pull request 7: the comment was posted" in result.stdout
    assert "Reported by an untrusted run" in result.summary


def test_the_command_does_the_same_in_a_run_step(job: Job) -> None:
    step = left(job, report_of(reports.check()))
    step.environ["GITHUB_TOKEN"] = jobs.TOKEN

    result = step.run("publish", "--check-name", "mergebar")

    assert (result.code, len(job.comments)) == (0, 1)
    assert "the comment was posted" in result.stdout


def test_a_report_that_calls_its_failures_passed_does_not_pass(job: Job) -> None:
    lying = reports.report(
        reports.check(outcome="fail", gating=False),
        reports.check("Tone", "pass", score=1, threshold=3),
        of=reports.decision("passed", "all is well"),
    )

    result = left(job, packed(report__json=json_report.dump(lying))).inside()

    (body,) = job.comments
    assert (result.code, result.outputs["decision"], result.outputs["failed"]) == (0, "failed", "2")
    assert "❌ Failed: 2 checks block (the run itself said `passed`)" in body
    assert "all is well" not in body


def test_the_pull_request_is_found_by_its_head_and_not_by_the_files_word(job: Job) -> None:
    state = job.github.state
    state.pull(8, head="e" * 40, base=job.base, owner="victim")
    info = reports.run(head_commit="e" * 40, id="999999", attempt=77)

    left(job, report_of(reports.check(), info=info)).inside()

    assert state.bodies(8) == []
    assert f"attempt=1 sha={job.head} -->" in job.comments[0].splitlines()[0]
    assert "999999" not in job.comments[0]


OWN: dict[str, object] = {"head_repository": {"full_name": "acme/agent"}}
DEPENDABOT = {"login": "dependabot[bot]"}


def test_the_run_of_an_own_branch_has_commented_by_itself(job: Job) -> None:
    job.github.state.pull(jobs.NUMBER, head=job.head, base=job.base)
    step = left(job, report_of(reports.check()))
    rewrite(step, OWN)

    result = step.inside()

    assert (result.code, job.comments) == (0, [])
    assert "own branches comment by themselves" in result.stdout
    assert "## ✅ Nothing to post" in result.summary
    assert job.github.asked("GET", "/artifacts") == []


@pytest.mark.parametrize("field", ["actor", "triggering_actor"])
def test_a_run_by_dependabot_has_not_whoever_pushed_its_branch(job: Job, field: str) -> None:
    job.github.state.pull(jobs.NUMBER, head=job.head, base=job.base)
    step = left(job, report_of(reports.check()))
    rewrite(step, {**OWN, field: DEPENDABOT})

    assert (step.inside().code, len(job.comments)) == (0, 1)


def test_nor_has_a_run_of_dependabots_pull_request_that_somebody_started_again(job: Job) -> None:
    job.github.state.pull(jobs.NUMBER, head=job.head, base=job.base)
    job.github.state.pulls[jobs.NUMBER]["user"] |= DEPENDABOT
    step = left(job, report_of(reports.check()))
    rewrite(step, OWN)

    assert (step.inside().code, len(job.comments)) == (0, 1)


def rewrite(step: Step, values: dict[str, object]) -> None:
    """Other facts about the run that ended."""
    path = Path(step.environ["GITHUB_EVENT_PATH"])
    payload = jobs.payload_of(path)
    payload["workflow_run"] |= values
    path.write_text(json.dumps(payload))


def test_a_pull_request_that_moved_on_gets_no_comment(job: Job) -> None:
    step = left(job, report_of(reports.check()))
    job.github.state.pull(jobs.NUMBER, head="d" * 40, base=job.base, owner=STRANGER)

    result = step.inside()

    assert (result.code, job.comments) == (0, [])
    assert "no open pull request has the head" in result.stdout


def test_the_policy_is_that_of_the_base(tmp_path: Path) -> None:
    config = gates.CONFIG + "gate: {mode: advise, severity: warning}\nreport: {comment: failures}\n"
    with jobs.job(tmp_path, config=config) as job:
        job.change({"mergebar.yml": gates.CONFIG})
        job.github.state.pull(jobs.NUMBER, head=job.head, base=job.base, owner=STRANGER)
        passing = left(job, report_of(reports.check())).inside()
        failing = left(job, report_of(reports.check(outcome="fail", severity="warning"))).inside()

        (body,) = job.comments
        assert (passing.code, failing.code) == (0, 0)
        assert "no comment is wanted for this" in passing.stdout
        assert "Advise mode" in body
        assert "Failed: 1 check blocks" in body


def test_what_a_report_says_is_drawn_by_our_own_templates(job: Job) -> None:
    texts = [text for text in hostile.TEXTS if text.isprintable() and text.strip()]
    checks = [
        reports.check(text, "fail", label=text, case=str(n), suite=text, reason=text, line=n + 1)
        for n, text in enumerate(texts)
    ]
    archive = packed(
        report__json=json_report.dump(reports.report(*checks)), comment__md=b"# pwned @everyone"
    )

    left(job, archive).inside()

    (body,) = job.comments
    reader = github_markdown.Reader(body)
    assert "pwned" not in body
    assert body.count("<!--") == 1
    assert not {"img", "script", "h1"} & set(reader.tags)
    assert reader.linked_later == []


ZIP_BOMB = packed(report__json=b" " * (80 * 1024 * 1024))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04 no archive", "not JSON"),
        (packed(other__json=b"{}"), "report.json"),
        (packed(report__json=b"{}"), "mergebar.report/1"),
        (packed(report__json=b'{"schema": "mergebar.report/1"}'), "report.v1.json"),
        (packed(report__json=b"[" * 100_000), "nested too deeply"),
        (packed(report__json=b'{"schema": "mergebar.report/1", "checks": NaN}'), "NaN"),
        (packed(**{"../../report__json": b"{}", "report__json": b"{}"}), "leaves the artifact"),
        (ZIP_BOMB, "bytes"),
    ],
)
def test_what_is_no_report_is_refused(job: Job, data: bytes, why: str) -> None:
    result = left(job, data).inside()

    assert (result.code, job.comments, result.outputs["decision"]) == (2, [], "invalid"), (
        result.stdout
    )
    assert why in result.stdout


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        ({"event": "push"}, 0, "only pull requests get a comment"),
        ({"conclusion": "cancelled"}, 0, "was cancelled and left no report"),
        ({"conclusion": "success"}, 5, "has left no report, or it has expired"),
        ({"id": "x"}, 2, "names no run"),
    ],
)
def test_a_run_without_a_report_is_told_apart(
    job: Job, values: dict[str, object], code: int, said: str
) -> None:
    run = job.github.state.run(head=job.head, branch=BRANCH, event="pull_request", fork=True)

    result = finished(job, run, **values).inside()

    assert (result.code, job.comments) == (code, [])
    assert said in result.stdout


def test_what_cannot_be_posted_exits_with_5_and_names_the_missing_line(job: Job) -> None:
    step = left(job, report_of(reports.check()))
    job.github.state.token(permissions={**WRITES, "pull-requests": "read"})

    result = step.inside()

    assert (result.code, result.outputs["exit-code"]) == (5, "5")
    assert "add `pull-requests: write` to the `permissions:` of the job" in result.warnings[0]


def test_what_cannot_be_downloaded_exits_with_5_and_names_the_missing_line(job: Job) -> None:
    step = left(job, report_of(reports.check()))
    job.github.state.token(permissions={**WRITES, "actions": ""})

    result = step.inside()

    assert (result.code, job.comments) == (5, [])
    assert "add `actions: read` to the `permissions:` of the job" in result.stdout


@pytest.mark.parametrize("event", ["pull_request", "push"])
def test_publishing_needs_its_own_event(job: Job, event: str) -> None:
    payload: Any = events.push() if event == "push" else events.pull_request()

    result = job.step(event, payload, sha=job.base, mode="publish").inside()

    assert (result.code, job.github.requests) == (2, [])
    assert "on the event `workflow_run`" in result.stdout


def test_running_anything_after_an_untrusted_run_is_refused(job: Job) -> None:
    step = finished(job, 90)
    step.environ["INPUT_MODE"] = "run"

    result = step.inside()

    assert (result.code, job.github.requests) == (2, [])
    assert "`mode: run` is refused on `workflow_run`" in result.stdout


# --- what of a report is believed


@pytest.mark.parametrize("name", states.STATES)
def test_an_honest_report_keeps_its_decision(name: str) -> None:
    report = states.STATES[name]

    policy = GatePolicy(loosened_review=name == "loosened-review")

    believed = recomputing.recompute(report, Config(path=None, digest="", gate=policy), RUN)

    assert believed.decision.outcome is report.decision.outcome
    rates = (believed.totals.pass_rate, report.totals.pass_rate)
    assert rates[0] == pytest.approx(rates[1])
    assert replace(believed.totals, pass_rate=None) == replace(report.totals, pass_rate=None)
    assert (believed.run.id, believed.run.attempt, believed.run.trusted) == ("90", 2, False)
    assert believed.run.head_commit == "a" * 40


def recomputed(*checks: Any, gate: GatePolicy | None = None, floor: float | None = None) -> Report:
    group = DocumentGroup(
        paths=("evals/*.json",),
        agent=None,
        runs=1,
        min_pass_rate=floor,
        location=Location(path="mergebar.yml"),
    )
    config = Config(path=None, digest="", gate=gate or GatePolicy(), documents=(group,))
    return recomputing.recompute(reports.report(*checks), config, RUN)


def test_a_pass_without_a_score_is_no_measurement() -> None:
    check = dataclasses.replace(reports.check(), score=None)

    assert recomputed(check).decision.outcome is DecisionOutcome.COULD_NOT_EVALUATE


def test_whether_a_group_is_rated_is_the_bases_to_say() -> None:
    checks = [reports.check(case=f"c{n}") for n in range(9)]
    failing = reports.check(outcome="fail", case="c9")

    assert recomputed(*checks, failing, floor=0.8).decision.outcome is DecisionOutcome.PASSED
    assert recomputed(*checks, failing).decision.outcome is DecisionOutcome.FAILED


def test_reasons_are_held_to_quote_whatever_the_file_says() -> None:
    (check,) = recomputed(reports.check(outcome="fail", quotes=False)).checks

    assert check.quotes
