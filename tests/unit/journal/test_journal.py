"""What a journal keeps, for whom, and what it makes of a file that something happened to."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import journal
from mergebar.journal import Journal, Kept, entries
from mergebar.model.conversations import Answer, Citation, Failure, Usage
from mergebar.model.plans import Skip, Withholding
from mergebar.model.results import AskedTurn, Outcome, RunResult
from mergebar.model.text import Json
from support.builders import failure

TURN = AskedTurn(
    answer=Answer(
        response="Ünder \U0001f600",
        conversation_id="c",
        citations=(Citation(index=1, text="x"),),
        diagnostics={"a": [1, None]},
        tool_calls=({"name": "t"},),
        usage=Usage(input_tokens=3, cost_usd=0.5),
    ),
    duration_s=1.25,
)
RUN = RunResult(
    outcome=Outcome.FAIL,
    score=2.5,
    threshold=3,
    reason="because\nof that",
    votes=(2.0, 3.0),
    record={"score": 2.5, "deep": {"a": [True, None]}},
    usage=Usage(output_tokens=7),
    duration_s=0.5,
    cached=True,
    notices=("so",),
    review="abc",
    look="at this",
    quotes=False,
)
WITHHELD = Withholding(kind=Skip.WITHHELD, reason="not used")


def opened(
    path: Path, plan: str = "p", *, at: float = 1000.0, anew: bool = False, hidden: str = "\0"
) -> Journal:
    found = journal.start(
        path,
        plan,
        anew=anew,
        redact=lambda text: text.replace(hidden, "***"),
        clock=lambda: 0.0,
        now=lambda: at,
    )
    assert found is not None
    return found


def written(path: Path) -> None:
    book = opened(path)
    book.add_turn(("s", "c", 0, 1), TURN)
    book.add_check(("s::c", 0), Kept(result=RUN, judge_calls=2, cache_hits=1))
    book.add_check(("s::d", 0), Kept(result=WITHHELD))
    book.close()


def test_what_was_measured_comes_back_as_it_was(tmp_path: Path) -> None:
    written(tmp_path / "out" / "journal.jsonl")

    book = opened(tmp_path / "out" / "journal.jsonl")

    assert book.turns == {("s", "c", 0, 1): TURN}
    assert book.checks == {
        ("s::c", 0): Kept(result=RUN, judge_calls=2, cache_hits=1),
        ("s::d", 0): Kept(result=WITHHELD),
    }
    assert (tmp_path / "out" / "journal.jsonl").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("plan", "at", "anew"),
    [("q", 1000.0, False), ("p", 90_000.0, False), ("p", 900.0, False), ("p", 1000.0, True)],
)
def test_another_plan_another_day_or_a_wish_starts_anew(
    tmp_path: Path,
    plan: str,
    at: float,
    anew: bool,  # noqa: FBT001 - a column of the table
) -> None:
    path = tmp_path / "journal.jsonl"
    written(path)

    book = opened(path, plan, at=at, anew=anew)
    assert (book.turns, book.checks) == ({}, {})
    book.add_turn(("s", "c", 0, 0), TURN)
    book.close()

    assert list(opened(path, plan, at=at).turns) == [("s", "c", 0, 0)]


def test_what_failed_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    book = opened(path)
    book.add_turn(("s", "c", 0, 0), AskedTurn(answer=failure()))
    book.add_turn(("s", "c", 0, 0), AskedTurn(answer=None))
    error = RunResult(outcome=Outcome.ERROR, reason="x", error=failure())
    book.add_check(("s::c", 0), Kept(result=error))
    book.close()

    again = opened(path)
    assert (again.turns, again.checks) == ({}, {})


def test_what_holds_a_secret_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    book = opened(path, hidden="hunter2!")
    answer = Answer(response="it is hunter2!")
    book.add_turn(("s", "c", 0, 0), AskedTurn(answer=answer))
    book.add_check(("s::c", 0), Kept(result=replace(RUN, reason="saw hunter2!")))
    book.add_check(("s::d", 0), Kept(result=RUN))
    book.close()

    assert b"hunter2!" not in path.read_bytes()
    assert list(opened(path).checks) == [("s::d", 0)]


def test_one_process_at_a_time_has_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first = opened(path)

    assert _started(path) is None
    first.close()
    assert _started(path) is not None


def test_a_link_or_a_folder_in_its_place_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "folder").mkdir()

    assert _started(tmp_path / "link") is None
    assert _started(tmp_path / "folder") is None
    assert (tmp_path / "target").read_text() == "mine"


def test_it_is_gone_when_the_run_is_complete(tmp_path: Path) -> None:
    book = opened(tmp_path / "journal.jsonl")
    book.remove()
    book.remove()
    book.add_check(("s::c", 0), Kept(result=RUN))

    assert list(tmp_path.iterdir()) == []


def _started(path: Path) -> Journal | None:
    return journal.start(path, "p", anew=False, redact=str, clock=lambda: 0.0, now=lambda: 1000.0)


@given(cut=st.integers(0, 2000), noise=st.binary(max_size=12))
def test_a_torn_or_scribbled_file_gives_what_is_whole_and_takes_more(
    tmp_path_factory: pytest.TempPathFactory, cut: int, noise: bytes
) -> None:
    path = tmp_path_factory.mktemp("torn") / "journal.jsonl"
    written(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut] + noise)

    book = opened(path)
    assert all(turn == TURN for turn in book.turns.values())
    assert all(kept.result in (RUN, WITHHELD) for kept in book.checks.values())
    book.add_check(("later", 0), Kept(result=RUN))
    book.close()

    again = opened(path)
    assert {*book.checks, ("later", 0)} == {*again.checks}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


KEYS = st.sampled_from(["turn", "check", "answer", "result", "skip"])


@given(KEYS, JSON, KEYS, JSON)
def test_no_line_crashes_the_reader(one: str, this: Json, other: str, that: Json) -> None:
    value: dict[str, Json] = {one: this, other: that}

    assert entries.read_turn(value) is None
    assert entries.read_check(value) is None


def test_a_failure_is_no_answer_of_a_journal() -> None:
    line: dict[str, Json] = {
        "turn": ["s", "c", 0, 0],
        "answer": {"error": {"message": "x"}},
        "duration_s": 1,
    }

    assert entries.read_turn(line) is None
    assert isinstance(failure(), Failure)
