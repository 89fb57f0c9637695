"""What comes before a grader looks: skips, faults, grants, windows, triggers, capabilities."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mergebar.graders import grading
from mergebar.graders.matching import Bounds
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.documents import Severity
from mergebar.model.gradings import Demands, Grade, Means, Remark, Seen
from mergebar.model.plans import Skip, Withholding
from mergebar.model.results import Outcome
from mergebar.model.sessions import Capability
from support import graded, traces
from support.graded import Bench, one, outcome, words

TALK = traces.chained([
    traces.said("please deploy it"),
    traces.replied(traces.call("Bash", "k1", command="git push")),
    traces.said([traces.result("k1")]),
    traces.replied(traces.call("Read", "k2", file_path=f"{traces.CWD}/docs/a.md")),
    traces.replied(traces.text("done")),
])  # fmt: skip
CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]

ARMED = [
    ("file-access: docs/**", True, ""),
    ("file-access: src/**", False, "no file that matches `src/**` was touched"),
    ("tool-used: Bash", True, ""),
    ("tool-used: Write", False, "`Write` wasn't called"),
    ("prompt-matches: 'deploy|ship'", True, ""),
    ("prompt-matches: '^deploy'", False, "no prompt matches `^deploy`"),
    ("command-matches: 'git push'", True, ""),
    ("command-matches: 'git pull'", False, "no shell command matches `git pull`"),
    ("turn-count-above: 0", True, ""),
    ("turn-count-above: 1", False, "1 turn seen"),
    ("tool-used: Bash, file-access: src/**", False, "src/**"),
    ("turn-count-above: 9, tool-used: Write", False, "`Write` wasn't called"),
]


@pytest.mark.parametrize(("condition", "armed", "said"), ARMED)
@pytest.mark.parametrize(
    "eval_",
    [
        "grader: turn-count, options: {min: 9, when: {%s}}",
        "grader: human, assertion: It is nice., options: {when: {%s}}",
        "grader: command, command: ['false'], options: {when: {%s}}",
    ],
)
def test_an_eval_whose_trigger_is_not_met_is_declined(
    tmp_path: Path, eval_: str, condition: str, said: str, *, armed: bool
) -> None:
    found = one(tmp_path, TALK, eval_ % condition)

    assert (outcome(found) == "declined") is not armed
    if not armed:
        assert words(found).startswith("its `when` wasn't met in the session: ")
        assert said in words(found)


def test_a_trigger_that_the_trace_can_not_tell_is_withheld(tmp_path: Path) -> None:
    plain = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    options = "{pattern: hello, when: {file-access: docs/**}}"

    found = one(tmp_path, plain, f"grader: regex, options: {options}")

    assert outcome(found) == "withheld"
    assert "whether its `when` is met can't be told" in words(found)


def test_a_trigger_that_never_ends_is_an_error(tmp_path: Path) -> None:
    talk = traces.chained([traces.said("a" * 60), traces.replied(traces.text("ok"))])

    found = one(
        tmp_path,
        talk,
        "grader: turn-count, options: {max: 1, when: {prompt-matches: '(a*)*b'}}",
        bench=Bench(bounds=Bounds(once_s=0.3)),
    )

    assert outcome(found) == "error"
    assert words(found).startswith("`when.prompt-matches` took longer")


LACKING = [
    ("grader: file-access, options: {path: a}", "doesn't record file operations"),
    ("grader: skill-invoked, options: {skill: a}", "doesn't record skills"),
    ("grader: cost, options: {maxUsd: 1}", "doesn't record cost"),
]


@pytest.mark.parametrize(("eval_", "said"), LACKING)
def test_a_format_that_lacks_what_a_grader_needs_withholds_and_names_it(
    tmp_path: Path, eval_: str, said: str
) -> None:
    found = one(tmp_path, CHAT, eval_)

    assert outcome(found) == "withheld"
    assert said in words(found)


UNUSED = [
    "grader: tool-usage, options: {tool: Bash}",
    "grader: tool-order, options: {before: a, after: b}",
    "grader: file-access, options: {path: a, expect: not-accessed}",
    "grader: turn-count, options: {max: 99}",
    "grader: regex, options: {pattern: a, expect: no-match}",
    "grader: human, assertion: It is nice.",
    "grader: ai, assertion: It is nice.",
    "grader: command, command: ['true']",
]


@pytest.mark.parametrize("eval_", UNUSED)
def test_a_skill_that_was_never_invoked_is_withheld_and_never_passes(
    tmp_path: Path, eval_: str
) -> None:
    found = graded.grade(
        tmp_path,
        TALK,
        f"- {{id: one, {eval_}}}",
        path=graded.SKILL,
        bench=Bench(judge=graded.Arbiter()),
    )["one"]

    assert (outcome(found), words(found)) == (
        "withheld",
        "`mend` was never invoked in this session",
    )


def changed(root: Path, change: Callable[[DeclaredEval], DeclaredEval]) -> graded.Found:
    eval_ = "grader: turn-count, options: {max: 1}"
    return one(root, TALK, eval_, bench=Bench(change=change))


def test_what_its_author_skips_is_declined(tmp_path: Path) -> None:
    found = changed(tmp_path, lambda declared: replace(declared, skip=True))

    assert isinstance(found, Withholding)
    assert found.kind is Skip.DECLINED
    assert "`skip`" in found.reason


def test_an_artifact_that_skips_its_evals_declines_each_of_them(tmp_path: Path) -> None:
    artifact = graded.read(tmp_path, "- {id: a, grader: turn-count, options: {max: 1}}")

    found = graded.regrade(tmp_path, TALK, replace(artifact, skip=True))

    assert {name: outcome(one_) for name, one_ in found.items()} == {"a": "declined"}
    assert "`eval-skip`" in words(found["a"])


def test_a_fault_of_the_declaration_goes_before_an_artifact_that_nobody_used(
    tmp_path: Path,
) -> None:
    found = graded.grade(
        tmp_path, TALK, "- {id: one, grader: command, assertion: It holds.}", path=graded.SKILL
    )["one"]

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.CONFIG


def test_a_refused_grant_goes_before_an_artifact_that_nobody_used(tmp_path: Path) -> None:
    found = graded.grade(
        tmp_path,
        TALK,
        "- {id: one, grader: command, command: ['true']}",
        path=graded.SKILL,
        bench=Bench(refused="not here"),
    )["one"]

    assert words(found) == "not here"


def test_a_trace_that_changes_while_it_is_graded_is_an_error_of_the_eval(tmp_path: Path) -> None:
    class Cutting:
        def demands(self, declared: DeclaredEval, /) -> Demands:
            del declared
            return Demands()

        async def grade(
            self, declared: DeclaredEval, seen: Seen, /, *, means: Means
        ) -> Grade | Failure | Withholding:
            means.trace.write_bytes(b"")
            return await graded.grader_of("regex").grade(declared, seen, means=means)

    found = one(
        tmp_path, TALK, "grader: regex, options: {pattern: a}", bench=Bench(grader=Cutting())
    )

    assert isinstance(found, Failure)
    assert "changed while it was being graded" in found.message


class Checker:
    """Somebody else's, with severities of its own."""

    def __init__(self, *found: tuple[str | None, str]) -> None:
        self._found = found

    def demands(self, declared: DeclaredEval, /) -> Demands:
        del declared
        return Demands(capabilities=frozenset({Capability.MESSAGES}))

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        del declared, seen, means
        await asyncio.sleep(0)
        return Grade(
            outcome=Outcome.FAIL if self._found else Outcome.PASS,
            reason="looked",
            findings=tuple(Remark(message=text, level=level) for level, text in self._found),
        )


CHECKED = [
    ([], "pass", ()),
    ([("suggestion", "style")], "pass", ("style",)),
    ([("fatal", "broken")], "fail", ()),
    ([("fatal", "broken"), ("unheard", "odd")], "fail", ("odd",)),
    ([(None, "plain")], "fail", ()),
]


@pytest.mark.parametrize(("said", "expected", "noted"), CHECKED)
def test_a_checkers_own_severities_are_mapped_and_only_errors_fail(
    tmp_path: Path,
    said: list[tuple[str | None, str]],
    expected: str,
    noted: tuple[str, ...],
) -> None:
    found = one(
        tmp_path,
        TALK,
        "grader: 'tool:vale', severity-map: {fatal: error, suggestion: notice}",
        bench=Bench(grader=Checker(*said)),
    )

    assert outcome(found) == expected
    assert graded.notices(found) == noted


def test_a_checker_needs_the_same_grant_as_a_command(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        TALK,
        "grader: 'tool:vale'",
        bench=Bench(grader=Checker(), refused="not here"),
    )

    assert (outcome(found), words(found)) == ("withheld", "not here")


def test_severity_and_weight_change_no_outcome(tmp_path: Path) -> None:
    for severity in Severity:
        found = changed(
            tmp_path,
            lambda declared, severity=severity: replace(  # type: ignore[misc]
                declared, options={"max": 0}, severity=severity, weight=0.01
            ),
        )
        assert outcome(found) == "fail"


def test_a_grade_as_a_run_keeps_outcome_reason_and_notices() -> None:
    grade = Grade(
        outcome=Outcome.NEEDS_REVIEW,
        reason="waits",
        notices=("a",),
        review="sha256-1",
        opinions=(graded.opinion("partial"), graded.opinion("fail")),
    )

    run = grading.as_run(grade, duration_s=2.0)

    assert (run.outcome, run.reason, run.notices) == (Outcome.NEEDS_REVIEW, "waits", ("a",))
    assert (run.votes, run.review, run.duration_s) == ((0.5, 0.0), "sha256-1", 2.0)


def test_a_failure_as_a_run_is_an_error() -> None:
    failure = Failure(error_class=ErrorClass.TIMEOUT, message="late")

    run = grading.as_run(failure)

    assert (run.outcome, run.error, run.reason) == (Outcome.ERROR, failure, "late")
