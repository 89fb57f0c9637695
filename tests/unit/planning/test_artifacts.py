"""Artifacts in a plan: which evals a change affects, on which sessions, and what is at stake."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import planning
from mergebar.model.artifacts import Artifact
from mergebar.model.changes import Change, Changes
from mergebar.model.configuration import ArtifactGroup, Config, Match, SessionsConfig, Stale
from mergebar.model.documents import Severity
from mergebar.model.plans import CheckKind, Plan, PlannedCheck, Skip, SuiteKind
from mergebar.model.problems import Location
from mergebar.model.scenarios import MANIFEST, Scenario, Tie
from mergebar.planning import Declaring, PlanOptions
from support import artifacts, builders

SKILL = artifacts.SKILL
EVALS = """\
metadata:
  evals:
    - {id: reads, grader: file-access, options: {path: a.txt}}
    - {id: kind, assertion: The agent was kind., runs: 5}
    - {id: seen, grader: human, assertion: It reads well., severity: warning, weight: 2}
    - id: runs
      grader: command
      command: [python3, checks/dry.py, '{trace}']
      type: capability
    - {id: page, grader: regex, options: {pattern: x}, target: {source: file, path: out/page.md}}
    - {id: later, grader: cost, options: {maxUsd: 1}, skip: true}
    - It was dry.
"""
TRACE = Scenario(key="a.jsonl", group=0, trace="traces/a.jsonl")
PROMPT = Scenario(key="leak", group=0, prompt="sessions/leak.md", words="Mend.")
EVERYTHING = Changes(everything=True, reason="all suites were asked for")


def artifact(evals: str = EVALS) -> Artifact:
    found = artifacts.read(evals)
    assert found.evals, found.problems
    return found


def group(stale: Stale = Stale.BLOCK, traces: tuple[str, ...] = ("traces/*",)) -> ArtifactGroup:
    return ArtifactGroup(
        paths=("**/SKILL.md",),
        sources=("shared/**",),
        traces=traces,
        stale=stale,
        sessions=None,
        location=Location(path="mergebar.yml"),
    )


def declaring(
    *scenarios: Scenario,
    before: Artifact | None = None,
    stale: Stale = Stale.BLOCK,
    traces: tuple[str, ...] = ("traces/*",),
) -> Declaring:
    return Declaring(
        artifact=artifact(),
        group=group(stale, traces),
        before=before,
        scenarios=scenarios or (TRACE,),
    )


def changed(*paths: str) -> Changes:
    return Changes(files=tuple(Change(path=path) for path in paths))


def plan(
    given: Declaring,
    changes: Changes = EVERYTHING,
    *,
    config: Config | None = None,
    options: PlanOptions | None = None,
) -> Plan:
    settled = config or builders.config(agents=(), documents=(), judge=builders.judge_config())
    return planning.plan(
        [],
        config=settled,
        changes=changes,
        options=options or PlanOptions(),
        artifacts=[given],
    )


def checks(made: Plan) -> dict[str, PlannedCheck]:
    return {
        check.declared.name: check
        for case in made.cases
        for check in case.checks
        if check.declared is not None
    }


def affected(given: Declaring, changes: Changes) -> set[str]:
    return {name for name, check in checks(plan(given, changes)).items()}


def test_a_case_is_a_session_and_a_check_an_eval_of_it() -> None:
    made = plan(declaring(TRACE, PROMPT))

    (suite,) = made.suites
    assert (suite.kind, suite.path) == (SuiteKind.ARTIFACT, SKILL)
    assert [case.case.key for case in suite.cases] == ["a.jsonl", "leak"]
    first = suite.cases[0].checks[0]
    assert first.id == f"{SKILL}::a.jsonl::reads"
    assert (first.kind, first.turn, first.agent) == (CheckKind.GRADER, None, None)
    assert (first.location.path, first.location.line) == (SKILL, 4)


def test_an_eval_without_an_id_is_called_by_its_assertion_and_keyed_by_its_hash() -> None:
    check = checks(plan(declaring()))["eval-7"]

    assert len(check.name) == 12
    assert check.label == "It was dry. · a.jsonl"


def test_severity_and_weight_are_the_evals_own_then_the_rules() -> None:
    rules = [
        builders.rule(Match(grader="human"), severity=Severity.NOTICE, weight=9),
        builders.rule(Match(kind="grader", id="reads"), weight=4),
        builders.rule(Match(evaluator="ai"), weight=5),
        builders.rule(Match(grader="regex"), must_pass=True),
    ]
    config = builders.config(agents=(), documents=(), judge=builders.judge_config(), rules=rules)

    found = checks(plan(declaring(), config=config))

    assert (found["seen"].severity, found["seen"].weight) == (Severity.WARNING, 2)
    assert (found["reads"].weight, found["kind"].weight) == (4, 1)
    assert found["page"].must_pass
    assert not found["seen"].gating


def test_what_keeps_an_eval_from_being_graded_is_told_apart() -> None:
    made = plan(declaring(TRACE, PROMPT), options=PlanOptions(trusted=False))

    skips = {
        (case.case.key, check.declared.name): check.skip.kind if check.skip else None
        for case in made.cases
        for check in case.checks
        if check.declared is not None
    }
    assert skips["a.jsonl", "reads"] is None
    assert skips["a.jsonl", "runs"] is Skip.WITHHELD
    assert skips["a.jsonl", "later"] is Skip.DECLINED
    assert skips["leak", "reads"] is Skip.WITHHELD


def test_without_a_judge_by_wish_ai_evals_are_declined() -> None:
    config = builders.config(agents=(), documents=())
    made = planning.plan(
        [],
        config=config,
        changes=EVERYTHING,
        options=PlanOptions(judge=False),
        artifacts=[declaring()],
    )

    skip = checks(made)["kind"].skip
    assert skip is not None
    assert skip.kind is Skip.DECLINED
    assert made.problems == ()


def test_without_any_judge_the_plan_is_invalid_and_says_where() -> None:
    config = builders.config(agents=(), documents=())

    made = plan(declaring(), config=config)

    (problem,) = made.problems
    assert (problem.rule, problem.path, problem.line) == ("config/no-judge", SKILL, 5)
    assert "`ai`" in problem.message


def test_votes_and_sessions_are_counted() -> None:
    made = plan(declaring(TRACE, PROMPT))

    # Five votes for `kind`, three for the eval without an id; on both sessions.
    assert made.estimate.judge_calls == 16
    assert made.estimate.agent_calls == 1


@pytest.mark.parametrize(
    ("path", "evals"),
    [
        ("checks/dry.py", {"runs"}),
        ("out/page.md", {"page"}),
        ("mergebar.reviews.yml", {"kind", "seen", "eval-7"}),
        ("traces/a.jsonl", None),
        ("traces/a.jsonl.manifest.json", None),
        ("traces/a/subagents/agent-1.jsonl", None),
        ("shared/tone.md", None),
        (".claude/skills/mend/pump.sh", None),
        (SKILL, None),
        (".claude/skills/other/SKILL.md", set()),
        ("traces/b.jsonl", set()),
        ("README.md", set()),
    ],
)
def test_what_a_change_affects(path: str, evals: set[str] | None) -> None:
    every = {each.name for each in artifact().evals}

    assert affected(declaring(), changed(path)) == (every if evals is None else evals)


def test_a_changed_session_that_never_used_it_affects_nothing() -> None:
    given = replace(declaring(), unused=frozenset({"traces/a.jsonl"}))

    assert affected(given, changed("traces/a.jsonl")) == set()


def test_only_what_changed_among_the_evals_is_affected() -> None:
    before = artifact(EVALS.replace("path: a.txt", "path: b.txt").replace("weight: 2", "weight: 7"))

    assert affected(declaring(before=before), changed(SKILL)) == {"reads"}


@pytest.mark.parametrize("then", ["skip: true", "skip: false"])
def test_an_eval_that_is_skipped_now_or_no_longer_is_affected(then: str) -> None:
    before = artifact(
        EVALS.replace("skip: true", then).replace("{id: reads,", "{id: reads, skip: true,")
    )

    expected = {"reads"} if then == "skip: true" else {"reads", "later"}
    assert affected(declaring(before=before), changed(SKILL)) == expected


def test_an_option_that_another_eval_has_does_not_matter() -> None:
    assert affected(declaring(before=artifact()), changed(SKILL)) == set()


FOLDER = ".claude/skills/mend/scripts/pump.sh"
SOURCE = "shared/tone.md"
WAS = Tie(body="own", folder="f", sources="s")


@pytest.mark.parametrize(
    ("paths", "recorded", "stale"),
    [
        ([SKILL], None, True),
        ([SKILL, "traces/a.jsonl"], None, False),
        ([SOURCE], None, True),
        ([FOLDER], None, True),
        (["checks/dry.py"], None, False),
        # What is recorded decides, whatever changed: each part of it.
        (["checks/dry.py"], replace(WAS, body="0"), True),
        (["checks/dry.py"], replace(WAS, folder="0"), True),
        (["checks/dry.py"], replace(WAS, sources="0"), True),
        ([SKILL, "traces/a.jsonl"], replace(WAS, body="0"), True),
        ([FOLDER, "traces/a.jsonl"], replace(WAS, folder="0"), True),
        ([SOURCE, "traces/a.jsonl"], replace(WAS, sources="0"), True),
        ([SKILL, FOLDER, SOURCE], WAS, False),
        # A part that it doesn't know is as old as the session.
        ([SKILL], Tie(body="own"), False),
        ([FOLDER], Tie(body="own"), True),
        ([SOURCE], Tie(body="own"), True),
        ([FOLDER], replace(WAS, sources=None), False),
        ([SOURCE], replace(WAS, sources=None), True),
        # A session that was tied, or got another sub-agent, was not recorded again.
        ([SOURCE, f"traces/a.jsonl{MANIFEST}"], Tie(body="own"), True),
        ([SKILL, f"traces/a.jsonl{MANIFEST}"], None, True),
        ([SKILL, "traces/a/subagents/agent-1.jsonl"], None, True),
        ([SOURCE, "traces/a.jsonl"], Tie(body="own"), False),
    ],
)
def test_when_a_recorded_session_is_stale(
    paths: list[str], recorded: Tie | None, *, stale: bool
) -> None:
    own = artifact().body_digest
    ties = None
    if recorded is not None:
        body = own if recorded.body == "own" else recorded.body
        ties = {SKILL: replace(recorded, body=body)}
    now = Tie(body=own, folder="f", sources="s")

    made = plan(replace(declaring(replace(TRACE, ties=ties)), tie=now), changed(*paths))

    found = [check for check in checks(made).values() if check.declared and not check.declared.skip]
    assert found
    assert {check.stale for check in found} == {stale}
    assert {check.skip is not None for check in found} == {stale}


@pytest.mark.parametrize("ties", [None, {SKILL: Tie(body=artifact().body_digest)}])
@pytest.mark.parametrize("path", [SKILL, FOLDER, SOURCE])
def test_a_changed_trace_that_repeats_one_of_the_base_is_as_old_as_that(
    path: str, ties: dict[str, Tie] | None
) -> None:
    given = replace(
        declaring(replace(TRACE, ties=ties)),
        tie=Tie(body=artifact().body_digest, folder="f", sources="s"),
        repeated=frozenset({"traces/a.jsonl"}),
    )

    made = plan(given, changed(path, "traces/a.jsonl"))

    tied = ties is not None and path == SKILL
    assert {check.stale for check in checks(made).values()} == {not tied}


def test_a_manifest_of_other_artifacts_says_nothing_of_this_one() -> None:
    trace = replace(TRACE, ties={"other": Tie(body="0")})

    made = plan(declaring(trace), changed("checks/dry.py"))
    rewritten = plan(declaring(trace), changed(SKILL))

    assert not any(check.stale for check in checks(made).values())
    assert all(check.stale for check in checks(rewritten).values())


def test_why_there_is_no_session_is_said_as_it_is() -> None:
    given = declaring()
    run = SessionsConfig(
        command=("x", "{prompt}"),
        prompts=("sessions/*.md",),
        env=(),
        timeout_s=9,
        concurrency=1,
        location=Location(path="mergebar.yml"),
    )
    without = replace(given, scenarios=(), group=replace(given.group, traces=()))
    narrowed = replace(without, group=replace(without.group, sessions=run))

    def reasons(one: Declaring) -> set[str]:
        return {each.skip.reason for each in checks(plan(one)).values() if each.skip is not None}

    assert any(
        "neither `traces` nor `sessions` for this artifact" in one for one in reasons(without)
    )
    assert any(
        "`artifacts` in the prompts of its group name others" in one for one in reasons(narrowed)
    )


def test_a_session_that_is_run_is_never_stale() -> None:
    assert not any(
        check.stale for check in checks(plan(declaring(PROMPT), changed(SKILL))).values()
    )


def test_stale_sessions_may_be_graded() -> None:
    made = plan(declaring(stale=Stale.WARN), changed(SKILL))

    assert all(check.stale for check in checks(made).values())
    assert checks(made)["reads"].skip is None


def test_without_sessions_every_eval_is_withheld_and_it_is_said() -> None:
    given = replace(declaring(traces=()), scenarios=())

    made = plan(given)

    (case,) = made.cases
    assert case.case.key == "no-session"
    assert {check.skip.kind for check in case.checks if check.skip} == {
        Skip.WITHHELD,
        Skip.DECLINED,
    }
    assert [problem.rule for problem in made.suites[0].problems] == ["artifact/no-sessions"]


@pytest.mark.parametrize(
    "options",
    [PlanOptions(agent="x"), PlanOptions(tags=("x",)), PlanOptions(only=("evals",))],
)
def test_what_was_not_asked_for_is_left_out(options: PlanOptions) -> None:
    (suite,) = plan(declaring(), options=options).suites

    assert not suite.affected
    assert suite.reason.startswith("not selected: ")


PATHS = st.lists(
    st.sampled_from([
        SKILL, "checks/dry.py", "out/page.md", "shared/x", "traces/a.jsonl", "README.md",
        "mergebar.reviews.yml", ".claude/skills/mend/pump.sh",
    ]),
    max_size=4,
)  # fmt: skip


@given(PATHS, PATHS)
def test_two_changes_together_affect_what_either_affects(one: list[str], other: list[str]) -> None:
    given = declaring()

    both = affected(given, changed(*one, *other))

    assert both == affected(given, changed(*one)) | affected(given, changed(*other))
