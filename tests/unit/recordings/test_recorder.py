"""Recording what was said, and playing it back."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from mergebar import recordings
from mergebar.model.conversations import (
    Answer,
    Citation,
    ErrorClass,
    Exchange,
    Failure,
    Noting,
    Question,
)
from mergebar.model.judgements import (
    Assessment,
    Inquiry,
    JudgeIdentity,
    Match,
    Opinion,
    Verdict,
)
from mergebar.recordings import Playback, Recorder, RecordingAgent, RecordingJudge
from mergebar.untrusted.redaction import Redactor
from support import agents, judge_server
from support.scripted import ScriptedJudge

FILE = "recordings/evals/hr.json.json"

Ask: TypeAlias = Callable[[Question], Awaitable[Answer | Failure]]
Assess: TypeAlias = Callable[[Assessment], Awaitable[Verdict | Failure]]


class Parrot:
    """An agent that repeats, but for the prompt `fail`."""

    notes = ("squawk",)

    async def ask(self, question: Question, /) -> Answer | Failure:
        if question.prompt == "fail":
            return Failure(error_class=ErrorClass.TIMEOUT, message="asleep")
        return Answer(response=question.prompt.upper())

    async def aclose(self) -> None:
        self.notes = ("closed",)


class Generous:
    """A judge that likes everything."""

    identity = JudgeIdentity(provider="generous")

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        return Verdict(score=5.0, reason=f"I like {assessment.material.response}")

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        reason = f"I like {inquiry.claim.content}"
        return Opinion(match=Match.PASS, confidence=1.0, observed="all of it", reason=reason)

    async def aclose(self) -> None:
        pass


def record(
    root: Path,
    *questions: Question,
    votes: tuple[Assessment, ...] = (),
    inquiries: tuple[Inquiry, ...] = (),
) -> Recorder:
    recorder = Recorder(root, "recordings")
    agent, judge = RecordingAgent(Parrot(), recorder), RecordingJudge(Generous(), recorder)

    async def all_of_it() -> None:
        for question in questions:
            await agent.ask(question)
        for vote in votes:
            await judge.assess(vote)
        for inquiry in inquiries:
            await judge.verify(inquiry)

    asyncio.run(all_of_it())
    return recorder


def test_what_was_recorded_is_played_back(tmp_path: Path) -> None:
    question, vote = agents.question("hello"), judge_server.assessment("HELLO")

    assert record(tmp_path, question, votes=(vote,)).flush() == ()

    playback = Playback(tmp_path, "recordings")
    assert playback.answer(question) == Answer(response="HELLO")
    assert playback.verdict(vote) == Verdict(score=5.0, reason="I like HELLO")
    assert playback.notes == ()


def test_opinions_are_played_back_for_what_they_were_about(tmp_path: Path) -> None:
    inquiry = judge_server.inquiry("It is mended.")

    assert record(tmp_path, inquiries=(inquiry,)).flush() == ()

    playback = Playback(tmp_path, "recordings")
    said = playback.opinion(inquiry)
    assert isinstance(said, Opinion)
    assert (said.match, said.reason) == (Match.PASS, "I like It is mended.")
    other = missing(playback.opinion(judge_server.inquiry("Another session.")))
    assert "was recorded for another session, artifact or assertion" in other
    none = missing(playback.opinion(judge_server.inquiry("It is mended.", vote=1)))
    assert "holds no opinion on `dry` for session `trace.jsonl`, vote 1" in none


def test_recording_opinions_keeps_what_else_was_recorded(tmp_path: Path) -> None:
    vote = judge_server.assessment("HELLO")
    inquiry = replace(judge_server.inquiry(), suite=vote.suite)
    record(tmp_path, votes=(vote,)).flush()

    record(tmp_path, inquiries=(inquiry,)).flush()

    playback = Playback(tmp_path, "recordings")
    assert isinstance(playback.verdict(vote), Verdict)
    assert isinstance(playback.opinion(inquiry), Opinion)


def test_a_judge_that_has_no_opinions_is_a_failure(tmp_path: Path) -> None:
    judge = RecordingJudge(ScriptedJudge(), Recorder(tmp_path, "recordings"))

    said = asyncio.run(judge.verify(judge_server.inquiry()))

    assert isinstance(said, Failure)
    assert "can't judge `ai` evals" in said.message


def test_a_failure_is_not_recorded(tmp_path: Path) -> None:
    record(tmp_path, agents.question("fail")).flush()

    assert not (tmp_path / FILE).exists()


def test_recording_again_changes_only_what_was_said_again(tmp_path: Path) -> None:
    record(tmp_path, agents.question("a", case="a"), agents.question("b", case="b")).flush()
    first = (tmp_path / FILE).read_bytes()

    record(tmp_path, agents.question("b", case="b")).flush()
    same = (tmp_path / FILE).read_bytes()
    record(tmp_path, agents.question("new", case="b")).flush()

    assert same == first
    playback = Playback(tmp_path, "recordings")
    assert playback.answer(agents.question("a", case="a")) == Answer(response="A")
    assert playback.answer(agents.question("new", case="b")) == Answer(response="NEW")


def test_a_file_that_is_no_recording_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text("my notes")

    (problem,) = record(tmp_path, agents.question()).flush()

    assert (problem.path, problem.line) == (FILE, 1)
    assert "nothing was recorded over it" in problem.message
    assert (tmp_path / FILE).read_text() == "my notes"


def test_a_folder_that_can_not_be_made_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "recordings").write_text("a file")

    (problem,) = record(tmp_path, agents.question()).flush()

    assert "can't be written" in problem.message


def test_a_link_out_of_the_working_directory_is_not_followed(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (root / "recordings").symlink_to(elsewhere)

    (problem,) = record(root, agents.question()).flush()

    assert "outside the working directory" in problem.message
    assert list(elsewhere.iterdir()) == []


def test_no_temporary_file_is_left(tmp_path: Path) -> None:
    record(tmp_path, agents.question()).flush()

    assert [path.name for path in (tmp_path / FILE).parent.iterdir()] == ["hr.json.json"]


def test_a_wrapped_agent_keeps_its_notes_and_is_closed(tmp_path: Path) -> None:
    parrot = Parrot()
    agent = RecordingAgent(parrot, Recorder(tmp_path, "recordings"))

    assert isinstance(agent, Noting)
    assert agent.notes == ("squawk",)
    asyncio.run(agent.aclose())
    assert parrot.notes == ("closed",)


def missing(result: object) -> str:
    assert isinstance(result, Failure), result
    assert result.error_class is ErrorClass.CONFIG
    assert "record it again" in result.message
    return result.message


def test_no_file_is_a_failure_that_says_what_to_do(tmp_path: Path) -> None:
    message = missing(Playback(tmp_path, "recordings").answer(agents.question()))

    assert "`recordings/evals/hr.json.json` does not exist" in message


def test_a_turn_that_was_not_recorded_is_named(tmp_path: Path) -> None:
    record(tmp_path, agents.question("hello"), votes=(judge_server.assessment(),)).flush()
    playback = Playback(tmp_path, "recordings")

    assert "no answer for case `reset`, turn 1, run 0" in missing(
        playback.answer(agents.question("hello", turn=1))
    )
    assert "no answer for case `reset`, turn 0, run 1" in missing(
        playback.answer(agents.question("hello", run=1))
    )
    assert "no verdict of Coherence for case `reset`" in missing(
        playback.verdict(judge_server.assessment(evaluator="Coherence"))
    )
    assert "vote 1" in missing(playback.verdict(judge_server.assessment(vote=1)))


def test_an_answer_to_another_prompt_or_history_is_not_played_back(tmp_path: Path) -> None:
    record(tmp_path, agents.question("hello")).flush()
    playback = Playback(tmp_path, "recordings")
    history = (Exchange(prompt="Hi", response="Hello"),)

    missing(playback.answer(agents.question("hullo")))
    missing(playback.answer(agents.question("hello", history=history)))


def test_a_verdict_on_another_response_or_other_options_is_not_played_back(tmp_path: Path) -> None:
    record(tmp_path, votes=(judge_server.assessment("one"),)).flush()
    playback = Playback(tmp_path, "recordings")

    assert isinstance(playback.verdict(judge_server.assessment("one")), Verdict)
    missing(playback.verdict(judge_server.assessment("two")))
    missing(playback.verdict(judge_server.assessment("one", options={"strict": True})))


def test_what_was_written_by_hand_fits_any_prompt_and_is_noted_once(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    entry = {"case": "reset", "turn": 0, "run": 0, "digest": None, "answer": {"response": "x"}}
    value = {"schema": "mergebar.recording/1", "note": "by hand", "answers": [entry]}
    (tmp_path / FILE).write_text(json.dumps(value))
    playback = Playback(tmp_path, "recordings/")

    before = playback.notes
    assert playback.answer(agents.question("any")) == Answer(response="x")
    assert playback.answer(agents.question("other")) == Answer(response="x")
    (note,) = playback.notes
    assert before == ()
    assert "`recordings` holds recordings written by hand" in note


def test_a_broken_file_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text("{oops")

    message = missing(Playback(tmp_path, "recordings").answer(agents.question()))

    assert f"`{FILE}:1:2`: the recording is not JSON" in message


def test_a_suite_path_does_not_lead_out_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(recordings.dump(recordings.Recording()))
    root = tmp_path / "root"
    root.mkdir()

    result = Playback(root, "..").answer(agents.question())

    assert "lies outside" in missing(result)


KEY = "s3cr3t/of=an-endpoint"
SHAPED = "ghp_" + "a1B2" * 9


class Leaky:
    """Whoever gets a key and repeats it, wherever there is room for it."""

    notes = ()
    identity = JudgeIdentity(provider="leaky")

    async def ask(self, question: Question, /) -> Answer | Failure:
        return Answer(
            response=f"{question.prompt}: {KEY} {SHAPED}",
            conversation_id=KEY,
            citations=(Citation(index=1, text=KEY, source=f"https://a/?key={KEY}"),),
            diagnostics={KEY: [KEY, {"deep": KEY}]},
            tool_calls=({"name": "look", "arguments": {"key": KEY}},),
        )

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        return Verdict(score=5.0, reason=f"{KEY} in {assessment.case}")

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        reason = f"{KEY} in {inquiry.case}"
        return Opinion(match=Match.PASS, confidence=1, observed=KEY, reason=reason, claim=KEY)

    async def aclose(self) -> None:
        pass


def test_no_secret_is_recorded_and_what_is_recorded_is_played_back(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "recordings", Redactor([KEY]))
    agent, judge = RecordingAgent(Leaky(), recorder), RecordingJudge(Leaky(), recorder)
    playback = Playback(tmp_path, "recordings")

    def vote(history: tuple[Exchange, ...], response: str) -> Assessment:
        asked = judge_server.assessment(response)
        return replace(asked, material=replace(asked.material, history=history, context=response))

    async def thread(ask: Ask, assess: Assess) -> list[object]:
        """Two turns and a verdict, each with what was really said before."""
        first = await ask(agents.question("a"))
        assert isinstance(first, Answer)
        history = (Exchange(prompt="a", response=first.response),)
        second = await ask(agents.question("b", turn=1, history=history))
        assert isinstance(second, Answer)
        return [first, second, await assess(vote(history, second.response))]

    async def replayed(question: Question) -> Answer | Failure:
        return playback.answer(question)

    async def judged(assessment: Assessment) -> Verdict | Failure:
        return playback.verdict(assessment)

    asyncio.run(thread(agent.ask, judge.assess))
    asyncio.run(judge.verify(judge_server.inquiry()))
    assert recorder.flush() == ()

    written = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert len(written) == 2
    for text in written:
        assert "***" in text
        assert KEY not in text
        assert SHAPED not in text
    again = asyncio.run(thread(replayed, judged))
    assert [type(one) for one in again] == [Answer, Answer, Verdict]
    assert isinstance(playback.opinion(judge_server.inquiry()), Opinion)


def test_a_stored_response_with_a_token_in_it_is_judged_from_the_recording(tmp_path: Path) -> None:
    vote = judge_server.assessment(f"it is {SHAPED}")
    recorder = Recorder(tmp_path, "recordings")
    asyncio.run(RecordingJudge(Generous(), recorder).assess(vote))
    recorder.flush()

    assert isinstance(Playback(tmp_path, "recordings").verdict(vote), Verdict)
