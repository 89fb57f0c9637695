"""The `command` agent with `persistent`: one process for each case, and none left behind."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from mergebar.agents import command
from mergebar.model.conversations import Agent, Answer, ErrorClass, Failure, Question
from support import agents

COUNTING = """
import json, os, sys
open('pids', 'a').write(f'{os.getpid()} ')
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    said = f"{asked['case']} {asked['turn']} as line {number}"
    print(json.dumps({"response": said}), flush=True)
open('ends', 'a').write(f'{os.getpid()} ')
"""


def turns(case: str, count: int) -> list[Question]:
    return [
        agents.question(f"turn {turn}", case=case, turn=turn, last=turn == count - 1)
        for turn in range(count)
    ]


def made(code: str, root: Path, *, timeout_s: float = 20.0, output_limit: int = 100_000) -> Agent:
    entry = agents.config(
        timeout_s=timeout_s,
        output_limit=output_limit,
        options={"command": agents.python(code), "persistent": True},
    )
    return command.create(entry, agents.context(root))


def converse(agent: Agent, *threads: Sequence[Question]) -> list[list[Answer | Failure]]:
    """Threads at the same time, the turns of each in order, up to its first failure."""

    async def thread(questions: Sequence[Question]) -> list[Answer | Failure]:
        answers: list[Answer | Failure] = []
        for question in questions:
            answers.append(await agent.ask(question))
            if isinstance(answers[-1], Failure):
                break
        return answers

    async def run() -> list[list[Answer | Failure]]:
        try:
            return await asyncio.gather(*map(thread, threads))
        finally:
            await agent.aclose()

    return asyncio.run(run())


def processes(root: Path, name: str = "pids") -> list[int]:
    path = root / name
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


def wait_for_processes(root: Path) -> None:
    for _ in range(500):
        if processes(root):
            return
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def last(answers: Sequence[Answer | Failure]) -> Failure:
    failure = answers[-1]
    assert isinstance(failure, Failure), failure
    return failure


def test_each_case_has_one_process_of_its_own_that_ends_with_its_input(tmp_path: Path) -> None:
    answers = converse(made(COUNTING, tmp_path), turns("a", 3), turns("b", 2), turns("c", 1))

    assert [[one.response for one in each if isinstance(one, Answer)] for each in answers] == [
        ["a 0 as line 0", "a 1 as line 1", "a 2 as line 2"],
        ["b 0 as line 0", "b 1 as line 1"],
        ["c 0 as line 0"],
    ]
    assert len(processes(tmp_path)) == 3
    assert sorted(processes(tmp_path, "ends")) == sorted(processes(tmp_path))


def test_a_case_that_is_put_again_starts_anew(tmp_path: Path) -> None:
    agent = made(COUNTING, tmp_path)
    first = agents.question("x", case="a")

    (answers,) = converse(agent, [first, first, agents.question("y", case="a", turn=1, last=True)])

    assert [one.response for one in answers if isinstance(one, Answer)] == [
        "a 0 as line 0",
        "a 0 as line 0",
        "a 1 as line 1",
    ]
    assert len(processes(tmp_path)) == 2


def test_a_thread_that_is_broken_off_leaves_no_process_behind(tmp_path: Path) -> None:
    converse(made(COUNTING, tmp_path), turns("a", 3)[:2])

    (pid,) = processes(tmp_path)
    assert not is_alive(pid)


DYING = """
import json, sys
for number, line in enumerate(sys.stdin):
    if number == 1:
        sys.stderr.write('index lost')
        sys.exit(3)
    print(json.dumps({"response": "fine"}), flush=True)
"""


def test_a_process_that_dies_in_the_middle_of_a_thread_is_a_classed_error(tmp_path: Path) -> None:
    (answers,) = converse(made(DYING, tmp_path), turns("a", 3))

    assert len(answers) == 2
    assert last(answers).error_class is ErrorClass.UNAVAILABLE
    assert "exited with code 3; stderr: index lost" in last(answers).message


@pytest.mark.parametrize(
    ("code", "error_class", "said"),
    [
        (
            "import json\nprint(json.dumps({'response': 'x'}), flush=True)",
            ErrorClass.BAD_RESPONSE,
            "ended without an answer: with `persistent` it has to answer line after line",
        ),
        (
            'import sys\nfor line in sys.stdin: print(\'{"response": "x"}\\nmore\', flush=True)',
            ErrorClass.BAD_RESPONSE,
            "printed 2 lines",
        ),
        (
            "import sys\nfor line in sys.stdin: print('x' * 300_000, flush=True)",
            ErrorClass.BAD_RESPONSE,
            "printed more than 100 kB (`output_limit`)",
        ),
        (
            'import sys\nfor line in sys.stdin: print(\'{"response": "x"}\')',
            ErrorClass.TIMEOUT,
            "gave no answer within 1 s (`timeout`): does it flush its output after each line?",
        ),
        (
            "import os, sys\nfor line in sys.stdin: os.kill(os.getpid(), 9)",
            ErrorClass.UNAVAILABLE,
            "was killed by SIGKILL",
        ),
        ("", ErrorClass.BAD_RESPONSE, "ended without an answer"),
    ],
)
def test_what_a_process_does_wrong_is_named(
    code: str, error_class: ErrorClass, said: str, tmp_path: Path
) -> None:
    (answers,) = converse(made(code, tmp_path, timeout_s=1.0), turns("a", 3))

    assert last(answers).error_class is error_class
    assert said in last(answers).message


def test_what_is_printed_between_two_turns_is_no_answer_to_the_second(tmp_path: Path) -> None:
    code = """
import json, pathlib, sys, time
for line in sys.stdin:
    print(json.dumps({"response": json.loads(line)["prompt"]}), flush=True)
    if not pathlib.Path("said").exists():
        while not pathlib.Path("heard").exists():
            time.sleep(0.01)
        print('{"response": "unasked"}', flush=True)
        pathlib.Path("said").touch()
"""
    agent = made(code, tmp_path)

    async def run() -> list[Answer | Failure]:
        first, second, _ = turns("a", 3)
        answers = [await agent.ask(first)]
        (tmp_path / "heard").touch()
        while not (tmp_path / "said").exists():  # noqa: ASYNC110 - it is another process's event
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)  # what is in the pipe is read before the loop comes back
        answers.append(await agent.ask(second))
        await agent.aclose()
        return answers

    answers = asyncio.run(run())

    assert isinstance(answers[0], Answer)
    assert last(answers).error_class is ErrorClass.BAD_RESPONSE
    assert "printed 2 lines" in last(answers).message


def test_a_process_that_does_not_end_with_its_input_is_ended(tmp_path: Path) -> None:
    code = COUNTING + "\nimport time; time.sleep(60)"
    started = time.monotonic()

    (answers,) = converse(made(code, tmp_path), turns("a", 2))

    assert [isinstance(one, Answer) for one in answers] == [True, True]
    assert time.monotonic() - started < 5
    assert not is_alive(processes(tmp_path)[0])


def test_a_failing_exit_after_the_last_answer_counts(tmp_path: Path) -> None:
    (answers,) = converse(made(COUNTING + "\nsys.exit(4)", tmp_path), turns("a", 2))

    assert isinstance(answers[0], Answer)
    assert last(answers).error_class is ErrorClass.UNAVAILABLE
    assert "exited with code 4" in last(answers).message


def test_a_cancellation_ends_the_process(tmp_path: Path) -> None:
    code = "import os, sys, time\nopen('pids', 'a').write(f'{os.getpid()} ')\ntime.sleep(60)"
    agent = made(code, tmp_path)

    async def cancelled() -> None:
        task = asyncio.create_task(agent.ask(agents.question()))
        await asyncio.to_thread(wait_for_processes, tmp_path)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await agent.aclose()

    asyncio.run(cancelled())

    assert not is_alive(processes(tmp_path)[0])


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("print('Loading…', flush=True)", "printed a line before its answer that is not JSON"),
        ("print('Loading…\\n{\"response\": \"x\"}', flush=True)", "and line 1 before the answer is no JSON object"),
        ("print('{\"response\": \"x\"}\\nDone.', flush=True)", "and line 2 is no JSON object"),
        ("print('{\"response\": \"x\"}\\n{\"response\": \"y\"}', flush=True)", "printed 2 lines; "),
    ],
)  # fmt: skip
def test_which_line_is_no_answer_is_said(tmp_path: Path, printed: str, said: str) -> None:
    code = f"import sys\nsys.stdin.readline()\n{printed}\nsys.stdin.readline()\n"

    (answers,) = converse(made(code, tmp_path), turns("a", 2))

    assert said in last(answers).message
