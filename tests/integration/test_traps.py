"""What comparisons elsewhere got wrong: which test would see it, and tests with a whole run."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from support import commands, gates, held, jobs, scenarios
from support.branches import Branches, outcome
from support.gates import failing, passing
from support.jobs import Job
from support.repositories import Repository
from support.scenarios import answers, config

UNIT = "unit/comparing/test_traps.py"
ROWS = "integration/test_scenarios.py"
EVENTS = "integration/test_event_baselines.py"
HERE = "integration/test_traps.py"
BASELINES = "integration/test_baselines.py"
GITHUB = "unit/edge/github/test_baselines.py"

TRAPS: Mapping[str, Sequence[tuple[str, str]]] = {
    "a count that hides a swap": [
        (UNIT, "test_a_swap_of_failures_isnt_hidden_by_their_number"),
        (ROWS, "one case breaks while another is mended: the count hides nothing"),
    ],
    "an item that errors raises the mean": [
        (UNIT, "test_a_case_that_errors_doesnt_raise_the_rate"),
        (ROWS, "an error is no measurement, and no gain"),
    ],
    "a removed failing check counts as fixed": [
        (UNIT, "test_a_removed_failing_check_isnt_fixed"),
        (ROWS, "a failing case is deleted"),
    ],
    "a renamed prompt": [
        (UNIT, "test_a_renamed_prompt_is_removed_and_new_and_likened"),
        (ROWS, "a failing prompt is edited in a case without an id"),
    ],
    "duplicate prompts": [
        (UNIT, "test_duplicate_prompts_keep_their_own_outcomes"),
        (ROWS, "two cases with one prompt change places"),
    ],
    "one noisy run rewrites the baseline": [
        (UNIT, "test_one_noisy_run_on_the_base_makes_no_known_failure"),
    ],
    "a baseline of a fork's branch": [(BASELINES, "test_what_is_no_baseline_is_passed_over")],
    "a baseline of a tag called `main`": [
        (GITHUB, "test_a_tag_that_is_called_like_the_branch_leaves_none"),
    ],
    "a partial baseline": [(BASELINES, "test_what_is_no_baseline_is_passed_over")],
    "a filtered dispatch as a baseline": [
        (EVENTS, "test_a_filtered_dispatch_is_a_baseline_for_nobody"),
    ],
    "main changed the agent after the baseline's commit": [
        (BASELINES, "test_what_main_changed_after_its_baseline_is_not_carried"),
    ],
    "main regressed after the pull request branched": [
        (HERE, "test_a_regression_of_main_blocks_no_pull_request_that_branched_before"),
        (UNIT, "test_a_regression_of_main_isnt_excused_on_a_branch"),
    ],
    "a README while main is red": [(ROWS, "a README while main is red")],
    "a first pull request in a rated group": [
        (HERE, "test_a_first_pull_request_runs_all_of_a_rated_group"),
    ],
    "a failing item is deleted": [(ROWS, "a failing case is deleted")],
    "a threshold is lowered": [(ROWS, "a threshold is lowered")],
    "a severity is lowered": [(ROWS, "a severity is lowered")],
    "a weight is lowered": [(ROWS, "a weight is lowered")],
    "`skip: true` is added": [(HERE, "test_a_skip_of_what_fails_on_main_is_loosened")],
    "the gate is loosened in mergebar.yml": [
        (ROWS, "the gate is loosened"),
        ("integration/test_publishing_events.py", "test_a_change_does_not_lower_its_own_bar"),
    ],
    "a trace is edited by hand": [(HERE, "test_a_trace_that_is_edited_by_hand_is_named")],
    "a committed cache or journal": [
        ("integration/test_budget_and_cache.py", "test_a_cache_that_git_tracks_is_refused"),
        ("integration/test_budget_and_cache.py", "test_a_journal_that_git_tracks_is_refused"),
    ],
    "a merge queue entry behind another": [
        (EVENTS, "test_an_entry_of_the_queue_is_held_against_the_one_before_it"),
    ],
    "another threshold on both sides": [(UNIT, "test_another_threshold_is_no_improvement")],
    "another judge": [
        (UNIT, "test_another_judge_is_no_regression"),
        (
            "integration/test_carrying.py",
            "test_another_judge_judges_anew_what_the_old_one_judged",
        ),
    ],
    "a suite that is renamed and edited": [(ROWS, "a suite is renamed and edited")],
    "a baseline with other weights": [
        (UNIT, "test_a_baseline_with_other_weights_is_weighed_anew"),
    ],
    "a suite of one case": [(UNIT, "test_a_suite_of_one_case_never_shows_a_difference")],
    "everything carried": [(UNIT, "test_everything_carried_shows_how_little_was_measured")],
    "nothing comparable": [(UNIT, "test_nothing_comparable_has_no_rates")],
    "weights of 1e-9 and 1e9": [
        (ROWS, "weights of a thousand million and of its inverse"),
        (UNIT, "test_very_small_and_very_large_weights_keep_their_meaning"),
    ],
    "a report against itself": [
        (ROWS, "a report against itself"),
        ("unit/comparing/test_properties.py", "test_a_report_against_itself_shows_nothing"),
    ],
}


@pytest.mark.parametrize("trap", TRAPS)
def test_each_trap_has_its_tests(trap: str) -> None:
    for file, name in TRAPS[trap]:
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        found = f'title="{name}"' if file == ROWS else rf"^def {name}"
        assert found in text if file == ROWS else re.search(found, text, re.MULTILINE), name


# --- those that need a whole run


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path, **{"evals/b.json": gates.document(passing("b"))}) as made:
        yield made


def test_a_regression_of_main_blocks_no_pull_request_that_branched_before(job: Job) -> None:
    """Main got worse after the branch began: the merge commit is held against main as it is now."""
    branches = Branches(job=job)
    branches.tell("main")
    worse = branches.commit("main", {"evals/b.json": gates.document(failing("b"))})
    branches.leave(branches.push("main", worse), commit=worse)
    job.base = worse
    job.change({"evals/desk.json": gates.document(passing("so far"), passing("new"))})

    result = job.pull_request().inside()

    assert (result.code, result.outputs["decision"]) == (0, "passed")
    assert outcome(result) == {"run": "new", "kept": "b so far", "baseline": worse}
    assert result.outputs["regressed"] == "0"


def test_a_first_pull_request_runs_all_of_a_rated_group(tmp_path: Path) -> None:
    """A rate over the one edited case would say nothing of the group's floor."""
    rated = [{"paths": ["evals/*.json"], "agent": "desk", "min_pass_rate": 0.6}]
    desk = scenarios.desk(
        tmp_path,
        {
            "mergebar.yml": config(documents=rated),
            "answers.json": answers(a="no", b="no", c="yes"),
        },
    )
    added = scenarios.item("d", expected="unknown")
    desk.change({scenarios.DESK: scenarios.document("a", "b", "c", added)})

    ran = desk.run("--base", "main")

    assert (ran.measured, ran.carried, ran.code) == ("a b c d", "", 1)
    assert "1 rated group below the floor" in ran.headline


def against(here: Repository, folder: Path, files: Mapping[str, str]) -> dict[str, Any]:
    """The report of a change, held against what main measured."""
    commands.inside("run", "--all", cwd=here.path)
    base = shutil.copyfile(here.path / ".mergebar/report.json", folder / "base.json")
    here.branch("change")
    here.commit(files)
    commands.inside("run", "--base", "main", "--baseline", str(base), cwd=here.path)
    return commands.report(here.path / ".mergebar/report.json")


FAILING = "- {id: quiet, grader: tool-usage, options: {tool: Read, expect: not-used}}"


def test_a_skip_of_what_fails_on_main_is_loosened(tmp_path: Path) -> None:
    traces = {"traces/mend.jsonl": held.recorded(held.session())}
    here = held.repository(tmp_path, {held.SKILL: held.skill(held.READS, FAILING), **traces})

    skipped = FAILING.replace("{id: quiet,", "{id: quiet, skip: true,")
    report = against(here, tmp_path, {held.SKILL: held.skill(held.READS, skipped)})

    (loosened,) = report["comparison"]["loosened"]
    assert (loosened["kind"], len(loosened["failing"])) == ("skip", 1)
    assert "1 loosened, 1 of them failing" in report["decision"]["headline"]
    assert [one["change"] for one in report["comparison"]["changes"]].count("improved") == 0


def test_a_trace_that_is_edited_by_hand_is_named(tmp_path: Path) -> None:
    text = held.recorded(held.session(runs=True))
    here = held.repository(
        tmp_path, {held.SKILL: held.skill(held.QUIET), "traces/mend.jsonl": text}
    )

    mended = held.recorded(held.session())
    report = against(here, tmp_path, {"traces/mend.jsonl": mended})

    (edited,) = report["comparison"]["edited"]
    assert (edited["kind"], edited["path"]) == ("trace", "traces/mend.jsonl")
    assert "traces/mend.jsonl" in json.dumps(report["suites"])
