"""Whatever GitHub refuses: one warning, everything else still there, and the same verdict."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import events, gates, jobs
from support.gates import failing, item, passing
from support.github.faults import down, dropped, refusal, secondary
from support.github.oddities import spoiler
from support.github.state import WRITES
from support.jobs import Job, Result


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path) as made:
        yield made


def told(result: Result) -> None:
    """The verdict is where nobody else has a say."""
    assert result.report is not None
    assert result.report["decision"]["headline"] in result.summary
    assert result.outputs["decision"] == result.report["decision"]["outcome"]


def test_a_token_that_only_reads_gives_one_warning_with_the_missing_lines(job: Job) -> None:
    job.items(passing(), failing("Berlin"))
    job.github.state.token(permissions=dict.fromkeys(WRITES, "read"))

    result = job.pull_request().inside()

    (warning,) = result.warnings
    told(result)
    assert "add `checks: write` to the `permissions:` of the job" in warning
    assert "add `pull-requests: write` to the `permissions:` of the job" in warning
    assert (result.code, job.comments, job.check_runs) == (1, [], [])
    assert len(result.commands("error")) == 1
    assert job.service.artifacts


def test_a_missing_permission_for_the_check_run_leaves_the_comment(job: Job) -> None:
    job.items(failing("Berlin"))
    job.github.state.token(permissions={**WRITES, "checks": "read"})

    result = job.pull_request().inside()

    (warning,) = result.warnings
    assert warning.startswith("can't create the check run")
    assert (result.code, len(job.comments), job.check_runs) == (1, 1, [])
    assert len(result.commands("error")) == 1


def test_a_missing_permission_for_the_comment_leaves_the_check_run(job: Job) -> None:
    job.items(failing("Berlin"))
    job.github.state.token(permissions={**WRITES, "pull-requests": "read"})

    result = job.pull_request().inside()

    (warning,) = result.warnings
    assert warning.startswith("can't post the comment")
    assert job.check_runs[0]["conclusion"] == "failure"
    assert result.commands("error") == []
    assert len(job.annotations) == 1


def test_no_token_is_one_warning_and_git_tells_what_changed(job: Job) -> None:
    job.items(failing("Berlin"))

    result = job.pull_request(github_token="").inside()

    told(result)
    assert (result.code, result.outputs["failed"]) == (1, "1")
    assert [text for text in result.warnings if "github-token" in text] == result.warnings
    assert job.github.requests == []
    assert job.service.artifacts


ENDPOINTS = [
    ("GET", "/pulls/7", {"comment"}),
    ("GET", "/files", set()),
    ("GET", "/commits", set()),
    ("GET", "/compare", set()),
    ("GET", "/contents", set()),
    ("GET", "/actions", set()),
    ("GET", "/comments", {"comment"}),
    ("POST", "/comments", {"comment"}),
    ("POST", "/check-runs", {"check run"}),
    ("PATCH", "/check-runs", {"check run"}),
]


@pytest.mark.parametrize(("method", "within", "lost"), ENDPOINTS)
def test_whatever_github_refuses_all_else_is_published(
    job: Job, method: str, within: str, lost: set[str]
) -> None:
    job.items(failing("Berlin"), depth=1)
    job.github.faults.append(refusal(method, within, status=403))

    result = job.pull_request().inside()

    told(result)
    ended = [one["conclusion"] for one in job.check_runs] == ["failure"]
    assert (result.code, bool(job.service.artifacts)) == (1, True)
    assert (not job.comments, not ended) == ("comment" in lost, "check run" in lost)
    assert len(result.warnings) == len(lost)
    assert bool(result.commands("error")) == ("check run" in lost)


def test_a_token_that_expires_on_the_way_loses_only_what_comes_after_it(job: Job) -> None:
    job.items(failing("Berlin"))
    job.github.on("PATCH", "/check-runs", job.github.state.tokens.clear)

    result = job.pull_request().inside()

    (warning,) = result.warnings
    told(result)
    assert warning.startswith("can't use GitHub: it refuses the token")
    assert (result.code, len(job.comments), len(result.commands("error"))) == (1, 1, 1)


def test_a_pull_request_that_is_closed_meanwhile_still_hears_of_it(job: Job) -> None:
    job.items(failing("Berlin"))
    close = {"state": "closed"}
    job.github.on("POST", "/check-runs", lambda: job.github.state.pulls[7].update(close))

    result = job.pull_request().inside()

    assert (result.code, len(job.comments), result.warnings) == (1, 1, [])


def test_a_comment_that_somebody_hid_or_removed_is_there_again(job: Job) -> None:
    job.items(failing("Berlin"))
    job.pull_request(check_run="false", upload_artifact="false").inside()
    ((number, node),) = job.github.state.comments.values()
    hidden = {"minimized": {"reason": "outdated"}}
    job.github.state.comments[next(iter(job.github.state.comments))] = (number, node | hidden)
    job.github.on("PATCH", "/comments", job.github.state.comments.clear)

    result = job.pull_request(check_run="false", upload_artifact="false", run=4712).inside()

    (body,) = job.comments
    assert "run=4712" in body
    assert result.warnings == []


def test_a_wrong_token_is_said_once(job: Job) -> None:
    job.items(failing("Berlin"))

    result = job.pull_request(github_token="ghs_expired").inside()  # noqa: S106 - it opens nothing

    told(result)
    (warning,) = result.warnings
    assert warning.count("it refuses the token") == 1
    assert len(job.github.requests) == 1


@pytest.mark.parametrize(
    "within", ["/pulls/7", "/issues/7/comments"], ids=["the pull request", "the comments"]
)
def test_what_a_comment_takes_is_asked_for_at_once(job: Job, within: str) -> None:
    job.items(passing())
    job.github.faults.append(refusal("GET", within, status=403))

    result = job.pull_request(check_run="false", upload_artifact="false").inside()

    assert "add `pull-requests: write` to the `permissions:`" in result.warnings[0]


@pytest.mark.parametrize(
    "saying",
    [
        "Unable to create comment because issue is locked.",
        "Repository was archived so is read-only.",
        "The organization has an IP allow list enabled, and your IP address is not allowed to access it.",
        "Invalid app_id `15368` - check run can only be modified by the GitHub App that created it.",
    ],
)
def test_no_permission_is_asked_for_where_none_would_help(job: Job, saying: str) -> None:
    job.items(passing())
    job.github.faults.append(refusal("POST", "/comments", status=403, message=saying))

    result = job.pull_request(check_run="false", upload_artifact="false").inside()

    (warning,) = result.warnings
    assert warning.startswith("can't post the comment: GitHub answered 403")
    assert "permissions:" not in warning


def test_a_short_secondary_limit_is_waited_for(job: Job) -> None:
    job.items(passing())
    job.github.faults.append(secondary("POST", "/comments", retry_after=1))

    result = job.pull_request(check_run="false").inside()

    assert (result.code, result.warnings, len(job.comments)) == (0, [], 1)


def test_a_long_secondary_limit_is_not(job: Job) -> None:
    job.items(failing("Berlin"))
    job.github.faults.append(secondary("POST", "/comments", retry_after=900, times=9))

    result = job.pull_request(check_run="false").inside()

    (warning,) = result.warnings
    told(result)
    assert (result.code, job.comments) == (1, [])
    assert "rate limit" in warning
    assert len(result.commands("error")) == 1


def test_a_post_whose_answer_was_lost_is_not_repeated(job: Job) -> None:
    job.items(passing())
    job.github.faults.append(dropped("POST", "/comments", carried_out=True))
    job.github.faults.append(down("POST", "/check-runs", carried_out=True))

    result = job.pull_request().inside()

    assert (result.code, result.warnings) == (0, [])
    assert (len(job.comments), len(job.check_runs)) == (1, 1)
    assert job.check_runs[0]["conclusion"] == "success"


def test_an_api_that_is_down_changes_no_verdict(job: Job) -> None:
    job.items(passing(), failing("Berlin"))
    job.github.faults.append(refusal("GET", status=410, message="gone"))
    job.github.faults.append(refusal("POST", status=410, message="gone"))

    result = job.pull_request().inside()

    told(result)
    assert (result.code, result.outputs["failed"]) == (1, "1")
    assert len(result.warnings) == 2
    assert len(result.commands("error")) == 1
    assert job.service.artifacts


@pytest.mark.parametrize("seed", range(6))
def test_odd_replies_of_the_api_change_no_verdict(job: Job, seed: int) -> None:
    job.items(failing("Berlin"))
    job.github.spoil = spoiler(seed)

    result = job.pull_request().inside()
    job.github.violations.clear()

    told(result)
    assert (result.code, result.outputs["exit-code"]) == (1, "1")


def test_an_api_that_cannot_be_reached_changes_no_verdict(job: Job) -> None:
    job.checkout(job.base)
    job.environ["GITHUB_API_URL"] = "http://127.0.0.1:9"
    payload = events.push(before=events.ZERO, after=job.base)

    result = job.step("push", payload, sha=job.base).without_waiting()

    (warning,) = result.warnings
    told(result)
    assert (result.code, result.outputs["checks"]) == (0, "1")
    assert "there was no answer" in warning


def test_a_used_up_artifact_storage_is_one_warning(job: Job) -> None:
    job.items(failing("Berlin"))
    job.service.quota_is_used_up = True

    result = job.pull_request().inside()

    (warning,) = result.warnings
    assert "the storage for artifacts is used up" in warning
    assert (result.code, result.outputs["artifact-id"]) == (1, "")
    assert (len(job.comments), job.check_runs[0]["conclusion"]) == (1, "failure")


def test_where_a_step_has_no_artifact_service_it_is_a_notice(job: Job) -> None:
    job.items(passing())
    job.environ["ACTIONS_RESULTS_URL"] = ""

    result = job.pull_request(check_run="false").inside()

    assert (result.code, result.warnings) == (0, [])
    assert "::notice::artifacts can't be uploaded from here" in result.stdout


@pytest.mark.parametrize("variable", ["ACTIONS_RESULTS_URL", "ACTIONS_RUNTIME_TOKEN"])
def test_a_required_artifact_that_cannot_be_uploaded_exits_with_5(job: Job, variable: str) -> None:
    job.items(passing())
    job.environ[variable] = ""

    result = job.pull_request(check_run="false", require_publish="true").inside()
    without = job.pull_request(
        check_run="false", require_publish="true", upload_artifact="false"
    ).inside()

    assert (result.code, result.outputs["exit-code"]) == (5, "5")
    assert (without.code, without.outputs["exit-code"]) == (0, "0")


def test_a_server_without_artifacts_keeps_the_report_as_a_file_and_nothing_has_failed(
    job: Job,
) -> None:
    job.items(passing())
    job.environ["GITHUB_SERVER_URL"] = "https://github.acme.example"

    result = job.pull_request(require_publish="true").inside()

    assert (result.code, result.warnings) == (0, [])
    assert "::notice::`github.acme.example` has no artifact service" in result.stdout
    assert (job.workspace / result.outputs["report-path"]).is_file()


@pytest.mark.parametrize(
    ("inputs", "code"),
    [({}, 5), ({"check_run": "false"}, 5), ({"check_run": "false", "comment": "never"}, 0)],
)
def test_without_a_token_what_was_required_is_missing(
    job: Job, inputs: dict[str, Any], code: int
) -> None:
    job.items(passing())

    result = job.pull_request(github_token="", require_publish="true", **inputs).inside()

    assert (result.code, result.outputs["exit-code"]) == (code, str(code))
    assert result.outputs["decision"] == "passed"


@pytest.mark.parametrize("name", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
@pytest.mark.parametrize("required", ["true", "false"])
def test_files_of_the_runner_that_cannot_be_written_hide_nothing(
    job: Job, name: str, required: str
) -> None:
    job.items(passing())
    job.environ[name] = str(job.workspace)

    result = job.pull_request(require_publish=required).inside()

    assert result.code == (5 if required == "true" else 0)
    assert any("can't be written" in text for text in result.warnings)
    assert len(job.comments) == 1


@pytest.mark.parametrize(("items", "code"), [([passing()], 5), ([failing()], 1)])
def test_a_required_publication_that_fails_exits_with_5_but_never_hides_a_worse_verdict(
    job: Job, items: list[dict[str, object]], code: int
) -> None:
    job.items(*items)
    job.service.quota_is_used_up = True

    result = job.pull_request(require_publish="true").inside()

    assert (result.code, result.outputs["exit-code"]) == (code, str(code))
    assert result.outputs["decision"] == ("passed" if code == 5 else "failed")
    assert job.check_runs[0]["conclusion"] == "failure"
    assert ("but publishing failed" in job.check_runs[0]["output"]["title"]) is (code == 5)


def test_what_is_switched_off_is_not_posted(job: Job) -> None:
    job.items(failing("Berlin"))

    result = job.pull_request(check_run="false", upload_artifact="false", comment="never").inside()

    assert (result.code, result.warnings) == (1, [])
    assert (job.comments, job.check_runs, job.service.artifacts) == ([], [], {})
    assert len(result.commands("error")) == 1


def test_a_gate_is_named_everywhere_by_its_key(job: Job) -> None:
    job.items(passing())

    job.pull_request(check_name="evals / nightly", retention_days="3").inside()

    (name,) = job.service.artifacts
    assert name.startswith("mergebar-report-evals-nightly-")
    assert "key=evals%20%2F%20nightly " in job.comments[0]
    assert job.check_runs[0]["name"] == "evals / nightly"
    assert job.service.artifacts[name].created["expires_at"]


def test_a_tracked_report_folder_is_refused_before_anything_is_posted(job: Job) -> None:
    job.change({"mergebar-report/old.json": "{}"})

    result = job.pull_request().inside()

    assert (result.code, result.outputs["decision"]) == (2, "invalid")
    assert "git tracks the report folder `mergebar-report`" in result.stdout
    assert job.github.requests == []


@pytest.mark.parametrize(
    ("mode", "items", "posted"),
    [
        ("failures", [passing()], 0),
        ("failures", [failing()], 1),
        ("changes", [], 0),
        ("changes", [failing(severity="warning")], 1),
    ],
)
def test_a_comment_is_posted_when_the_base_asks_for_it(
    tmp_path: Path, mode: str, items: list[dict[str, object]], posted: int
) -> None:
    config = gates.CONFIG + f"report: {{comment: {mode}}}\n"
    with jobs.job(tmp_path, config=config) as job:
        job.items(*items) if items else job.change({"README.md": "words"})

        job.pull_request(check_run="false").inside()

        assert len(job.comments) == posted


def test_no_stale_red_remains(job: Job) -> None:
    job.items(failing())
    job.pull_request(check_run="false", comment="failures").inside()
    job.service.artifacts.clear()
    job.items(passing())

    job.pull_request(check_run="false", comment="failures", run=4712).inside()

    assert len(job.comments) == 1
    assert "✅ Passed" in job.comments[0]


def _wait_for(path: Path) -> None:
    until = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < until, path
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_cancelled_run_leaves_no_check_run_open_and_loses_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    one_by_one = gates.CONFIG.replace("timeout: 20s", "timeout: 20s\n    concurrency: 1")
    with jobs.job(tmp_path, config=one_by_one) as job:
        job.items(passing("first"), item("hang around", "x"))
        step = job.pull_request()
        process = step.start()
        _wait_for(job.workspace / ".hanging")
        started = time.monotonic()
        process.send_signal(number)

        result = step.end(process)

        assert time.monotonic() - started < 7
        _is_wound_up(job, result)


def _is_wound_up(job: Job, result: Result) -> None:
    assert result.code == 130
    assert [one["conclusion"] for one in job.check_runs] == ["cancelled"]
    assert job.comments == []
    assert result.report is not None
    assert result.report["run"]["complete"] is False
    assert result.report["totals"]["passed"] == 1
    assert (result.outputs["decision"], result.outputs["checks"]) == ("could-not-evaluate", "2")
    assert "interrupted" in result.summary
    assert job.service.artifacts


def test_a_run_that_is_cancelled_before_it_measures_ends_its_check_run_too(job: Job) -> None:
    job.items(failing("Berlin"))
    step = job.pull_request()
    processes: list[int] = []
    job.github.on("GET", "/files", lambda: os.kill(processes[0], signal.SIGTERM))
    process = step.start()
    processes.append(process.pid)

    result = step.end(process)

    assert (result.code, result.outputs["decision"]) == (130, "could-not-evaluate")
    assert [one["conclusion"] for one in job.check_runs] == ["cancelled"]
    assert gates.calls(job.workspace) == []
