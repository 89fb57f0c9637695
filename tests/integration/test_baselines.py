"""Where a baseline comes from, what is refused as one, and what is said of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from support import commands, events, jobs, scenarios
from support.gates import failing, passing
from support.github.state import packed
from support.jobs import Job, Result
from support.scenarios import DESK, Desk, answers, config, document

NAME = "mergebar-report-mergebar"


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path, **{"prompts/a.md": "Be kind."}) as made:
        yield made


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = scenarios.desk(tmp_path)
    made.measure()
    return made


def pushed(job: Job, commit: str, *, before: str = events.ZERO) -> Result:
    """The run that a push to main starts."""
    job.checkout(commit, depth=0)
    payload = events.push(before=before, after=commit)
    return job.step("push", payload, sha=commit).inside()


def leave(job: Job, report: Mapping[str, Any], *, commit: str, **run: Any) -> None:
    """A run leaves a report as its artifact."""
    made = job.github.state.run(head=commit, **run)
    data = json.dumps(report).encode()
    job.github.state.artifact(made, NAME, packed(report__json=data))


def base_report(job: Job) -> dict[str, Any]:
    found = pushed(job, job.base).report
    assert found is not None
    return found


def compared(result: Result) -> Mapping[str, Any]:
    assert result.report is not None
    found: Mapping[str, Any] = result.report["comparison"]
    return found


def carried(result: Result) -> list[bool]:
    assert result.report is not None
    return [check["carried"] for check in result.report["checks"]]


# --- artifacts


def test_a_pull_request_is_compared_with_what_main_left_and_carries_it(job: Job) -> None:
    leave(job, base_report(job), commit=job.base)
    job.change({"README.md": "x"})

    result = job.pull_request().inside()

    comparison = compared(result)
    assert result.code == 0
    assert comparison["baseline"]["commit"] == job.base
    assert comparison["baseline"]["source"] == "artifact"
    assert comparison["baseline"]["age_s"] < 600
    assert carried(result) == [True]
    assert result.outputs["base-pass-rate"] == "1.0000"
    assert "nothing affected, 1 carried" in job.comments[0]


def test_an_edited_case_is_measured_and_the_rest_is_carried(job: Job) -> None:
    leave(job, base_report(job), commit=job.base)
    job.items(passing("so far"), failing("Berlin"))

    result = job.pull_request().inside()

    assert carried(result) == [True, False]
    assert result.outputs["decision"] == "failed"
    assert "1 check blocks (1 new)" in result.summary


def test_the_nearest_ancestor_is_taken_and_its_distance_said(job: Job) -> None:
    report = base_report(job)
    old = job.base
    job.origin.checkout("main")
    job.base = job.origin.commit({"notes.md": "x"})
    job.github.state.commit(job.base, old)
    job.origin.git("branch", "--force", "change", job.base)
    leave(job, report, commit=old)
    job.change({"README.md": "x"}, depth=0)

    result = job.pull_request().inside()

    comparison = compared(result)
    assert comparison["baseline"]["commit"] == old
    assert (
        comparison["notes"][0] == f"the baseline is 1 commit older than the base `{job.base[:7]}`"
    )
    assert carried(result) == [True]


def test_what_main_changed_after_its_baseline_is_not_carried(job: Job) -> None:
    report = base_report(job)
    old = job.base
    job.origin.checkout("main")
    job.base = job.origin.commit({"prompts/a.md": "Be brief."})
    job.github.state.commit(job.base, old)
    job.origin.git("branch", "--force", "change", job.base)
    leave(job, report, commit=old)
    job.change({"README.md": "x"}, depth=0)

    result = job.pull_request().inside()

    assert carried(result) == [False]
    (suite,) = (result.report or {})["suites"]
    assert suite["reason"] == (
        "affected: its checks can't be carried: `prompts/a.md` is a source of agent `desk` since "
        f"`{old[:7]}`"
    )


def test_a_push_to_main_measures_all_at_first_and_then_what_changed(job: Job) -> None:
    first = pushed(job, job.base)
    leave(job, first.report or {}, commit=job.base)
    job.origin.checkout("main")
    after = job.origin.commit({"README.md": "x"})
    job.github.state.commit(after, job.base)

    second = pushed(job, after, before=job.base)

    assert carried(first) == [False]
    assert carried(second) == [True]
    assert compared(second)["baseline"]["commit"] == job.base


def _other_commit(report: dict[str, Any]) -> None:
    report["run"]["commit"] = "e" * 40


def _partial(report: dict[str, Any]) -> None:
    report["run"]["complete"] = False


def _filtered(report: dict[str, Any]) -> None:
    report["run"]["filtered"] = True


def _untrusted(report: dict[str, Any]) -> None:
    report["run"]["trusted"] = False


def _undecided(report: dict[str, Any]) -> None:
    report["decision"]["outcome"] = "could-not-evaluate"


def _gap(report: dict[str, Any]) -> None:
    report["checks"] = []


def _newer(report: dict[str, Any]) -> None:
    report["schema"] = "mergebar.report/9"


def _nothing(_report: dict[str, Any]) -> None:
    """As it is."""


@pytest.mark.parametrize(
    ("edit", "run", "said"),
    [
        (_nothing, {"fork": True}, "no run on `main` has left"),
        (_nothing, {"branch": "other"}, "no run on `main` has left"),
        (_nothing, {"event": "pull_request"}, "it was made on `pull_request`"),
        (_other_commit, {}, "it is about another commit than that of its run"),
        (_partial, {}, "it is partial"),
        (_filtered, {"event": "workflow_dispatch"}, "it is filtered"),
        (_untrusted, {}, "it comes from an untrusted run"),
        (_undecided, {}, "its run came to no verdict: could-not-evaluate"),
        (_gap, {}, "one of its suites was neither measured nor carried: `evals/desk.json`"),
        (_newer, {}, "`schema` says `mergebar.report/9`"),
    ],
)
def test_what_is_no_baseline_is_passed_over_and_that_is_said(
    job: Job, edit: Callable[[dict[str, Any]], None], run: dict[str, Any], said: str
) -> None:
    report = base_report(job)
    edit(report)
    leave(job, report, commit=job.base, **run)
    job.change({"README.md": "x"})

    result = job.pull_request().inside()

    comparison = compared(result)
    assert (result.code, comparison["baseline"]) == (0, None)
    assert comparison["notes"][0].startswith("no baseline: ")
    assert said in comparison["notes"][0]
    assert "the base `" in comparison["notes"][0]


# --- files


def test_the_committed_file_counts_as_of_the_base_whatever_the_change_makes_of_it(
    desk: Desk,
) -> None:
    written = desk.run("--all", "--write-baseline")
    desk.here.commit()
    desk.change({".mergebar-baseline.json": "{}", DESK: document("a", "b", "c", "d")})

    ran = desk.run("--base", "main")

    assert written.code == 1
    assert (ran.measured, ran.carried) == ("d", "a b c")
    assert ran.report["comparison"]["baseline"]["source"] == "file"
    assert ran.report["comparison"]["edited"] == [
        {"kind": "baseline", "path": ".mergebar-baseline.json", "status": "modified"}
    ]


@pytest.mark.parametrize("options", [[DESK], ["--agent", "desk"], ["--no-judge"]])
def test_a_part_of_the_suites_is_never_written_as_a_baseline(
    desk: Desk, options: list[str]
) -> None:
    ended = commands.inside("run", *options, "--write-baseline", cwd=desk.here.path)

    assert ended.code == 2
    assert "`--write-baseline` is refused with" in ended.said
    assert not (desk.here.path / ".mergebar-baseline.json").exists()


def test_a_run_without_a_verdict_is_never_written_as_a_baseline(desk: Desk) -> None:
    desk.here.commit({"answers.json": answers(a=scenarios.BROKEN, b="yes", c="yes")})

    ended = commands.inside("run", "--all", "--write-baseline", cwd=desk.here.path)

    assert ended.code == 2
    assert "is not written: its run came to no verdict: could-not-evaluate" in ended.said
    assert not (desk.here.path / ".mergebar-baseline.json").exists()


def test_a_named_baseline_that_is_none_makes_the_run_invalid(desk: Desk) -> None:
    report = json.loads(desk.stored.read_bytes())
    report["run"]["filtered"] = True
    desk.stored.write_text(json.dumps(report))

    ran = desk.compare("--all")

    assert ran.code == 2
    assert "can't compare with `../base.json`: it is filtered" in ran.ended.said


def test_a_baseline_of_a_commit_that_nobody_knows_is_compared_with_and_not_carried(
    desk: Desk,
) -> None:
    report = json.loads(desk.stored.read_bytes())
    report["run"]["commit"] = "e" * 40
    desk.stored.write_text(json.dumps(report))
    desk.change({"README.md": "x"})

    ran = desk.compare()

    assert (ran.measured, ran.carried) == ("a b c", "")
    assert ran.changes == {"still-failing": "c", "still-passing": "a b"}
    (suite,) = ran.report["suites"]
    assert "can't tell what changed since the baseline's `eeeeeee`" in suite["reason"]


def test_none_is_none(desk: Desk) -> None:
    desk.here.commit({"mergebar.yml": config(baseline={"source": "none"})})
    desk.run("--all", "--write-baseline")
    desk.here.commit()
    desk.change({"README.md": "x"})

    ran = desk.run("--base", "main")

    assert ran.report["comparison"]["baseline"] is None
    assert (ran.measured, ran.carried, ran.code) == ("", "", 0)


# --- the base itself


def test_the_base_is_run_beside_the_head_with_its_own_configuration_and_agent(
    desk: Desk, tmp_path: Path
) -> None:
    desk.here.commit({"mergebar.yml": config(baseline={"source": "run"})})
    desk.change({"answers.json": answers(a="no", b="yes", c="yes")})
    temp = tmp_path / "temp"
    temp.mkdir()

    ran = desk.run("--base", "main", environ={"RUNNER_TEMP": str(temp)})

    assert ran.changes == {"improved": "c", "regressed": "a", "still-passing": "b"}
    assert ran.report["comparison"]["baseline"] == {
        "commit": desk.here.git("rev-parse", "main"),
        "age_s": 0.0,
        "source": "run",
    }
    assert list(temp.iterdir()) == []
    assert len(desk.here.git("worktree", "list").splitlines()) == 1


def test_what_the_change_leaves_alone_is_carried_from_the_base_that_was_run(desk: Desk) -> None:
    desk.here.commit({"mergebar.yml": config(baseline={"source": "run"})})
    desk.change({DESK: document("a", "b", "c", "d")})

    ran = desk.run("--base", "main")

    assert (ran.measured, ran.carried, ran.code) == ("d", "a b c", 1)


REMOTE: list[dict[str, object]] = [
    {
        "type": "http",
        "url": "http://localhost:9/",
        "select": {"response": "answer"},
        "body": {"q": "{prompt}"},
    },
    {"type": "openai", "base_url": "http://localhost:9/v1", "api_key": "${KEY}", "model": "m"},
]


@pytest.mark.parametrize("agent", REMOTE, ids=lambda agent: str(agent["type"]))
@pytest.mark.parametrize("command", ["run", "plan", "check"])
def test_the_base_is_not_run_with_an_agent_that_is_elsewhere(
    desk: Desk, agent: dict[str, object], command: str
) -> None:
    desk.here.commit(
        {
            "mergebar.yml": config(
                agents={"desk": {**agent, "sources": []}}, baseline={"source": "run"}
            )
        }
    )
    desk.change({"README.md": "x"})
    base = [] if command == "check" else ["--base", "main"]

    ended = commands.inside(command, *base, cwd=desk.here.path)

    assert ended.code == 2, ended.said
    said = "`baseline.source: run` can't measure the base with agent `desk`"
    assert said in ended.said
    assert "mergebar.yml:" in ended.said


def test_an_agent_that_no_suite_uses_is_in_nobodys_way(desk: Desk) -> None:
    far = {**REMOTE[0], "sources": []}
    both = {**scenarios.agents(), "far": far}
    desk.here.commit({"mergebar.yml": config(agents=both, baseline={"source": "run"})})
    desk.change({"README.md": "x"})

    assert desk.run("--base", "main").carried == "a b c"
    assert commands.inside("check", cwd=desk.here.path).code == 0


def test_a_plan_says_that_the_base_is_still_to_be_run(desk: Desk) -> None:
    desk.here.commit({"mergebar.yml": config(baseline={"source": "run"})})
    desk.change({DESK: document("a", "b", "c", "d")})

    lines = desk.explained("--base", "main")

    assert lines[1] == (
        "baseline: the base itself, which `mergebar run` measures beside this tree; its calls are "
        "not counted here"
    )
    assert desk.plan("--base", "main")["notes"] == [lines[1]]


def test_a_base_that_comes_to_no_verdict_is_no_baseline(desk: Desk) -> None:
    desk.here.commit(
        {
            "mergebar.yml": config(baseline={"source": "run"}),
            "answers.json": answers(a=scenarios.BROKEN, b="yes", c="yes"),
        }
    )
    desk.change({"answers.json": answers(a="yes", b="yes", c="yes")})

    ran = desk.run("--base", "main")

    assert (ran.code, ran.report["comparison"]["baseline"]) == (0, None)
    assert "was run, and that is no baseline" in ran.report["comparison"]["notes"][0]
