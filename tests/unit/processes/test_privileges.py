"""In the container the repository's code gives up root, and what comes with it: real processes."""

import asyncio
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import PIPE

import pytest

from mergebar.agents.live_processes import LiveProcess
from mergebar.processes import environment, privileges, running
from mergebar.processes.running import Ended, Start
from mergebar.processes.workers import Lost, Worker

USER = 12345
PYTHON = Path("/usr/bin/python3")
SECRET = "s3cr3t-of-the-parent"  # noqa: S105 - made up

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not PYTHON.exists(),
    reason="only root can give up root, and another user needs a Python that it may execute",
)

LOOK = """
import json, os
def attempt(do):
    try:
        do()
    except OSError as error:
        return type(error).__name__
    return "done"
print(json.dumps({
    "ids": [os.getuid(), os.geteuid(), os.getgid(), os.getegid()],
    "groups": os.getgroups(),
    "home": os.environ["HOME"], "tmp": os.environ.get("TMPDIR"),
    "names": sorted(os.environ),
    "parent": attempt(lambda: open(f"/proc/{os.getppid()}/environ").read()),
    "outputs": attempt(lambda: open(OUTPUTS, "a").write("decision=passed")),
    "swap": attempt(lambda: os.replace(OUTPUTS, OUTPUTS + ".old")),
    "root": attempt(lambda: os.setuid(0)),
    "new rights": "NoNewPrivs:\\t0" in open("/proc/self/status").read(),
    "temporary": attempt(lambda: open(os.environ.get("TMPDIR", ".") + "/own", "w")),
}), flush=True)
"""


# As soon as one folder is handed over, puts links where those are that are yet to come.
SWAPPER = """
import os, sys, time
copy, outside = sys.argv[1:]
def is_ours(name):
    try:
        return os.stat(f"{copy}/{name}/0").st_uid == os.getuid()
    except OSError:
        return False
print("ready", flush=True)
until = time.monotonic() + 20
while not any(map(is_ours, "abcdef")) and time.monotonic() < until:
    pass
for name in "abcdef":
    if not is_ours(name):
        os.rename(f"{copy}/{name}", f"{copy}/{name}-away")
        os.symlink(outside, f"{copy}/{name}")
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that another user may enter: pytest's own is closed, and closed again at any time."""
    with tempfile.TemporaryDirectory(prefix="mergebar-test-") as made:
        folder = Path(made).resolve()
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def environ(place: Path) -> dict[str, str]:
    """What the container has: a user's HOME, the runner's command files, and a token."""
    home = place / "home"
    home.mkdir(mode=0o700)
    os.chown(home, USER, USER)
    commands = place / "commands"
    commands.mkdir()
    commands.chmod(0o777)
    outputs = commands / "outputs"
    outputs.write_text("")
    outputs.chmod(0o666)
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/root",
        "USER": "root",
        privileges.MARK: str(home),
        "GITHUB_OUTPUT": str(outputs),
        "INPUT_GITHUB-TOKEN": SECRET,
    }


def started(environ: Mapping[str, str], cwd: Path, code: str) -> Start:
    return Start(
        argv=(str(PYTHON), "-I", "-c", f"OUTPUTS = {environ['GITHUB_OUTPUT']!r}\n{code}"),
        cwd=cwd,
        environ=environment.allowed(environ, named=()),
        timeout_s=20,
        output_limit=100_000,
    )


def told(ended: Ended) -> dict[str, object]:
    assert ended.returncode == 0, ended.stderr
    said: dict[str, object] = json.loads(ended.stdout)
    return said


def expect_lowered(said: Mapping[str, object], environ: Mapping[str, str]) -> None:
    home = environ[privileges.MARK]
    assert said["ids"] == [USER] * 4
    assert said["groups"] == []
    assert (said["home"], said["tmp"]) == (home, str(Path(home, "tmp")))
    assert not {privileges.MARK, "GITHUB_OUTPUT", "INPUT_GITHUB-TOKEN"} & set(said["names"])  # type: ignore[call-overload]
    assert said["parent"] == "PermissionError"
    assert said["outputs"] == "PermissionError"
    assert said["swap"] == "PermissionError"
    assert said["root"] == "PermissionError"
    assert not said["new rights"]
    assert said["temporary"] == "done"
    assert Path(environ["GITHUB_OUTPUT"]).read_text() == ""


def test_a_process_reads_nothing_of_ours_and_writes_none_of_the_runners_files(
    environ: dict[str, str], place: Path
) -> None:
    privileges.seal(environ)

    expect_lowered(told(asyncio.run(running.run(started(environ, place, LOOK), b""))), environ)


def test_a_process_that_is_kept_gives_up_the_same(environ: dict[str, str], place: Path) -> None:
    privileges.seal(environ)

    async def ask() -> Ended:
        live = await LiveProcess.begin(started(environ, place, f"input()\n{LOOK}"))
        ended, _ = await live.ask(b"{}\n", last=True)
        return ended

    expect_lowered(told(asyncio.run(ask())), environ)


def test_a_worker_gives_up_the_same(environ: dict[str, str]) -> None:
    privileges.seal(environ)
    code = f"OUTPUTS = {environ['GITHUB_OUTPUT']!r}\nprint('ready', flush=True)\ninput()\n{LOOK}"

    async def ask() -> bytes | Lost:
        allowed = environment.allowed(environ, named=())
        worker = Worker((str(PYTHON), "-I", "-c", code), environ=allowed)
        try:
            return await worker.ask(b"{}", timeout_s=20)
        finally:
            await worker.aclose()

    answer = asyncio.run(ask())
    assert isinstance(answer, bytes)
    expect_lowered(json.loads(answer), environ)


# Goes away from its parent, its session and its mark, says who it is, and stays.
STRAY = """
import os, resource, sys, time
reads, writes = os.pipe()
if os.fork():
    os.read(reads, 1)
    answered()
os.setsid()
if os.fork():
    os._exit(0)
for limits in MARKS:
    try:
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, limits)
    except (OSError, ValueError):
        pass
if HIDDEN:
    import ctypes
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: its folder in /proc is root's then
for handle in (0, 1, 2):
    os.close(handle)
os.setgid(os.getgid())
with open(PLACE, "w") as file:
    file.write(str(os.getpid()))
os.write(writes, b"1")
time.sleep(300)
"""
AWAY = {"its mark kept": "()", "a lower mark": "((1, 1),)", "a higher one": "((800000, 819200),)"}


def stray(environ: Mapping[str, str], *, marks: str, answered: str, hidden: str = "False") -> str:
    place = Path(environ[privileges.MARK], "stray")
    return (
        f"import os, sys\nMARKS = {marks}\nHIDDEN = {hidden}\nPLACE = {str(place)!r}\n"
        f"def answered():\n    {answered}\n{STRAY}"
    )


def is_over(environ: Mapping[str, str]) -> bool:
    """Whether the stray, which surely ran, is dead within a moment."""
    pid = Path(environ[privileges.MARK], "stray").read_text()
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.02)
    os.kill(int(pid), 9)
    return False


@pytest.mark.parametrize("hidden", ["False", "True"], ids=["plain", "hidden"])
@pytest.mark.parametrize("away", AWAY)
def test_nobody_gets_away_from_a_process(
    environ: dict[str, str], place: Path, away: str, hidden: str
) -> None:
    code = stray(environ, marks=AWAY[away], hidden=hidden, answered="os._exit(0)")

    ended = asyncio.run(running.run(started(environ, place, code), b""))

    assert ended.returncode == 0, ended.stderr
    assert is_over(environ)


@pytest.mark.parametrize("away", AWAY)
def test_nobody_gets_away_from_a_process_that_is_kept(
    environ: dict[str, str], place: Path, away: str
) -> None:
    answered = "print('{}', flush=True); input(); os._exit(0)"
    code = stray(environ, marks=AWAY[away], answered=answered)

    async def ask() -> None:
        live = await LiveProcess.begin(started(environ, place, code))
        await live.ask(b"", last=False)
        await live.end()

    asyncio.run(ask())

    assert is_over(environ)


@pytest.mark.parametrize("away", AWAY)
def test_nobody_gets_away_from_a_worker(environ: dict[str, str], away: str) -> None:
    answered = "print('ready', flush=True); input(); print('1', flush=True); input()"
    code = stray(environ, marks=AWAY[away], answered=answered)

    async def ask() -> None:
        allowed = environment.allowed(environ, named=())
        worker = Worker((str(PYTHON), "-I", "-c", code), environ=allowed)
        await worker.ask(b"{}", timeout_s=20)
        await worker.aclose()

    asyncio.run(ask())

    assert is_over(environ)


def test_who_got_away_is_ended_while_another_process_goes_on(
    environ: dict[str, str], place: Path
) -> None:
    code = stray(environ, marks=AWAY["a lower mark"], answered="os._exit(0)")
    other = "import os\nif os.fork():\n    os.wait()\n    print(1, flush=True)\nelse:\n    input()"

    async def both() -> Ended:
        live = await LiveProcess.begin(started(environ, place, other))
        await running.run(started(environ, place, code), b"")
        assert await asyncio.to_thread(is_over, environ)
        ended, _ = await live.ask(b"\n", last=True)
        return ended

    assert asyncio.run(both()).stdout == b"1\n"


@pytest.mark.parametrize("home", ["missing", "of root"])
def test_without_the_account_nothing_runs_as_root(
    environ: dict[str, str], place: Path, home: str
) -> None:
    (place / "of root").mkdir()
    environ[privileges.MARK] = str(place / home)

    with pytest.raises(OSError, match="nothing runs as root instead"):
        asyncio.run(running.run(started(environ, place, "print(1)"), b""))


def test_root_on_a_machine_of_its_own_stays_root(environ: dict[str, str], place: Path) -> None:
    del environ[privileges.MARK]

    said = told(asyncio.run(running.run(started(environ, place, LOOK), b"")))

    assert said["ids"] == [0] * 4
    assert said["home"] == "/root"
    assert said["new rights"]


def test_a_folder_is_handed_over_with_all_that_is_in_it(
    environ: dict[str, str], place: Path
) -> None:
    copy = place / "copy"
    copy.mkdir(mode=0o700)
    (copy / "a/b").mkdir(parents=True)
    (copy / "a/b/file").write_text("x")
    outside = place / "outside"
    outside.write_text("")
    (copy / "link").symlink_to(outside)

    privileges.give_all(copy, environ)

    parts = (copy, copy / "a", copy / "a/b", copy / "a/b/file", copy / "link")
    assert {path.lstat().st_uid for path in parts} == {USER}
    assert outside.stat().st_uid == 0


def test_a_folder_that_others_may_enter_is_not_handed_over(
    environ: dict[str, str], place: Path
) -> None:
    copy = place / "copy"
    copy.mkdir()
    copy.chmod(0o755)
    (copy / "file").write_text("")

    with pytest.raises(PermissionError):
        privileges.give_all(copy, environ)

    assert {path.stat().st_uid for path in (copy, copy / "file")} == {0}


def test_until_all_of_a_folder_is_handed_over_nobody_else_gets_in(
    environ: dict[str, str], place: Path
) -> None:
    copy, outside = place / "copy", place / "outside"
    copy.mkdir(mode=0o700)
    outside.mkdir()
    (outside / "kept").write_text("")
    for name in "abcdef":
        (copy / name).mkdir()
        for number in range(500):
            (copy / name / str(number)).touch()
    argv = [str(PYTHON), "-I", "-c", SWAPPER, str(copy), str(outside)]
    with subprocess.Popen(argv, user=USER, group=USER, extra_groups=(), stdout=PIPE) as swapper:
        assert swapper.stdout is not None
        assert swapper.stdout.readline() == b"ready\n"
        privileges.give_all(copy, environ)
        swapper.wait()

    assert (outside / "kept").stat().st_uid == 0
    assert copy.stat().st_uid == USER


def test_a_file_with_a_second_name_is_not_given_away(environ: dict[str, str], place: Path) -> None:
    copy = place / "copy"
    copy.mkdir(mode=0o700)
    outside = place / "outside"
    outside.write_text("")
    (copy / "link").hardlink_to(outside)

    privileges.give_all(copy, environ)

    assert outside.stat().st_uid == 0
