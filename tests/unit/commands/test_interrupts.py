"""Signals of one wish are one interruption."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mergebar.commands.interrupts import GRACE_S, NUMBERS, Interrupts


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def send(*numbers: int) -> None:
    for number in numbers:
        os.kill(os.getpid(), number)


@pytest.mark.parametrize("first", NUMBERS)
@pytest.mark.parametrize("second", NUMBERS)
def test_the_first_raises_and_those_soon_after_it_do_not(first: int, second: int) -> None:
    clock = Clock()
    interrupts = Interrupts(clock)
    interrupts.listen()
    with pytest.raises(KeyboardInterrupt):
        send(first)
    clock.now = GRACE_S / 2
    send(second, first)
    assert interrupts.heard


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_held_is_done_once_and_raises_only_for_who_waits_and_insists(number: int) -> None:
    clock, done = Clock(), list[str]()
    interrupts = Interrupts(clock)
    interrupts.listen()
    interrupts.hold(lambda: done.append("stop"))
    send(*NUMBERS, *NUMBERS)
    assert done == ["stop"]
    clock.now = GRACE_S
    with pytest.raises(KeyboardInterrupt):
        send(number)
    assert interrupts.release()


def test_one_that_came_before_is_done_when_it_is_held() -> None:
    interrupts, done = Interrupts(), list[str]()
    interrupts.listen()
    with pytest.raises(KeyboardInterrupt):
        send(signal.SIGTERM)
    interrupts.hold(lambda: done.append("stop"))
    assert done == ["stop"]


def test_without_one_nothing_is_done_and_the_next_raises_after_the_release() -> None:
    interrupts, done = Interrupts(), list[str]()
    interrupts.hold(lambda: done.append("stop"))
    assert not interrupts.release()
    with pytest.raises(KeyboardInterrupt):
        send(signal.SIGTERM)
    assert done == []


def test_an_interruption_inside_exec_still_lets_the_process_choose_its_code(
    tmp_path: Path,
) -> None:
    (tmp_path / "interrupted.py").write_text(
        "import os, signal, sys\n"
        "from mergebar.commands.interrupts import PROCESS\n"
        "PROCESS.listen()\n"
        "try:\n"
        "    exec('os.kill(os.getpid(), signal.SIGTERM)\\nwhile True: pass')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n",
        encoding="utf-8",
    )

    # Only a module that is run by `-m` hands its code to where CPython looks at what passed.
    ended = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, check=False)

    assert ended.returncode == 130


def test_who_is_to_outlive_the_terminal_does() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    Interrupts().listen()

    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
