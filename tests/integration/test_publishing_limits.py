"""What is too much, too hostile, or comes at the same time: nothing breaks, and nothing is lost."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mergebar.report import comment
from support import github_markdown, jobs
from support.gates import failing, item, passing
from support.jobs import Job


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path) as made:
        yield made


STORED = """\
version: 1
agents: {stored: {type: replay}}
documents: [{paths: [evals/*.json], agent: stored}]
"""


def answered(number: int, *, prompt: str = "Where", answer: str = "Berlin") -> dict[str, object]:
    """An item with a stored response that is wrong: thousands of them take no agent."""
    return item(f"{prompt} {number}", "Bonn", response=answer)


@pytest.mark.parametrize("count", [0, 1, 50, 51, 120])
def test_every_failing_check_is_annotated_in_batches_of_fifty(tmp_path: Path, count: int) -> None:
    with jobs.job(tmp_path, config=STORED) as job:
        fine = item("Where", "Bonn", response="Bonn")
        job.items(fine, *(answered(number) for number in range(count)))

        result = job.pull_request(comment="never").inside()

        batches = [one.json["output"].get("annotations", []) for one in job.github.asked("PATCH")]
        lines = (job.workspace / "evals/desk.json").read_text().splitlines()
        assert result.outputs["failed"] == str(count)
        assert [len(one) for one in batches] == {
            0: [0], 1: [1], 50: [50], 51: [50, 1], 120: [50, 50, 20],
        }[count]  # fmt: skip
        assert len({one["start_line"] for one in job.annotations}) == count
        assert all('"ExactMatch"' in lines[one["start_line"] - 1] for one in job.annotations)
        assert [one["conclusion"] for one in job.check_runs] == ["failure" if count else "success"]


def test_without_a_check_run_ten_of_each_level_are_printed_and_the_rest_counted(
    tmp_path: Path,
) -> None:
    with jobs.job(tmp_path, config=STORED) as job:
        job.items(*(answered(number) for number in range(25)))

        result = job.pull_request(check_run="false", comment="never").inside()

        assert len(result.commands("error")) == 10
        assert (
            "\nand 15 more errors: `report.json` and the job summary have them all\n"
            in result.stdout
        )


def test_a_prompt_of_70000_characters_fits_everywhere(tmp_path: Path) -> None:
    with jobs.job(tmp_path, config=STORED + "report: {responses: everywhere}\n") as job:
        job.items(answered(1, prompt="\N{SNAKE}é" * 35_000, answer="ö" * 70_000))

        result = job.pull_request().inside()

        assert (result.code, result.warnings) == (1, [])
        assert len(job.annotations) == 1
        assert len(job.comments) == 1


def _is_whole(drawn: str, *, blocking: int) -> None:
    reader = github_markdown.Reader(drawn)
    assert reader.tags.count("details") == reader.closed.count("details")
    assert f"{blocking} checks block" in drawn


# Writes are a second apart, and so a check run with 900 remarks takes a while.
@pytest.mark.parametrize(("count", "check_run"), [(900, "false"), (130, "true")])
def test_a_report_beyond_every_limit_is_cut_and_the_verdict_stays(
    tmp_path: Path, count: int, check_run: str
) -> None:
    with jobs.job(tmp_path, config=STORED) as job:
        long = ("\N{SNAKE} | `é` <b> " * 40)[:600]
        job.items(*(answered(number, prompt=long) for number in range(count)))

        result = job.pull_request(check_run=check_run).inside()

        (body,) = job.comments
        assert (result.code, result.outputs["failed"], result.warnings) == (1, str(count), [])
        assert len(body) <= comment.CHARACTERS
        assert len(result.summary.encode()) <= 1024 * 1024
        summaries = [one["output"]["summary"] for one in job.check_runs]
        assert all(len(text.encode()) <= 65_535 for text in summaries)
        assert len(job.annotations) == len(summaries) * count
        for drawn in (body, result.summary, *summaries):
            _is_whole(drawn, blocking=count)


@pytest.mark.parametrize("older_first", [True, False])
def test_of_two_runs_the_newer_one_has_the_last_word(job: Job, *, older_first: bool) -> None:
    job.items(failing("Berlin"))
    older = job.pull_request(run=4711, check_run="false")
    newer = job.pull_request(run=4712, check_run="false")

    for step in [older, newer] if older_first else [newer, older]:
        job.service.artifacts.clear()
        step.inside()

    (body,) = job.comments
    assert "run=4712 attempt=1" in body


@pytest.mark.parametrize("older_first", [True, False])
def test_two_runs_that_post_at_the_same_time_leave_the_newer_ones_comment(
    job: Job, *, older_first: bool
) -> None:
    job.items(failing("Berlin"))
    runs = (4711, 4712) if older_first else (4712, 4711)
    first, second = (
        job.pull_request(run=run, check_run="false", upload_artifact="false") for run in runs
    )
    # The second run does all of its work between the first one's look and its post.
    job.github.on("POST", "/comments", second.run)

    result = first.inside()

    (body,) = job.comments
    assert (result.code, result.warnings) == (1, [])
    assert "run=4712 attempt=1" in body


def test_a_re_run_updates_the_comment_of_the_first_attempt(job: Job) -> None:
    job.items(failing("Berlin"))
    job.pull_request(attempt=1, upload_artifact="false").inside()

    job.pull_request(attempt=2, upload_artifact="false").inside()
    job.pull_request(attempt=1, check_run="false", upload_artifact="false").inside()

    (body,) = job.comments
    assert "run=4711 attempt=2" in body
    assert [one["external_id"] for one in job.check_runs] == ["4711.1", "4711.2"]


def test_a_run_for_a_commit_that_is_no_longer_the_head_does_not_comment(job: Job) -> None:
    job.items(failing("Berlin"))
    step = job.pull_request(check_run="false")
    job.github.state.pull(jobs.NUMBER, head="d" * 40, base=job.base)

    result = step.inside()

    assert (result.code, job.comments, result.warnings) == (1, [], [])
    assert result.outputs["comment-url"] == ""


def test_the_comment_is_found_on_page_three_and_no_strangers_is_touched(job: Job) -> None:
    job.items(failing("Berlin"))
    state = job.github.state
    marker = f"<!-- mergebar:v1 key=mergebar run=1 attempt=1 sha={job.head} -->\nold"
    state.comment(jobs.NUMBER, marker, login="mallory")
    for number in range(230):
        state.comment(jobs.NUMBER, f"remark {number}")
    ours = state.comment(jobs.NUMBER, marker, login="github-actions[bot]")
    state.comment(jobs.NUMBER, f"> {marker}", login="github-actions[bot]")

    result = job.pull_request(check_run="false").inside()

    assert result.outputs["comment-url"].endswith(str(ours))
    assert "run=4711" in state.comments[ours][1]["body"]
    assert len(job.comments) == 233
    assert job.comments[0] == marker


def test_the_report_of_a_private_agent_shows_no_answer_outside_of_the_artifact(
    tmp_path: Path,
) -> None:
    judge = "judge: {type: replay, recordings: recordings}\n"
    with jobs.job(tmp_path, config=STORED + judge) as job:
        wrong = item("Where", "x", response="SECRET-ANSWER", evaluators={"PartialMatch": {}})
        job.items(wrong, passing())

        result = job.pull_request().inside()

        shown = [*job.comments, result.summary, result.stdout, json.dumps(job.check_runs)]
        assert result.report is not None
        assert all("SECRET-ANSWER" not in text for text in shown)
        assert "SECRET-ANSWER" not in json.dumps(job.annotations)
        stored = (job.workspace / "mergebar-report/documents/evals/desk.json").read_text()
        assert "SECRET-ANSWER" in stored
