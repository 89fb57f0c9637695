"""Whatever a process started ends with it, in a session of its own too; nothing else does."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mergebar.agents.live_processes import LiveProcess
from mergebar.processes import descendants, running, watcher
from mergebar.processes.running import End, Start
from mergebar.processes.workers import Worker

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")

# Starts what the mode says, waits until that wrote its number, and then ends or doesn't.
LEADER = """
import os, subprocess, sys, time
mode, place, then = sys.argv[1:4]
CHILD = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(300)"
argv = [sys.executable, "-I", "-c", CHILD, place]
quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if mode == "child":
    subprocess.Popen(argv, **quiet)
elif mode == "session":
    subprocess.Popen(argv, start_new_session=True, **quiet)
elif mode == "daemon":
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            subprocess.Popen(argv, start_new_session=True, **quiet)
        os._exit(0)
    os.wait()
elif mode == "daemon without environment":
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(argv[0], argv, {})
        os._exit(0)
    os.wait()
while not (os.path.exists(place) and open(place).read()):
    time.sleep(0.01)
if then == "answer":
    print("ready", flush=True)
    input()
    print("answer", flush=True)
if then != "end":
    time.sleep(300)
"""
MODES = ["child", "session", "daemon", "daemon without environment"]


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Path]:
    """A folder where children write their numbers. None of them outlives a test that failed."""
    yield tmp_path
    for path in filter(Path.is_file, tmp_path.iterdir()):
        number = path.read_text()
        if number.isdigit() and is_alive(int(number)):
            os.kill(int(number), signal.SIGKILL)


@pytest.fixture
def place(places: Path) -> Path:
    return places / "pid"


def start(place: Path, mode: str, then: str, *, timeout_s: float = 60) -> Start:
    return Start(
        argv=(sys.executable, "-I", "-c", LEADER, mode, str(place), then),
        cwd=place.parent,
        environ=dict(os.environ),
        timeout_s=timeout_s,
        output_limit=1000,
    )


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def wait_for(place: Path) -> None:
    end = time.monotonic() + 20
    while not (place.exists() and place.read_text()) and time.monotonic() < end:
        time.sleep(0.02)


def is_ended(place: Path) -> bool:
    """Whether the child, which surely ran, is dead within a moment."""
    pid = int(place.read_text())
    end = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_alive(pid)


def test_at_the_timeout_all_that_was_started_ends(places: Path) -> None:
    async def waited(mode: str) -> End:
        ended = await running.run(start(places / mode, mode, "wait", timeout_s=3), b"")
        return ended.end

    async def all_waited() -> list[End]:
        return await asyncio.gather(*map(waited, MODES))

    assert set(asyncio.run(all_waited())) == {End.TIMED_OUT}
    assert [mode for mode in MODES if not is_ended(places / mode)] == []


@pytest.mark.parametrize("mode", MODES)
def test_what_a_process_that_ended_well_left_behind_ends_too(place: Path, mode: str) -> None:
    ended = asyncio.run(running.run(start(place, mode, "end"), b""))

    assert (ended.end, ended.returncode) == (End.EXITED, 0)
    assert is_ended(place)


@pytest.mark.parametrize("mode", MODES)
def test_a_cancellation_ends_all(place: Path, mode: str) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(running.run(start(place, mode, "wait"), b""))
        await asyncio.to_thread(wait_for, place)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())

    assert is_ended(place)


def test_a_process_for_several_turns_leaves_nothing(places: Path) -> None:
    async def asked(mode: str) -> None:
        process = await LiveProcess.begin(start(places / mode, mode, "wait", timeout_s=3))
        await process.ask(b"x\n", last=False)
        await process.end()

    async def all_asked() -> None:
        await asyncio.gather(*map(asked, MODES))

    asyncio.run(all_asked())

    assert [mode for mode in MODES if not is_ended(places / mode)] == []


@pytest.mark.parametrize("mode", MODES)
def test_a_worker_leaves_nothing(place: Path, mode: str) -> None:
    async def asked() -> object:
        worker = Worker(start(place, mode, "answer").argv, environ=os.environ)
        try:
            return await worker.ask(b"x", timeout_s=30)
        finally:
            await worker.aclose()

    assert asyncio.run(asked()) == b"answer"
    assert is_ended(place)


def test_what_somebody_else_started_lives_on(place: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-I", "-c", "import time; time.sleep(300)"], start_new_session=True
    ) as other:
        asyncio.run(running.run(start(place, "daemon", "wait", timeout_s=2), b""))
        survives = is_alive(other.pid)
        other.kill()

    assert survives
    assert is_ended(place)


def test_what_another_process_of_ours_started_lives_until_that_one_ends(tmp_path: Path) -> None:
    long, short = tmp_path / "long", tmp_path / "short"

    async def both() -> bool:
        first = asyncio.create_task(running.run(start(long, "daemon", "wait", timeout_s=30), b""))
        await asyncio.to_thread(wait_for, long)
        await running.run(start(short, "daemon", "end"), b"")
        survives = is_alive(await asyncio.to_thread(lambda: int(long.read_text())))
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        return survives

    assert asyncio.run(both())
    assert is_ended(short)
    assert is_ended(long)


def test_each_process_has_a_mark_of_its_own() -> None:
    marks = [descendants.begin().mark for _ in range(1000)]

    assert None not in marks
    assert len(set(marks)) == len(marks)


STARTERS = {
    "a process": "await running.run(START, b'')",
    "a kept process": "await (await LiveProcess.begin(START)).ask(b'x\\n', last=False)",
    "a worker": "await Worker(START.argv, environ=START.environ).ask(b'x', timeout_s=60)",
}
PARENT = """
import asyncio, os, sys
from pathlib import Path
from mergebar.agents.live_processes import LiveProcess
from mergebar.processes import running
from mergebar.processes.running import Start
from mergebar.processes.workers import Worker
START = Start(argv=tuple(sys.argv[1:]), cwd=Path.cwd(), environ=dict(os.environ), timeout_s=60,
              output_limit=1000)
async def main():
    STARTER
asyncio.run(main())
"""


@pytest.mark.parametrize("starter", STARTERS)
@pytest.mark.parametrize("mode", MODES)
def test_nothing_outlives_whoever_waited_for_it_and_was_killed(
    place: Path, mode: str, starter: str
) -> None:
    argv = start(place, mode, "stay").argv
    code = PARENT.replace("STARTER", STARTERS[starter])
    parent = subprocess.Popen([sys.executable, "-I", "-c", code, *argv], start_new_session=True)
    wait_for(place)
    child = int(place.read_text())
    assert is_alive(child)

    parent.kill()
    parent.wait()

    end = time.monotonic() + 20
    while is_alive(child) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_alive(child)


def test_what_ended_before_is_nobody_to_look_for(place: Path) -> None:
    lineage = descendants.begin()
    assert lineage.mark is not None
    argv = start(place, "session", "stay").argv
    other = subprocess.Popen(argv, preexec_fn=lineage.prepare)  # noqa: PLW1509 - as ours are started
    wait_for(place)
    mark = lineage.mark.decode()

    watcher.watch([f"begun {mark} {lineage.since} {lineage.newest}\n", f"over {mark}\n"])
    assert is_alive(other.pid)

    watcher.watch([f"begun {mark} {lineage.since} {lineage.newest}\n"])
    other.wait(timeout=20)  # its code is lost where the watcher, here its parent, waited first
    end = time.monotonic() + 20
    while any(map(is_alive, (other.pid, int(place.read_text())))) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_alive(other.pid)
    assert not is_alive(int(place.read_text()))
