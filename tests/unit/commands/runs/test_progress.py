"""What people see of a run while it lasts: a bar, lines in a log, or nothing."""

import asyncio
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mergebar import running
from mergebar.commands.runs import progress
from mergebar.commands.runs.progress import HEARTBEAT_S, Watching
from mergebar.judges import openai
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import Answer, Failure, Question, Throttled
from mergebar.running import Progress, RunOptions, SuiteProgress
from support import judge_server
from support.builders import case, failure, plan, planned_case, suite
from support.clocks import Clock
from support.judge_server import JudgeServer
from support.scripted import ScriptedAgent, ScriptedEvaluator

DONE = SuiteProgress(path="evals/a.json", done=3, failed=1, errors=1)
HALF = Progress(done=3, total=6, failed=1, errors=1, running=2, throttled=4)


class Terminal(io.StringIO):
    """Somebody sits there."""

    def isatty(self) -> bool:
        return True


def watch(
    stream: io.StringIO,
    clock: Clock,
    environ: Mapping[str, str] | None = None,
    *,
    quiet: bool = False,
) -> Watching:
    return progress.watching(
        stream,
        environ or {},
        quiet=quiet,
        clock=clock.timing.clock,
        sleep=clock.timing.sleep,
    )


def told(
    *steps: Progress, stream: io.StringIO | None = None, environ: Mapping[str, str] | None = None
) -> str:
    where = stream or io.StringIO()
    clock = Clock()
    watching = watch(where, clock, environ)
    clock.at += 65
    assert watching.tell is not None
    for step in steps:
        watching.tell(step)
    return where.getvalue()


def test_on_a_terminal_one_line_is_drawn_over_and_gone_at_the_end() -> None:
    seen = told(HALF, HALF, replace(HALF, done=6), stream=Terminal())

    assert seen == (
        "\r\x1b[2K████████████░░░░░░░░░░░░ 3 of 6 checks · 1 failed · 1 not measured · 2 running · "
        "4 throttled · 1 min 5 s\r\x1b[2K"
    )


def test_in_a_ci_there_is_a_line_for_each_finished_suite() -> None:
    seen = told(
        replace(HALF, done=2),
        replace(HALF, finished=DONE),
        replace(HALF, done=4, finished=SuiteProgress(path="b", done=1, failed=0, errors=0)),
        environ={"CI": "true"},
    )

    assert seen == (
        "evals/a.json: 3 checks, 1 failed, 1 not measured (3 of 6)\nb: 1 check (4 of 6)\n"
    )


def test_a_ci_hears_that_the_run_is_alive() -> None:
    seen = told(replace(HALF, beat=True), environ={"CI": "true"}, stream=Terminal())

    assert seen == (
        "still running after 1 min 5 s: 3 of 6 checks, 1 failed, 1 not measured, 2 running, "
        "4 throttled\n"
    )


@pytest.mark.parametrize(
    ("stream", "environ"),
    [(io.StringIO, {}), (io.StringIO, {"CI": "1"}), (Terminal, {}), (Terminal, {"CI": "1"})],
)
def test_everybody_is_told_once_that_a_run_goes_on(
    stream: type[io.StringIO], environ: Mapping[str, str]
) -> None:
    begun = replace(HALF, before=3)

    seen = told(begun, begun, stream=stream(), environ=environ)

    assert seen.count("going on with the interrupted run of this plan: 3 of 6 checks") == 1


def test_nothing_is_said_to_who_wants_quiet_and_nothing_but_that_where_nobody_is() -> None:
    assert watch(Terminal(), Clock(), quiet=True) == Watching()
    assert told(HALF, replace(HALF, finished=DONE), replace(HALF, beat=True)) == ""


def test_a_suite_that_is_called_like_a_command_steers_nothing() -> None:
    odd = SuiteProgress(path="::error::\x1b[2J\nx", done=1, failed=0, errors=0)

    seen = told(replace(HALF, finished=odd), environ={"CI": "true"})

    assert not seen.startswith("::")
    assert "\x1b" not in seen
    assert seen.count("\n") == 1


def test_a_reader_that_went_away_changes_nothing() -> None:
    stream = Terminal()
    watching = watch(stream, Clock())
    stream.close()

    assert watching.tell is not None
    watching.tell(HALF)


class Slow:
    """An agent that takes a hundred seconds, and has been told to slow down twice."""

    throttled = 2

    def __init__(self, clock: Clock, answer: Answer | Failure) -> None:
        self._clock = clock
        self._answer = answer

    async def ask(self, question: Question, /) -> Answer | Failure:
        del question
        until = self._clock.at + 100
        while self._clock.at < until:  # noqa: ASYNC110 - the clock is moved by others
            await asyncio.sleep(0)
        return self._answer

    async def aclose(self) -> None:
        return


@pytest.mark.parametrize(
    ("answer", "outcome"), [(Answer(response="x"), ""), (failure(), ", 1 not measured")]
)
def test_a_heartbeat_comes_each_thirty_seconds_with_what_is_done_running_and_throttled(
    answer: Answer | Failure, outcome: str
) -> None:
    clock, stream = Clock(), io.StringIO()
    watching = watch(stream, clock, {"CI": "true"})

    asyncio.run(
        running.run(
            plan(suite("evals/a.json", planned_case(case("a")))),
            agents={"support": Slow(clock, answer)},
            judge=None,
            evaluators={"ExactMatch": ScriptedEvaluator()},
            options=RunOptions(),
            clock=clock.timing.clock,
            progress=watching.tell,
            pulse=watching.pulse,
        )
    )

    beats = [line for line in stream.getvalue().splitlines() if "still" in line]
    assert beats[:3] == [
        f"still running after {after}: 0 of 1 checks, 1 running, 2 throttled"
        for after in ("30 s", "1 min 0 s", "1 min 30 s")
    ]
    assert set(clock.slept) == {HEARTBEAT_S}
    others = [line for line in stream.getvalue().splitlines() if "still" not in line]
    assert others == [f"evals/a.json: 1 check{outcome} (1 of 1)"]


def test_the_beat_ends_with_the_run() -> None:
    clock = Clock()
    told: list[Progress] = []

    asyncio.run(
        running.run(
            plan(suite("evals/a.json", planned_case(case("a")))),
            agents={"support": ScriptedAgent()},
            judge=None,
            evaluators={"ExactMatch": ScriptedEvaluator()},
            options=RunOptions(),
            clock=lambda: 0.0,
            progress=told.append,
            pulse=lambda: clock.timing.sleep(1),
        )
    )

    assert [one.done for one in told if not one.beat] == [1]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.9, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (3725, "1 h 2 min")],
)
def test_a_duration_in_two_units(seconds: float, shown: str) -> None:
    assert progress.duration(seconds) == shown


def test_whoever_is_called_over_the_wire_knows_how_often_it_was_throttled() -> None:
    replies = [judge_server.throttled(retry_after="0"), judge_server.verdict(4)]
    with JudgeServer(replies) as server:

        async def ask() -> int:
            judge = openai.create(
                judge_server.config(server.base_url, attempts=2),
                JudgeContext(root=Path(), environ={}, timing=Clock().timing),
            )
            assert isinstance(judge, Throttled)
            assert not isinstance(await judge.assess(judge_server.assessment("x")), Failure)
            await judge.aclose()
            return judge.throttled

        assert asyncio.run(ask()) == 1
