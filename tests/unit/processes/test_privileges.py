"""In the container the repository's code gives up root, and what comes with it: real processes."""

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mergebar.agents.live_processes import LiveProcess
from mergebar.processes import environment, handing_back, privileges, running
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
    "temporary": attempt(lambda: open(os.environ.get("TMPDIR", ".") + "/own", "w")),
}), flush=True)
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


def test_a_process_that_outlives_us_cannot_write_an_output_either(
    environ: dict[str, str], place: Path
) -> None:
    privileges.seal(environ)
    mark = Path(environ[privileges.MARK], "tried")
    code = (
        "import os, resource, time\n"
        "reads, writes = os.pipe()\n"
        "if os.fork():\n    os.read(reads, 1)\n    os._exit(0)\n"
        "os.setsid()\n"
        "resource.setrlimit(resource.RLIMIT_MSGQUEUE, (1, 1))\n"  # nothing tells whose it is
        "os.write(writes, b'1')\ntime.sleep(0.3)\n"
        "try:\n    open(OUTPUTS, 'a').write('decision=passed')\n"
        "except PermissionError:\n    pass\n"
        f"open({str(mark)!r}, 'w').close()\n"
    )

    asyncio.run(running.run(started(environ, place, code), b""))

    for _ in range(200):
        if mark.exists():
            break
        time.sleep(0.05)
    assert mark.exists()
    assert Path(environ["GITHUB_OUTPUT"]).read_text() == ""


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


def test_a_folder_is_handed_over_with_all_that_is_in_it(
    environ: dict[str, str], place: Path
) -> None:
    copy = place / "copy"
    (copy / "a/b").mkdir(parents=True)
    (copy / "a/b/file").write_text("x")
    outside = place / "outside"
    outside.write_text("")
    (copy / "link").symlink_to(outside)

    privileges.give_all(copy, environ)

    parts = (copy, copy / "a", copy / "a/b", copy / "a/b/file", copy / "link")
    assert {path.lstat().st_uid for path in parts} == {USER}
    assert outside.stat().st_uid == 0


def test_what_was_made_as_root_is_handed_back_and_nothing_else(
    environ: dict[str, str], place: Path
) -> None:
    os.chown(place, USER, USER)
    since = time.time()
    time.sleep(0.05)
    outside = Path(environ["GITHUB_OUTPUT"])
    (place / "a/b").mkdir(parents=True)
    (place / "a/b/file").write_text("")
    (place / "a/link").symlink_to("/etc")
    theirs = place / "a/theirs"
    theirs.write_text("")
    os.chown(theirs, 4242, 4242)

    handing_back.hand_back(str(place / "a"), environ, since=since)
    assert (place / "a/b/file").stat().st_uid == 0, "the folder itself is root's"
    handing_back.hand_back(str(place), {}, since=since)
    assert (place / "a").stat().st_uid == 0, "not in our container"
    handing_back.hand_back(str(place), environ, since=since)

    made = (place / "a", place / "a/b", place / "a/b/file", place / "a/link")
    assert {path.lstat().st_uid for path in made} == {USER}
    assert (theirs.stat().st_uid, outside.stat().st_uid) == (4242, 0)
    assert Path("/etc").stat().st_uid == 0
