"""A process that answers lines: on time, late, dead, mute, and never there."""

import asyncio
import os
import sys
import time
from pathlib import Path

from mergebar.processes.workers import Lost, Worker

ECHO = """
import sys, time, os
print("ready", flush=True)
for line in sys.stdin:
    word = line.strip()
    if word == "sleep": time.sleep(60)
    if word == "die": os._exit(9)
    if word == "pid": word = str(os.getpid())
    if word == "fork":
        import subprocess
        word = str(subprocess.Popen(["sleep", "300"]).pid)
    print(word, flush=True)
"""


def asked(script: str, *questions: bytes, timeout_s: float = 10) -> list[bytes | Lost]:
    async def ask() -> list[bytes | Lost]:
        worker = Worker((sys.executable, "-I", "-c", script), environ=os.environ)
        try:
            return [await worker.ask(line, timeout_s=timeout_s) for line in questions]
        finally:
            await worker.aclose()

    return asyncio.run(ask())


def test_one_process_answers_one_line_after_the_other() -> None:
    first, second, other = asked(ECHO, b"pid", b"pid", b"hello")

    assert first == second
    assert other == b"hello"


def test_a_late_process_is_ended_and_the_next_question_gets_another() -> None:
    started = time.monotonic()

    first, late, other = asked(ECHO, b"pid", b"sleep", b"pid", timeout_s=0.5)

    assert isinstance(late, Lost)
    assert late.late
    assert isinstance(other, bytes)
    assert other != first
    assert time.monotonic() - started < 20


def test_a_process_that_dies_is_one_lost_answer() -> None:
    lost, answer = asked(ECHO, b"die", b"hello")

    assert isinstance(lost, Lost)
    assert lost.message == "ended without an answer (9)"
    assert answer == b"hello"


def test_questions_at_the_same_time_wait_for_one_another() -> None:
    async def ask() -> list[bytes | Lost]:
        worker = Worker((sys.executable, "-I", "-c", ECHO), environ=os.environ)
        try:
            lines = [f"line {number}".encode() for number in range(20)]
            return await asyncio.gather(*(worker.ask(line, timeout_s=10) for line in lines))
        finally:
            await worker.aclose()

    assert asyncio.run(ask()) == [f"line {number}".encode() for number in range(20)]


def test_a_program_that_is_not_there_is_lost() -> None:
    async def ask() -> bytes | Lost:
        worker = Worker(("no-such-program-at-all",), environ=os.environ)
        return await worker.ask(b"x", timeout_s=1)

    lost = asyncio.run(ask())

    assert isinstance(lost, Lost)
    assert "could not be started" in lost.message


def test_a_program_that_never_gets_ready_is_lost() -> None:
    (lost,) = asked("print('hello')", b"x")

    assert lost == Lost(message="did not start")


def test_a_question_that_is_given_up_takes_the_process_with_it() -> None:
    async def ask() -> bytes | Lost:
        worker = Worker((sys.executable, "-I", "-c", ECHO), environ=os.environ)
        try:
            task = asyncio.create_task(worker.ask(b"sleep", timeout_s=60))
            await asyncio.sleep(0.5)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return await worker.ask(b"hello", timeout_s=10)
        finally:
            await worker.aclose()

    assert asyncio.run(ask()) == b"hello"


def test_what_it_started_ends_with_it() -> None:
    (said,) = asked(ECHO, b"fork")
    assert isinstance(said, bytes)

    for _ in range(200):
        state = Path(f"/proc/{said.decode()}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.02)
    raise AssertionError(said)
