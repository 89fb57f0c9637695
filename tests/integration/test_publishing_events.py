"""The whole action as a process, for every event and every decision: what is posted, and where."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mergebar import settings
from support import events, gates, held, jobs
from support.gates import failing, item, passing
from support.jobs import Job

ALL_OUTPUTS = {output.name for output in settings.OUTPUTS}


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path) as made:
        yield made


def test_a_pull_request_gets_its_verdict_everywhere(job: Job) -> None:
    job.items(passing(), failing("Berlin"))

    result = job.pull_request().run()

    (body,), (check_run,) = job.comments, job.check_runs
    (remark,) = job.annotations
    stored = json.loads((job.workspace / "mergebar-report/report.json").read_bytes())
    headline = stored["decision"]["headline"]
    assert result.code == 1
    assert body.startswith(f"<!-- mergebar:v1 key=mergebar run=4711 attempt=1 sha={job.head} -->\n")
    assert f"Failed: {headline}" in body
    assert "policy of the base" in body
    assert check_run["head_sha"] == job.head
    assert check_run["external_id"] == "4711.1"
    assert (check_run["status"], check_run["conclusion"]) == ("completed", "failure")
    assert check_run["output"]["title"] == f"Failed: {headline}"
    assert (remark["path"], remark["annotation_level"]) == ("evals/desk.json", "failure")
    line = (job.workspace / remark["path"]).read_text().splitlines()[remark["start_line"] - 1]
    assert '"ExactMatch"' in line
    assert headline in result.summary
    assert headline in result.stdout
    assert list(job.service.artifacts) == ["mergebar-report-mergebar"]
    assert stored["run"]["head_commit"] == job.head
    assert stored["run"]["base_commit"] == job.base


def test_every_output_is_written_before_publishing_and_again_after_it(job: Job) -> None:
    job.items(passing())
    step = job.pull_request()
    before: list[str] = []
    job.github.on("POST", "/comments", lambda: before.append((step.runner / "output").read_text()))

    result = step.inside()

    assert set(result.outputs) == ALL_OUTPUTS
    assert "decision<<" in before[0]
    # Once at the very start, for a job that is killed, and once for the decision.
    assert before[0].count("<<") == 2 * len(ALL_OUTPUTS)
    assert (result.code, result.outputs["decision"], result.outputs["exit-code"]) == (
        0,
        "passed",
        "0",
    )
    assert result.outputs["pass-rate"] == "1.0000"
    assert result.outputs["report-path"] == "mergebar-report/report.json"
    assert result.outputs["artifact-url"].endswith(f"/artifacts/{result.outputs['artifact-id']}")
    assert "#issuecomment-" in result.outputs["comment-url"]
    assert result.outputs["check-run-url"] == job.check_runs[0]["html_url"]


def test_the_check_run_is_in_progress_before_anything_is_measured(job: Job) -> None:
    job.items(passing())
    seen: list[tuple[Any, bool]] = []
    job.github.on(
        "GET",
        "/files",
        lambda: seen.append((job.check_runs[0]["status"], (job.workspace / ".calls").exists())),
    )

    job.pull_request().inside()

    assert seen == [("in_progress", False)]


def test_the_report_is_linked_from_comment_and_check_run_and_lies_in_the_runners_folder(
    job: Job,
) -> None:
    job.items(passing())
    step = job.pull_request()

    result = step.inside()

    address = result.outputs["artifact-url"]
    assert f"[report]({address})" in job.comments[0]
    assert f"[report]({address})" in job.check_runs[0]["output"]["summary"]
    own = step.runner / "temp/mergebar-report-mergebar/report.json"
    assert own.read_bytes() == (job.workspace / "mergebar-report/report.json").read_bytes()


def test_a_fork_gets_summary_remarks_and_artifact_and_one_warning(job: Job) -> None:
    job.items(passing(), failing("Berlin"))

    result = job.fork().run()

    (warning,) = result.warnings
    assert (job.comments, job.check_runs) == ([], [])
    assert "`permissions: checks: write`" in warning
    assert "`permissions: pull-requests: write`" in warning
    assert "a pull request from a fork or by Dependabot can't have" in warning
    assert list(job.service.artifacts) == ["mergebar-report-mergebar"]
    # Without secrets and without running its code, nothing could be measured.
    assert (result.code, result.outputs["decision"]) == (3, "could-not-evaluate")
    assert len(result.commands("error")) == 1
    assert "Could not evaluate" in result.summary


def test_a_merge_group_gets_a_check_run_and_no_comment(job: Job) -> None:
    job.items(failing())
    payload = events.merge_group(base=job.base, head=job.merge)

    result = job.step("merge_group", payload, sha=job.merge).run()

    assert (result.code, job.comments) == (1, [])
    assert [one["head_sha"] for one in job.check_runs] == [job.merge]
    assert result.report is not None
    assert result.report["run"]["policy"] == "base"
    assert not job.github.asked("GET", "/comments")


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch", "deployment"])
def test_what_has_no_pull_request_gets_a_check_run_on_the_tested_commit(
    job: Job, event: str
) -> None:
    job.checkout(job.base)
    payloads = {
        "push": events.push(before=events.ZERO, after=job.base),
        "schedule": events.schedule(),
        "workflow_dispatch": events.workflow_dispatch(),
    }
    payload = payloads.get(event, {"repository": events.repository()})

    result = job.step(event, payload, sha=job.base).inside()

    (check_run,) = job.check_runs
    trusted = event != "deployment"
    assert result.code == (0 if trusted else 3)
    assert check_run["head_sha"] == job.base
    assert check_run["conclusion"] == ("success" if trusted else "failure")
    assert not job.github.asked("POST", "/comments")


def test_a_maintainer_dispatches_the_run_of_a_fork_and_its_pull_request_hears_of_it(
    job: Job,
) -> None:
    job.items(failing("Berlin"))
    job.github.state.pulls[jobs.NUMBER]["head"]["label"] = "acme:change"
    job.checkout(job.head)

    result = job.step(
        "workflow_dispatch", events.workflow_dispatch(), sha=job.base, base=job.base
    ).inside()

    assert result.code == 1
    assert [one["head_sha"] for one in job.check_runs] == [job.head]
    assert f"sha={job.head}" in job.comments[0]
    assert result.report is not None
    assert result.report["run"]["commit"] == job.head


def test_a_closed_pull_request_writes_outputs_and_asks_nobody(job: Job) -> None:
    job.items(failing())
    payload = events.pull_request(base=job.base, head=job.head, action="closed")

    result = job.step("pull_request", payload, sha=job.merge).inside()

    assert (result.code, result.outputs["decision"], result.outputs["checks"]) == (0, "passed", "0")
    assert set(result.outputs) == ALL_OUTPUTS
    assert job.github.requests == []


@pytest.mark.parametrize("ref", ["refs/heads/topic", "refs/tags/v1"])
def test_a_deleted_branch_or_tag_has_nothing_to_measure(job: Job, ref: str) -> None:
    job.items(failing())
    payload = {**events.push(after=events.ZERO), "ref": ref, "deleted": True}

    result = job.step("push", payload, sha=job.merge).inside()

    assert (result.code, result.outputs["decision"], result.outputs["checks"]) == (0, "passed", "0")
    assert "The branch or tag was deleted." in result.summary
    assert job.github.requests == []


@pytest.mark.parametrize("mode", ["auto", "run", "publish"])
def test_pull_request_target_is_refused_with_anything_but_a_check(job: Job, mode: str) -> None:
    job.items(passing())
    payload = events.pull_request(base=job.base, head=job.head)

    result = job.step("pull_request_target", payload, sha=job.base, mode=mode).inside()

    assert (result.code, result.outputs["decision"], result.outputs["exit-code"]) == (
        2,
        "invalid",
        "2",
    )
    assert "is refused on `pull_request_target`" in result.stdout
    assert job.github.requests == []
    assert gates.calls(job.workspace) == []


def test_a_check_posts_nothing(job: Job) -> None:
    job.items(item("say a", "a", evaluators={"ExactMach": {}}))
    payload = events.pull_request(base=job.base, head=job.head)

    result = job.step("pull_request_target", payload, sha=job.base, mode="check").inside()

    assert (result.code, result.outputs["decision"]) == (2, "invalid")
    assert "ExactMatch" in result.summary
    assert job.github.requests == []


def test_a_passing_run_says_so(job: Job) -> None:
    job.items(passing(), failing("maybe", severity="warning"))

    result = job.pull_request().inside()

    (remark,) = job.annotations
    assert (result.code, result.outputs["decision"]) == (0, "passed")
    assert job.check_runs[0]["conclusion"] == "success"
    assert remark["annotation_level"] == "warning"
    assert "✅ Passed" in job.comments[0]


def test_nothing_affected_passes_with_a_check_run_and_a_comment(job: Job) -> None:
    job.change({"README.md": "words"})

    result = job.pull_request().inside()

    assert (result.code, result.outputs["checks"]) == (0, "0")
    assert job.check_runs[0]["output"]["title"] == "Passed: nothing affected"
    assert "nothing affected" in job.comments[0]
    assert gates.calls(job.workspace) == []


def test_what_could_not_be_measured_fails_the_check_run_and_is_said_once(job: Job) -> None:
    job.items(*(item(f"exit {n}", "x") for n in range(3)))

    result = job.pull_request().inside()

    (remark,) = job.annotations
    assert (result.code, result.outputs["errors"]) == (3, "3")
    assert job.check_runs[0]["conclusion"] == "failure"
    assert remark["title"] == "3 checks not measured: unavailable"
    assert "⚠️ Could not evaluate" in job.comments[0]


def test_an_invalid_suite_is_pointed_at_where_it_is_wrong(job: Job) -> None:
    job.items(passing(), item("say a", "a", evaluators={"ExactMach": {}}))

    result = job.pull_request().inside()

    (remark,) = job.annotations
    lines = (job.workspace / "evals/desk.json").read_text().splitlines()
    assert (result.code, result.outputs["decision"]) == (2, "invalid")
    assert "ExactMach" in lines[remark["start_line"] - 1]
    assert "did you mean `ExactMatch`?" in remark["message"]
    assert "🚫 Invalid" in job.comments[0]


def test_an_invalid_configuration_is_pointed_at_where_it_is_wrong(job: Job) -> None:
    job.change({"mergebar.yml": gates.CONFIG + "gat: {mode: advise}\n"})

    result = job.pull_request().inside()

    assert result.code == 2
    assert [(one["path"], one["start_line"]) for one in job.annotations] == [("mergebar.yml", 11)]


def test_a_configuration_that_cannot_be_used_ends_the_check_run_too(job: Job) -> None:
    job.items(passing())

    result = job.pull_request(config="nowhere.yml").inside()

    assert result.code == 2
    assert [one["conclusion"] for one in job.check_runs] == ["failure"]


def test_a_fork_is_told_who_can_measure_what_it_cannot(job: Job) -> None:
    job.items(passing())

    result = job.fork().inside()

    assert result.code == 3
    (todo,) = (line for line in result.summary.splitlines() if line.startswith("**To do:**"))
    assert "A maintainer has to look at the change and start the full run" in todo
    assert "docs/guides/forks.md" in todo


def test_advice_is_neutral(tmp_path: Path) -> None:
    with jobs.job(tmp_path, config=gates.CONFIG + "gate: {mode: advise}\n") as job:
        job.items(failing())

        result = job.pull_request().inside()

        assert (result.code, result.outputs["decision"], result.outputs["exit-code"]) == (
            0,
            "failed",
            "1",
        )
        assert job.check_runs[0]["conclusion"] == "neutral"
        assert "Advise mode" in job.comments[0]


def test_a_change_does_not_lower_its_own_bar_although_git_lacks_the_base(job: Job) -> None:
    advise = gates.CONFIG + "gate: {mode: advise}\nreport: {comment: never}\n"
    document = gates.document(failing())
    job.change({"mergebar.yml": advise, "evals/desk.json": document}, depth=1)

    result = job.pull_request().inside()

    assert result.report is not None
    assert (result.code, result.report["run"]["policy"]) == (1, "base")
    assert job.github.asked("GET", "/contents/mergebar.yml")
    assert "`gate` is edited by this change" in job.comments[0]


def test_what_changed_is_asked_of_github_where_the_checkout_is_shallow(job: Job) -> None:
    job.origin.checkout("main")
    job.change({"README.md": "words"}, depth=1)

    result = job.pull_request().inside()

    assert result.report is not None
    assert result.report["decision"]["headline"] == "nothing affected"


def test_a_base_that_nobody_can_read_is_said_in_words_that_help(job: Job) -> None:
    job.items(passing(), depth=1)

    result = job.pull_request(github_token="").inside()

    assert result.report is not None
    assert result.report["decision"]["headline"] == (
        "1 check measured (policy of this change: `mergebar.yml` of the base can't be read)"
    )
    (said,) = (one["message"] for one in result.report["warnings"])
    assert said.endswith(f"this checkout has no commit `{job.base[:12]}`")
    assert "set `fetch-depth: 2` on actions/checkout" in result.summary
    assert "fatal" not in result.summary + result.stdout


def test_what_waits_for_a_person_asks_for_action(tmp_path: Path) -> None:
    skill, session = held.skill(held.SEEN), held.recorded(held.session())
    with jobs.job(tmp_path, config=held.CONFIG) as job:
        job.change({held.SKILL: skill, "traces/mend.jsonl": session})

        result = job.pull_request().inside()

        (remark,) = (one for one in job.annotations if one["path"] == held.SKILL)
        assert (result.code, result.outputs["decision"]) == (4, "needs-review")
        assert result.outputs["needs-review"] == "1"
        assert job.check_runs[0]["conclusion"] == "action_required"
        assert (remark["path"], remark["title"]) == (held.SKILL, "looked-at waits for a review")
        assert "Needs review" in job.comments[0]
        assert "mergebar.reviews.yml" in job.comments[0]


def test_a_plan_beyond_its_budget_is_stopped_before_the_first_call(tmp_path: Path) -> None:
    with jobs.job(tmp_path, config=gates.CONFIG + "budget: {agent_calls: 1}\n") as job:
        job.items(passing(), passing("two"), failing("Berlin"))

        result = job.pull_request().inside()

        assert (result.code, result.outputs["decision"]) == (3, "could-not-evaluate")
        assert job.check_runs[0]["conclusion"] == "failure"
        assert "budget" in job.comments[0]
        assert gates.calls(job.workspace) == []


def test_a_base_that_is_not_there_is_the_inputs_fault_and_leaves_nothing_unaffected(
    job: Job,
) -> None:
    job.items(passing())
    payload = events.workflow_dispatch()

    result = job.step("workflow_dispatch", payload, sha=job.merge, base="release").inside()

    assert (result.code, result.outputs["decision"]) == (2, "invalid")
    assert "To do:** Correct the input `base`" in result.summary
    assert "not affected" not in result.summary


def test_the_configuration_that_the_base_lacks_is_called_by_its_name(job: Job) -> None:
    job.change({"strict.yml": gates.CONFIG, "evals/desk.json": gates.document(passing())})

    result = job.pull_request(config="strict.yml").inside()

    assert "policy of this change: the base has no `strict.yml`" in job.comments[0]
    assert result.code == 0
