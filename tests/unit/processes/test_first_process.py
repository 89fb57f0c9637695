"""The first process of a container waits, hands signals on and ends as its child: real ones."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest

NAMESPACE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
IN_IT = """
import os, signal, sys, time
from mergebar.processes import first_process
def told(number, frame):
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())
    os._exit(7)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, told)
first_process.PROCESS.stand_aside()
"""
ORPHANS = """
for _ in range(200):
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        os._exit(0)
    os.wait()
until = time.monotonic() + 10
def zombies():
    found = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += ") Z " in open(f"/proc/{name}/stat").read()
        except OSError:
            pass
    return found
while zombies() and time.monotonic() < until:
    time.sleep(0.01)
print(zombies(), os.getppid(), first_process.PROCESS.ends_with_us)
"""


def _is_there() -> bool:
    try:
        return (
            subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
        )
    except OSError:
        return False


first = pytest.mark.skipif(not _is_there(), reason="only root makes a namespace of processes")


def started(code: str, *, first: bool = True) -> "subprocess.Popen[str]":
    before = NAMESPACE if first else ()
    argv = [*before, sys.executable, "-I", "-c", IN_IT + code]
    return subprocess.Popen(argv, stdout=PIPE, stderr=PIPE, text=True)


@first
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("sys.exit(0)", 0),
        ("sys.exit(3)", 3),
        ("os.kill(os.getpid(), 9)", 137),
        ("os.abort()", 134),
    ],
)
def test_its_exit_code_is_that_of_its_child(code: str, expected: int) -> None:
    process = started(code)

    process.communicate(timeout=20)

    assert process.returncode == expected


@first
def test_whoever_lost_its_parent_is_waited_for() -> None:
    process = started(ORPHANS)

    out, err = process.communicate(timeout=30)

    assert out.split() == ["0", "1", "True"], err


@first
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_is_handed_on_once(name: str) -> None:
    process = started("print('ready', flush=True)\ntime.sleep(60)")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"

    os.kill(_child(process.pid), signal.Signals[name])
    out, err = process.communicate(timeout=20)

    assert (out, process.returncode) == (f"got {name}\n", 7), err


def _child(pid: int) -> int:
    """The first process of the namespace, as it is called outside."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
    raise AssertionError("no child")


def test_elsewhere_nobody_stands_aside() -> None:
    process = started("print(os.getppid(), first_process.PROCESS.ends_with_us)", first=False)

    out, _ = process.communicate(timeout=20)

    assert out.split() == [str(os.getpid()), "False"]
