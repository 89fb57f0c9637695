"""`ai`: what the judge is shown and asked, and what its votes come to."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mergebar.graders import claims, polling
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.documents import Severity
from mergebar.model.gradings import Grade, Zone
from mergebar.model.judgements import Claim
from support import traces
from support.graded import Arbiter, Bench, Found, grade, notices, one, opinion, outcome, read, words
from support.scripted import ScriptedJudge

TALK = traces.chained([
    traces.said("mend the pipe"),
    traces.replied(traces.call("Bash", "k1", command="make test")),
    traces.said([traces.result("k1", "boom: no rule", error=True)]),
    traces.replied(traces.call("Write", "k2", file_path=f"{traces.CWD}/out.md", content="x")),
    traces.said([traces.result("k2", "quiet-result")]),
    traces.replied(traces.text("It is mended.")),
])  # fmt: skip
LATE = Failure(error_class=ErrorClass.THROTTLED, message="the judge takes no more calls")


def judged(root: Path, *script: object, eval_: str = "assertion: It is nice.") -> Found:
    judge = Arbiter(script=list(script))  # type: ignore[arg-type]
    return one(root, TALK, eval_, bench=Bench(judge=judge))


def claim(root: Path, eval_: str, *, body: str = "Mend the leak.\n") -> Claim:
    """What the judge was shown."""
    judge = Arbiter()
    grade(root, TALK, f"- {{id: one, {eval_}}}", body=body, bench=Bench(judge=judge))
    return judge.asked[0].claim


OUTCOMES = [
    ([opinion("pass")], "pass", "3 pass (confidence 0.90)"),
    ([opinion("fail")], "fail", "3 fail"),
    ([opinion("partial")], "fail", "3 partial"),
    ([opinion("pass", 0.97), opinion("pass", 0.97), opinion("fail")], "needs-review", "2 pass"),
    ([opinion("pass", 0.79)], "needs-review", "confidence 0.79"),
    ([LATE, opinion("pass", 0.95)], "needs-review", "2 pass, 1 no vote"),
    ([LATE], "error", "none of 3 votes came: the judge takes no more calls"),
]


@pytest.mark.parametrize(("script", "expected", "said"), OUTCOMES)
def test_the_votes_decide_or_wait_for_a_person(
    tmp_path: Path, script: list[object], expected: str, said: str
) -> None:
    found = judged(tmp_path, *script)

    assert outcome(found) == expected
    assert said in words(found)


def test_a_warning_that_fails_has_failed(tmp_path: Path) -> None:
    assert outcome(judged(tmp_path, opinion("fail"), eval_="assertion: A., severity: warning")) == (
        "fail"
    )


def test_an_eval_says_how_often_and_whom_to_ask(tmp_path: Path) -> None:
    judge = Arbiter()

    one(tmp_path, TALK, "assertion: A., runs: 5, model: judge-9", bench=Bench(judge=judge))

    assert [inquiry.vote for inquiry in judge.asked] == [0, 1, 2, 3, 4]
    assert {inquiry.model for inquiry in judge.asked} == {"judge-9"}


def test_what_waits_says_what_to_look_at_and_has_a_digest(tmp_path: Path) -> None:
    found = judged(tmp_path, opinion("pass", 0.5), eval_="assertion: It is nice.")

    assert isinstance(found, Grade)
    assert found.consensus is not None
    assert found.consensus.zone is Zone.REVIEW
    assert found.review is not None
    assert found.review.startswith("sha256-")
    assert found.look == "the session in `trace.jsonl`: It is nice."


def digest(root: Path, evals: str, records: list[traces.Record], **more: str) -> str | None:
    bench = Bench(judge=Arbiter(script=[opinion("pass", 0.5)]))
    found = grade(root, records, evals, bench=bench, **more)["one"]
    assert isinstance(found, Grade)
    return found.review


def test_the_digest_changes_with_the_eval_the_body_and_the_session_and_nothing_else(
    tmp_path: Path,
) -> None:
    eval_ = "- {id: one, assertion: It is nice.}"
    first = digest(tmp_path, eval_, TALK)

    assert digest(tmp_path, eval_, TALK) == first
    assert digest(tmp_path, eval_ + "\n- {id: two, assertion: B.}", TALK) == first
    assert digest(tmp_path, "- {id: one, assertion: It is nice., severity: notice}", TALK) == first
    assert digest(tmp_path, "- {id: one, assertion: It is nicer.}", TALK) != first
    assert digest(tmp_path, eval_, TALK, body="Another text.\n") != first
    assert (
        digest(
            tmp_path,
            eval_,
            [*TALK[:-1], *traces.chained([traces.replied(traces.text("Bah."))], start=90)],
        )
        != first
    )


@pytest.mark.parametrize("target", ["", ", target: last-message"])
def test_a_review_holds_wherever_the_folder_of_the_session_lay(tmp_path: Path, target: str) -> None:
    def session(cwd: str, file: str) -> list[traces.Record]:
        wrote = traces.replied(traces.call("Write", "t", file_path=f"{cwd}/{file}"))
        said = traces.replied(traces.text(f"It is in {cwd}/{file}."))
        records = [traces.said("Go."), wrote, traces.said([traces.result("t")]), said]
        return traces.chained([{**record, "cwd": cwd} for record in records])

    eval_ = f"- {{id: one, assertion: It is nice.{target}}}"
    here = digest(tmp_path, eval_, session("/srv/copy-1/shop", "a.md"))

    assert digest(tmp_path, eval_, session("/srv/copy-2/shop", "a.md")) == here
    assert digest(tmp_path, eval_, session("/srv/copy-2/shop", "b.md")) != here


def called(
    *, last: str = "Thank you.", name: str = "Edit", file: str = "a.txt"
) -> list[traces.Record]:
    """A session that leaves the window of `mend` before it ends."""
    return traces.chained([
        traces.said("Please."),
        traces.replied(traces.call("Skill", "t1", skill="mend")),
        traces.said([traces.result("t1")]),
        traces.replied(traces.call(name, "t2", file_path=f"{traces.CWD}/{file}", note="x")),
        traces.said([traces.result("t2")]),
        traces.replied(traces.call("Skill", "t3", skill="paint")),
        traces.said([traces.result("t3")]),
        traces.replied(traces.text(last)),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("target", "counts"),
    [
        ("transcript", {"name", "file"}),
        ("last-message", {"name", "file", "last"}),
        ("files", {"name", "file"}),
        ("artifact", {"name", "file"}),
    ],
)
@pytest.mark.parametrize("grader", ["ai", "human"])
def test_a_digest_covers_what_the_target_shows_also_outside_of_the_window(
    tmp_path: Path, grader: str, target: str, counts: set[str]
) -> None:
    eval_ = f"- {{id: one, assertion: It is nice., grader: {grader}, target: {target}}}"

    def seen(**other: str) -> str | None:
        return digest(tmp_path, eval_, called(**other), path=".claude/skills/mend/SKILL.md")

    first = seen()

    assert first is not None
    assert seen() == first
    others = {"last": "Go away.", "name": "Write", "file": "b.txt"}
    assert {key for key, value in others.items() if seen(**{key: value}) != first} == counts


def test_the_judge_is_shown_the_session_and_the_artifact_without_its_evals(tmp_path: Path) -> None:
    shown = claim(
        tmp_path,
        "assertion: It is nice., evidence: the end, examples: {pass: good, fail: [bad, worse]}",
    )

    assert shown.assertion == "It is nice."
    assert (shown.evidence, shown.passing, shown.failing) == (
        "the end",
        ("good",),
        ("bad", "worse"),
    )
    assert shown.artifact is not None
    assert "Mend the leak." in shown.artifact
    assert "evals" not in shown.artifact
    assert "nice" not in shown.artifact
    assert (shown.artifact_type, shown.target) == ("project-rules", "transcript")


def test_the_transcript_tells_what_was_said_and_called_and_of_results_failures_only(
    tmp_path: Path,
) -> None:
    content = claim(tmp_path, "assertion: A.").content

    assert "user: mend the pipe" in content
    assert 'tool Bash: {"command":"make test"}\n  error: boom: no rule' in content
    assert "agent: It is mended." in content
    assert "quiet-result" not in content
    assert "models: claude-test-1" in content
    assert "6 of 6 events, 1 turn" in content


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ("last-message", "It is mended."),
        ("files", "out.md"),
        ("{source: file, path: note.md}", "a note"),
    ],
)
def test_other_targets_are_shown_in_place_of_the_transcript(
    tmp_path: Path, target: str, content: str
) -> None:
    (tmp_path / "note.md").write_text("a note")

    shown = claim(tmp_path, f"assertion: A., target: {target}")

    assert shown.content == content
    assert shown.artifact is not None


def test_an_artifact_as_target_is_shown_once(tmp_path: Path) -> None:
    shown = claim(tmp_path, "assertion: A., target: artifact")

    assert "Mend the leak." in shown.content
    assert "evals" not in shown.content
    assert shown.artifact is None


def test_a_long_artifact_is_cut_and_said_to_be(tmp_path: Path) -> None:
    judge = Arbiter()
    found = grade(
        tmp_path, TALK, "- {id: one, assertion: A.}", body="x" * 9000, bench=Bench(judge=judge)
    )["one"]

    shown = judge.asked[0].claim.artifact
    assert shown is not None
    assert len(shown) == claims.ARTIFACT_LIMIT
    assert any("8,000" in note for note in notices(found))


def test_without_a_judge_it_is_an_error(tmp_path: Path) -> None:
    found = one(tmp_path, TALK, "assertion: A.")

    assert isinstance(found, Failure)
    assert "no judge is configured" in found.message


def test_a_judge_that_can_not_vote_on_assertions_is_an_error(tmp_path: Path) -> None:
    artifact = read(tmp_path, "- {id: one, assertion: A.}")
    ask = polling.ask(ScriptedJudge(), artifact.evals[0], suite="s", case="c")
    shown = Claim(
        assertion="a", target="transcript", content="c", artifact_type="t", artifact_name="n"
    )

    async def asked() -> Sequence[object]:
        return await ask(shown, 1)

    (said,) = asyncio.run(asked())

    assert isinstance(said, Failure)
    assert "can't judge `ai` evals" in said.message


@pytest.mark.parametrize(
    ("provider", "expected"), [("scripted", "pass"), ("auto", "pass"), ("other", "error")]
)
def test_an_eval_that_wants_another_judge_is_an_error(
    tmp_path: Path, provider: str, expected: str
) -> None:
    found = judged(tmp_path, opinion(), eval_=f"assertion: A., provider: {provider}")

    assert outcome(found) == expected


def test_a_file_that_is_missing_is_an_error_before_anybody_is_asked(tmp_path: Path) -> None:
    judge = Arbiter()

    found = one(
        tmp_path,
        TALK,
        "assertion: A., target: {source: file, path: none.md}",
        bench=Bench(judge=judge),
    )

    assert outcome(found) == "error"
    assert judge.asked == []


def test_severity_is_nothing_to_the_judge(tmp_path: Path) -> None:
    judge = Arbiter()
    for severity in Severity:
        eval_ = f"assertion: A., severity: {severity.value}"
        one(tmp_path, TALK, eval_, bench=Bench(judge=judge))

    assert len({repr(inquiry.claim) for inquiry in judge.asked}) == 1


SECRET = "hunter2-hunter2-hunter2"  # noqa: S105 - made up
PLACES = {
    "a prompt": [traces.said(f"the key is {SECRET}")],
    "a message": [traces.replied(traces.text("x" * 1990 + SECRET))],
    "an argument": [traces.replied(traces.call("Bash", "k9", command="y" * 480 + SECRET))],
    "a failure": [
        traces.replied(traces.call("Bash", "k9", command="z")),
        traces.said([traces.result("k9", "z" * 190 + SECRET, error=True)]),
    ],
}


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_taken_out_before_anything_is_cut(tmp_path: Path, place: str) -> None:
    judge = Arbiter()
    records = traces.chained([traces.said("go"), *PLACES[place], traces.replied(traces.text("k"))])

    one(tmp_path, records, "assertion: A.", bench=Bench(judge=judge, secrets=(SECRET,)))

    assert "hunter" not in judge.asked[0].claim.content


@pytest.mark.parametrize(
    "eval_",
    [
        f"assertion: no {SECRET} in it",
        f"assertion: A., evidence: {SECRET}",
        f"assertion: A., examples: {{pass: {SECRET}, fail: {SECRET}}}",
        "assertion: A., target: {source: file, path: note.md}",
        "assertion: A., target: artifact",
    ],
)
def test_a_secret_is_taken_out_of_all_that_the_judge_reads(tmp_path: Path, eval_: str) -> None:
    (tmp_path / "note.md").write_text(SECRET)
    judge = Arbiter()

    grade(
        tmp_path,
        TALK,
        f"- {{id: one, {eval_}}}",
        body=f"Use {SECRET}.\n",
        bench=Bench(judge=judge, secrets=(SECRET,)),
    )

    assert "hunter" not in repr(judge.asked[0].claim)


def test_a_secret_that_the_judge_quotes_is_not_in_the_reason(tmp_path: Path) -> None:
    judge = Arbiter(script=[opinion("fail", 0.9, f"it prints {SECRET}")])

    found = one(tmp_path, TALK, "assertion: A.", bench=Bench(judge=judge, secrets=(SECRET,)))

    assert "hunter" not in repr((words(found), notices(found)))


def test_a_model_that_judges_itself_is_pointed_out_and_changes_nothing(tmp_path: Path) -> None:
    judge = Arbiter(model="anthropic:claude-test-1-20260101")

    found = one(tmp_path, TALK, "assertion: A.", bench=Bench(judge=judge))

    assert outcome(found) == "pass"
    assert any("a model tends to prefer its own work" in note for note in notices(found))


def test_an_eval_that_the_judge_wrote_is_pointed_out(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        TALK,
        "assertion: A.",
        bench=Bench(judge=Arbiter(), change=lambda eval_: replace(eval_, provenance=("judge-1",))),
    )

    assert any("`judge-1` wrote and nobody has reviewed" in note for note in notices(found))
