"""The file of a recording: what it may hold, and how it is written."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar import recordings
from mergebar.model.conversations import Answer, Citation, ErrorClass, Failure, Usage
from mergebar.model.judgements import Match
from mergebar.model.problems import Problem
from mergebar.recordings import RecordedAnswer, RecordedOpinion, RecordedVerdict, Recording

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COUNT = st.integers(0, 3)
DIGEST = st.none() | st.just("ab" * 32)
ANSWER = st.builds(
    Answer,
    response=TEXT,
    conversation_id=st.none() | TEXT,
    citations=st.lists(st.builds(Citation, index=COUNT, text=st.none() | TEXT), max_size=2).map(
        tuple
    ),
    diagnostics=st.none() | st.dictionaries(TEXT, st.integers() | TEXT, max_size=2),
    tool_calls=st.none() | st.lists(st.dictionaries(TEXT, TEXT, max_size=1), max_size=2).map(tuple),
    usage=st.builds(Usage, input_tokens=st.none() | COUNT, cost_usd=st.none() | st.floats(0, 9)),
)
SAID = ANSWER | st.builds(Failure, error_class=st.sampled_from(ErrorClass), message=TEXT)
RECORDING = st.builds(
    Recording,
    note=TEXT,
    answers=st.lists(
        st.builds(RecordedAnswer, case=TEXT, turn=COUNT, run=COUNT, digest=DIGEST, answer=SAID),
        max_size=4,
        unique_by=lambda entry: entry.key,
    ).map(tuple),
    verdicts=st.lists(
        st.builds(
            RecordedVerdict,
            case=TEXT,
            turn=COUNT,
            evaluator=TEXT,
            run=COUNT,
            vote=COUNT,
            digest=DIGEST,
            score=st.floats(1, 5),
            reason=TEXT,
        ),
        max_size=4,
        unique_by=lambda entry: entry.key,
    ).map(tuple),
    opinions=st.lists(
        st.builds(
            RecordedOpinion,
            case=TEXT,
            eval=TEXT,
            vote=COUNT,
            digest=DIGEST,
            match=st.sampled_from(Match),
            confidence=st.floats(0, 1),
            observed=TEXT,
            reason=TEXT,
        ),
        max_size=4,
        unique_by=lambda entry: entry.key,
    ).map(tuple),
)


def load(value: object) -> Recording | Problem:
    return recordings.load(json.dumps(value).encode(), "r.json")


def problem(value: object) -> str:
    result = load(value)
    assert isinstance(result, Problem), result
    assert result.path == "r.json"
    return result.message


ENTRY = {"case": "k", "turn": 0, "run": 0, "digest": None, "answer": {"response": "x"}}
VOTE = {
    "case": "k",
    "turn": 0,
    "evaluator": "Relevance",
    "run": 0,
    "vote": 0,
    "digest": None,
    "score": 4,
    "reason": "fine",
}


def recording(**keys: object) -> dict[str, object]:
    return {"schema": "mergebar.recording/1", "note": "by hand", "answers": [], **keys}


@settings(max_examples=40)
@given(RECORDING)
def test_what_is_written_reads_the_same(written: Recording) -> None:
    data = recordings.dump(written)
    read = recordings.load(data, "r.json")

    assert isinstance(read, Recording)
    assert list(read.answers) == sorted(written.answers, key=lambda entry: entry.key)
    assert list(read.verdicts) == sorted(written.verdicts, key=lambda entry: entry.key)
    assert recordings.dump(read) == data


def test_the_format_is_the_contract_s() -> None:
    entry = RecordedAnswer(case="k", turn=0, run=1, digest="d", answer=Answer(response="é"))
    vote = RecordedVerdict(
        case="k", turn=0, evaluator="E", run=0, vote=2, digest=None, score=4.0, reason="r"
    )

    text = recordings.dump(Recording(note="n", answers=(entry,), verdicts=(vote,))).decode()

    assert json.loads(text) == {
        "schema": "mergebar.recording/1",
        "note": "n",
        "answers": [{"case": "k", "turn": 0, "run": 1, "digest": "d", "answer": {"response": "é"}}],
        "verdicts": [
            {
                "case": "k",
                "turn": 0,
                "evaluator": "E",
                "run": 0,
                "vote": 2,
                "digest": None,
                "score": 4,
                "reason": "r",
            }
        ],
    }
    assert "é" in text
    assert text.endswith("}\n")


def test_entries_are_sorted_by_their_keys() -> None:
    entries = [
        {**ENTRY, "case": case, "turn": turn} for case, turn in [("b", 0), ("a", 10), ("a", 9)]
    ]

    read = load(recording(answers=entries))

    assert isinstance(read, Recording)
    assert [entry.key for entry in read.answers] == [("a", 9, 0), ("a", 10, 0), ("b", 0, 0)]


def test_a_recorded_error_is_a_failure() -> None:
    said = {"error": {"class": "throttled", "message": "slow down"}}

    read = load(recording(answers=[{**ENTRY, "answer": said}]))

    assert isinstance(read, Recording)
    assert isinstance(read.answers[0].answer, Failure)
    assert read.answers[0].answer.error_class is ErrorClass.THROTTLED


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "is a list, not an object"),
        ({}, "`schema` is missing"),
        ({"schema": "mergebar.recording/2"}, "`schema` must be 'mergebar.recording/1'"),
        (recording(extra=1), "`extra` is not a known key"),
        (recording(answers=[{**ENTRY, "turn": "0"}]), "`answers[0].turn` must be a whole number"),
        (recording(answers=[{**ENTRY, "run": -1}]), "`answers[0].run` must not be below 0"),
        (recording(answers=[{**ENTRY, "answer": {}}]), "`answers[0].answer` gave a reply in which"),
        (recording(answers=[{**ENTRY, "answer": {"error": {}}}]), "`error.message` is missing"),
        (recording(answers=[ENTRY, ENTRY]), "two entries for `k` `0` `0`"),
        (recording(verdicts=[{**VOTE, "score": 7}]), "`verdicts[0].score` must not be above 5"),
        (recording(verdicts=[{**VOTE, "score": True}]), "`verdicts[0].score` must be a number"),
        (recording(verdicts=[{**VOTE, "score": "4"}]), "`verdicts[0].score` must be a number"),
    ],
)
def test_what_is_no_recording_is_named(value: object, said: str) -> None:
    assert said in problem(value)


def test_a_syntax_error_has_its_place() -> None:
    result = recordings.load(b'{\n  "schema": oops\n}', "r.json")

    assert isinstance(result, Problem)
    assert (result.line, result.column) == (2, 13)


@given(st.binary(max_size=60))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    assert isinstance(recordings.load(data, "r.json"), Problem)


def test_the_new_word_wins_and_the_old_ones_stay() -> None:
    def one(case: str, text: str) -> RecordedAnswer:
        return RecordedAnswer(case=case, turn=0, run=0, digest=None, answer=Answer(response=text))

    old = Recording(note="old", answers=(one("a", "1"), one("b", "1")))
    new = Recording(note="new", answers=(one("b", "2"), one("c", "2")))

    merged = recordings.merged(old, new)

    assert merged.answers == (one("a", "1"), one("b", "2"), one("c", "2"))
    assert merged.note == "old"


def test_a_recording_stands_at_the_path_of_its_suite() -> None:
    assert Path(recordings.path_of("evals/hr.json")) == Path("evals/hr.json.json")
