"""Each event of the product's table on a real history: what runs, and against which commit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support import events, gates, jobs
from support.branches import Branches, notes, outcome
from support.gates import passing
from support.github.state import file
from support.jobs import Job, Result

GONE = "d" * 40
OTHER = "evals/other.json"


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path) as made:
        yield made


@pytest.fixture
def branches(job: Job) -> Branches:
    made = Branches(job=job)
    made.tell("main")
    return made


def cases(*names: str) -> dict[str, str | None]:
    """The document with these cases, all of which pass."""
    return {"evals/desk.json": gates.document(*map(passing, names))}


def reasons(result: Result) -> str:
    """Why each suite ran or didn't."""
    assert result.report is not None
    return "; ".join(suite["reason"] for suite in result.report["suites"])


def measured(branches: Branches, commit: str) -> None:
    """Main is measured at this commit, and leaves its report."""
    branches.leave(branches.push("main", commit), commit=commit)


# --- the merge queue


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_an_entry_of_the_queue_is_held_against_the_one_before_it(
    branches: Branches, depth: int
) -> None:
    main = branches.job.base
    measured(branches, main)
    first = branches.commit("queue-1", cases("so far", "one"), at=main)
    second = branches.commit("queue-2", cases("so far", "one", "two"), at=first)

    result = branches.queue(second, base=first, depth=depth)

    # `one` came with the entry before, which left no report: main's knows nothing of it.
    assert outcome(result) == {"run": "one two", "kept": "so far", "baseline": main}
    assert result.report is not None
    assert result.report["run"]["base_commit"] == first
    if depth != 1:
        expected = f"the baseline is 1 commit older than the base `{first[:7]}`"
        assert expected in notes(result) or f"the base is `{first[:7]}`" in notes(result)


def test_the_policy_of_a_queue_is_that_of_the_entry_before(branches: Branches) -> None:
    main = branches.job.base
    advise = {"mergebar.yml": gates.CONFIG + "gate: {mode: advise}\n"}
    first = branches.commit("queue-1", advise, at=main)
    second = branches.commit("queue-2", {**cases("so far"), "README.md": "x"}, at=first)

    result = branches.queue(second, base=first)

    assert result.report is not None
    assert (result.report["run"]["policy"], result.report["run"]["mode"]) == ("base", "advise")


def test_what_an_entry_before_changed_in_a_source_is_not_carried(branches: Branches) -> None:
    main = branches.job.base
    measured(branches, main)
    first = branches.commit("queue-1", {"prompts/desk.md": "Otherwise."}, at=main)
    second = branches.commit("queue-2", {"README.md": "x"}, at=first)

    result = branches.queue(second, base=first)

    assert outcome(result) == {"run": "so far", "kept": "", "baseline": main}


# --- pushes


def test_a_push_to_main_is_held_against_the_commit_before_it(branches: Branches) -> None:
    old = branches.job.base
    measured(branches, old)
    before = branches.commit("main", cases("so far", "two"))
    measured(branches, before)
    branches.commit("main", cases("so far", "two", "three"))
    after = branches.commit("main", {"README.md": "x"})

    result = branches.push("main", after, before=before)

    assert outcome(result) == {"run": "three", "kept": "so far two", "baseline": before}


def test_a_push_to_main_whose_run_before_is_missing_makes_up_for_it(branches: Branches) -> None:
    old = branches.job.base
    measured(branches, old)
    before = branches.commit("main", cases("so far", "two"))
    after = branches.commit("main", {"README.md": "x"})

    result = branches.push("main", after, before=before)

    assert outcome(result) == {"run": "two", "kept": "so far", "baseline": old}


@pytest.mark.parametrize("before", [events.ZERO, GONE])
def test_a_push_to_main_of_unknown_history_is_never_green_unmeasured(
    branches: Branches, before: str
) -> None:
    after = branches.commit("main", cases("so far", "two"))

    result = branches.push("main", after, before=before)

    assert outcome(result) == {"run": "so far two", "kept": "", "baseline": None}


def forced(branches: Branches) -> tuple[str, str]:
    """Main was measured with another prompt, and then rewritten from the commit before that on."""
    start = branches.job.base
    dropped = branches.commit("main", {"prompts/desk.md": "Otherwise."})
    measured(branches, dropped)
    after = branches.commit("main", {"README.md": "x"}, at=start)
    return dropped, after


@pytest.mark.parametrize("kept", [True, False])
def test_a_forced_push_carries_nothing_across_what_it_rewrote(
    branches: Branches, *, kept: bool
) -> None:
    dropped, after = forced(branches)
    if kept:
        # Another branch leads to the old commit, so that the checkout still has it.
        branches.job.origin.git("branch", "old", dropped)

    result = branches.push("main", after, before=dropped)

    assert outcome(result) == {"run": "so far", "kept": "", "baseline": dropped}


def test_a_forced_push_that_github_forgot_measures_all(branches: Branches) -> None:
    dropped, after = forced(branches)
    branches.job.github.state.commits.pop(dropped)

    result = branches.push("main", after, before=dropped)

    assert outcome(result) == {"run": "so far", "kept": "", "baseline": None}
    assert notes(result).startswith("no baseline: ")


# --- shallow checkouts


@pytest.mark.parametrize("depth", [1, 2])
def test_a_push_to_main_in_a_shallow_checkout_asks_github_what_changed(
    branches: Branches, depth: int
) -> None:
    old = branches.job.base
    measured(branches, old)
    branches.commit("main", {"notes.md": "x"})
    before = branches.commit("main", cases("so far", "two"))
    after = branches.commit("main", {"README.md": "x"})
    branches.compare(old, after)

    result = branches.push("main", after, before=before, depth=depth)

    assert outcome(result) == {"run": "two", "kept": "so far", "baseline": old}


def test_a_push_that_neither_git_nor_github_can_compare_says_what_to_set(
    branches: Branches,
) -> None:
    old = branches.job.base
    measured(branches, old)
    before = branches.commit("main", {"notes.md": "x"})
    after = branches.commit("main", {"README.md": "x"})
    branches.job.github.state.compared[f"{old}...{after}"] = [
        file(f"f{number}") for number in range(300)
    ]

    result = branches.push("main", after, before=before, depth=1)

    assert outcome(result) == {"run": "so far", "kept": "", "baseline": old}
    assert "set `fetch-depth: 0` on actions/checkout" in reasons(result)


@pytest.mark.parametrize("depth", [1, 2])
def test_a_push_to_a_branch_in_a_shallow_checkout_counts_all_of_the_branch(
    branches: Branches, depth: int
) -> None:
    main = branches.job.base
    measured(branches, main)
    first = branches.commit("work", cases("so far", "two"), at=main)
    branches.commit("work", {"notes.md": "x"})
    after = branches.commit("work", {"README.md": "x"})
    branches.compare(main, after)

    result = branches.push("work", after, before=first, depth=depth)

    assert outcome(result) == {"run": "two", "kept": "so far", "baseline": main}


def test_without_any_baseline_a_branch_in_a_shallow_checkout_is_measured_all_the_same(
    branches: Branches,
) -> None:
    main = branches.job.base
    first = branches.commit("work", cases("so far", "two"), at=main)
    after = branches.commit("work", {"README.md": "x"})
    branches.compare(main, after)

    result = branches.push("work", after, before=first, depth=1)

    assert outcome(result) == {"run": "two", "kept": "", "baseline": None}


@pytest.mark.parametrize("depth", [1, 2, 0])
def test_a_pull_request_measures_the_edited_case_however_shallow_its_checkout(
    branches: Branches, depth: int
) -> None:
    """At depth 1 the old document comes from GitHub too."""
    main = branches.job.base
    measured(branches, main)
    branches.job.change(cases("so far", "two"), depth=depth)

    result = branches.job.pull_request().inside()

    assert outcome(result) == {"run": "two", "kept": "so far", "baseline": main}


@pytest.mark.parametrize("depth", [1, 2])
def test_a_pull_request_of_a_deleted_fork_is_compared_and_runs_no_code(
    branches: Branches, depth: int
) -> None:
    job, main = branches.job, branches.job.base
    measured(branches, main)
    job.change(cases("so far", "two"), depth=depth)
    job.github.state.pull(7, head=job.head, base=main, deleted=True)
    job.github.state.change_files(7, [file("evals/desk.json")])
    payload = events.pull_request(base=main, head=job.head, head_repository=None)

    result = job.step("pull_request", payload, sha=job.merge).inside()

    assert result.code == 3
    assert outcome(result) == {"run": "two", "kept": "so far", "baseline": main}
    assert result.outputs["decision"] == "could-not-evaluate"
    assert "say two" not in gates.calls(job.workspace)


# --- branches


def test_a_push_to_a_branch_is_held_against_what_that_branch_left(branches: Branches) -> None:
    main = branches.job.base
    measured(branches, main)
    before = branches.commit("work", cases("so far", "two"), at=main)
    branches.leave(branches.push("work", before), commit=before, branch="work")
    after = branches.commit("work", {"README.md": "x"})

    result = branches.push("work", after, before=before)

    assert outcome(result)["baseline"] == before
    assert "so far" in outcome(result)["kept"]


@pytest.mark.parametrize("before", ["none", "known"])
def test_a_push_to_a_branch_without_a_baseline_is_held_against_main(
    branches: Branches, before: str
) -> None:
    main = branches.job.base
    measured(branches, main)
    first = branches.commit("work", cases("so far", "two"), at=main)
    after = branches.commit("work", {"README.md": "x"})

    result = branches.push("work", after, before=events.ZERO if before == "none" else first)

    assert outcome(result) == {"run": "two", "kept": "so far", "baseline": main}


def test_a_branch_carries_nothing_that_main_measured_after_it_left(branches: Branches) -> None:
    start = branches.job.base
    measured(branches, start)
    newer = branches.commit("main", {"prompts/desk.md": "Otherwise."})
    measured(branches, newer)
    after = branches.commit("work", {"README.md": "x"}, at=start)

    result = branches.push("work", after)

    assert outcome(result) == {"run": "", "kept": "so far", "baseline": start}


# --- by hand, and by the clock


@pytest.mark.parametrize("event", ["workflow_dispatch", "schedule"])
def test_what_runs_all_is_held_against_mains_newest(branches: Branches, event: str) -> None:
    measured(branches, branches.job.base)
    newest = branches.commit("main", cases("so far", "two"))
    measured(branches, newest)
    payload = events.schedule() if event == "schedule" else events.workflow_dispatch()

    result = branches.run(event, payload, sha=newest)

    assert outcome(result) == {"run": "so far two", "kept": "", "baseline": newest}


def test_a_dispatch_on_a_branch_is_held_against_mains_newest(branches: Branches) -> None:
    start = branches.job.base
    measured(branches, start)
    newest = branches.commit("main", {"notes.md": "x"})
    measured(branches, newest)
    there = branches.commit("work", cases("so far", "two"), at=start)

    result = branches.dispatch("work", there)

    assert outcome(result) == {"run": "so far two", "kept": "", "baseline": newest}


def test_a_dispatch_with_a_base_is_held_against_that_one(branches: Branches) -> None:
    start = branches.job.base
    measured(branches, start)
    newest = branches.commit("main", {"notes.md": "x"})
    measured(branches, newest)

    result = branches.dispatch("main", newest, base=start)

    assert outcome(result)["baseline"] == start


@pytest.mark.parametrize("base", ["release", "origin/release"])
def test_a_dispatch_whose_base_is_another_branch_is_held_against_what_that_left(
    branches: Branches, base: str
) -> None:
    """And against what main left where that one left nothing."""
    start = branches.job.base
    measured(branches, start)
    there = branches.commit("release", cases("so far", "two"), at=start)
    fix = branches.commit("fix", {"notes.md": "x"}, at=there)

    assert outcome(branches.dispatch("fix", fix, base=base))["baseline"] == start

    branches.leave(branches.push("release", there), commit=there, branch="release")
    result = branches.dispatch("fix", fix, base=base)
    assert outcome(result) == {"run": "so far two", "kept": "", "baseline": there}


def test_an_unfiltered_dispatch_becomes_the_baseline_of_its_branch(branches: Branches) -> None:
    main = branches.job.base
    measured(branches, main)
    before = branches.commit("work", cases("so far", "two"), at=main)
    result = branches.dispatch("work", before)
    branches.leave(result, commit=before, branch="work", event="workflow_dispatch")
    after = branches.commit("work", {"README.md": "x"})

    assert outcome(branches.push("work", after, before=before))["baseline"] == before
    assert outcome(branches.dispatch("main", main))["baseline"] == main


def later(branches: Branches, filtered: Result, commit: str, event: str) -> Result:
    """The filtered run left its report, and then something else looks for a baseline."""
    branches.leave(filtered, commit=commit, event="workflow_dispatch")
    if event == "pull_request":
        branches.job.base = commit
        branches.job.origin.git("branch", "--force", "change", commit)
        branches.job.change({"README.md": "x"}, depth=0)
        return branches.job.pull_request().inside()
    after = branches.commit("main", {"README.md": "x"})
    if event == "schedule":
        return branches.run("schedule", events.schedule(), sha=after)
    if event == "workflow_dispatch":
        return branches.dispatch("main", after)
    return branches.push("main", after, before=commit)


@pytest.mark.parametrize("inputs", [{"paths": OTHER}, {"agent": "desk"}])
@pytest.mark.parametrize("event", ["pull_request", "push", "schedule", "workflow_dispatch"])
def test_a_filtered_dispatch_is_a_baseline_for_nobody(
    branches: Branches, event: str, inputs: dict[str, str]
) -> None:
    measured(branches, branches.job.base)
    commit = branches.commit("main", {OTHER: gates.document(passing("other"))})
    filtered = branches.dispatch("main", commit, **inputs)

    result = later(branches, filtered, commit, event)

    assert filtered.code == 0
    assert outcome(result)["baseline"] != commit
