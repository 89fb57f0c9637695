"""The image started as the Actions runner starts it: what it posts, writes, runs and leaves behind."""

import io
import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from mergebar import settings
from mergebar.processes import trees
from support import gates
from support.container import running
from support.container.engine import EngineError
from support.container.running import Image
from support.gates import failing, item, passing
from support.jobs import TOKEN, Job

PLANTED = "import os\nos.write(2, b'PLANTED-CODE-RAN\\n')\n"
READ_ONLY = ("--read-only", "--read-only-tmpfs=false", "--tmpfs", "/tmp")  # noqa: S108 - inside
LOOK = """
import urllib.request

def attempt(do):
    try:
        return do() and "done"
    except OSError as error:
        return type(error).__name__

def parents():
    for number in filter(str.isdigit, os.listdir("/proc")):
        if os.stat("/proc/" + number).st_uid == 0:
            open(f"/proc/{number}/environ").read()
    return True

def write(path):
    return lambda: open(path, "a").write("decision=passed\\n")

seen = {
    "ids": [os.getuid(), os.geteuid(), os.getgid(), os.getegid()],
    "groups": os.getgroups(),
    "environment of others": attempt(parents),
    "outputs": attempt(write("/github/file_commands/github_output")),
    "variables": attempt(write("/github/file_commands/github_env")),
    "a new command file": attempt(write("/github/file_commands/new")),
    "workspace": attempt(write("evals/desk.json")),
    "docker": attempt(write("/var/run/docker.sock")),
    "program": attempt(write("/entrypoint")),
    "root again": attempt(lambda: os.setuid(0) or True),
    "temporary": attempt(write(os.environ["TMPDIR"] + "/own")),
    "home": os.environ["HOME"],
    "named": sorted(name for name in os.environ if name.startswith(("INPUT", "GITHUB", "ACTIONS", "MERGEBAR"))),
}
rest = json.dumps(seen)
"""
REFUSED = (
    "environment of others", "outputs", "variables", "a new command file", "workspace", "docker",
    "program", "root again",
)  # fmt: skip


def archive(job: Job) -> dict[str, bytes]:
    """What is in the artifact that was uploaded."""
    (name,) = job.service.artifacts
    with zipfile.ZipFile(io.BytesIO(job.service.content(name))) as packed:
        return {one: packed.read(one) for one in packed.namelist()}


@pytest.mark.parametrize("options", [(), READ_ONLY], ids=["as it is", "read-only"])
def test_a_pull_request_gets_everything_that_the_action_promises(
    image: Image, job: Job, options: tuple[str, ...]
) -> None:
    job.items(passing("first"), failing("second"))
    step = job.pull_request(check_name="my gate")

    result = running.run(image, step, options=options)

    assert result.code == 1, result.ended.said
    assert list(result.outputs) == [output.name for output in settings.OUTPUTS]
    assert (result.outputs["decision"], result.outputs["checks"]) == ("failed", "2")
    assert result.outputs["report-path"] == "mergebar-report/report.json"
    (comment,) = job.comments
    assert comment.startswith("<!-- mergebar:v1 key=my%20gate run=4711 ")
    assert [(one["name"], one["conclusion"]) for one in job.check_runs] == [("my gate", "failure")]
    assert [one["path"] for one in job.annotations] == ["evals/desk.json"]
    written = (job.workspace / "mergebar-report/report.json").read_bytes()
    assert archive(job)["report.json"] == written
    assert result.summary.startswith("## ❌ my gate · Failed: 1 check blocks")
    assert running.owners(job.workspace) == running.owners(step.runner / "temp") == {running.RUNNER}
    assert TOKEN not in result.ended.said


def test_nothing_affected_passes(image: Image, job: Job) -> None:
    job.change({"README.md": "Hello"})

    result = running.run(image, job.pull_request())

    assert (result.code, result.outputs["decision"]) == (0, "passed"), result.ended.said
    assert running.owners(job.workspace) == {running.RUNNER}


@pytest.mark.parametrize("owner", [0, 12345], ids=["root", "an odd one"])
def test_a_workspace_may_belong_to_anybody(image: Image, job: Job, owner: int) -> None:
    job.items(passing("first"))

    result = running.start(image, job.pull_request(), owner=owner).end()

    assert result.code == 0, result.ended.said
    assert result.report is not None
    assert result.report["run"]["commit"] == job.merge
    assert running.owners(job.workspace) == {owner}
    assert not result.warnings


@pytest.mark.parametrize("options", [(), READ_ONLY], ids=["as it is", "read-only"])
def test_code_of_the_repository_has_no_rights(
    image: Image, job: Job, tmp_path: Path, options: tuple[str, ...]
) -> None:
    job.change(
        {
            "look.py": LOOK,
            "evals/desk.json": gates.document(item("look around", "x")),
        }
    )
    with running.docker_socket(tmp_path) as socket:
        result = running.run(image, job.pull_request(), options=(*options, *socket))

    document = json.loads((job.workspace / "mergebar-report/documents/evals/desk.json").read_text())
    seen = json.loads(document["items"][0]["response"])
    assert seen["ids"] == [10001] * 4
    assert seen["groups"] == []
    assert {name: seen[name] for name in REFUSED} == dict.fromkeys(REFUSED, "PermissionError")
    assert (seen["temporary"], seen["home"], seen["named"]) == ("done", "/home/mergebar", [])
    assert result.outputs["decision"] == "failed"


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
def test_a_cancelled_job_ends_its_check_run(image: Image, job: Job, signal: str) -> None:
    job.items(passing("first"), item("hang around", "x"))
    started = running.start(image, job.pull_request())
    _wait_for_an_agent(image, started.name)
    then = time.monotonic()
    started.signal(signal)

    result = started.end()

    assert time.monotonic() - then < 7
    assert (result.code, result.outputs["decision"]) == (130, "could-not-evaluate")
    assert [one["conclusion"] for one in job.check_runs] == ["cancelled"]
    assert job.comments == []
    assert result.report is not None
    assert result.report["run"]["complete"] is False
    assert running.owners(job.workspace) == {running.RUNNER}


def _wait_for_an_agent(image: Image, name: str) -> None:
    """Until the process that is asked the second case sleeps."""
    until = time.monotonic() + 60
    while "time.sleep" not in _agents(image, name):
        assert time.monotonic() < until, "no agent was started"
        time.sleep(0.2)


def _agents(image: Image, name: str) -> str:
    try:
        return image.engine.podman("top", name, "args")
    except EngineError:  # it isn't there yet
        return ""


@pytest.mark.parametrize(
    "name",
    [
        "jinja2.py",
        "json.py",
        "sitecustomize.py",
        "usercustomize.py",
        "mergebar/__init__.py",
        "mergebar.py",
        "evil.pth",
        "python3.11/site-packages/evil.pth",
    ],
)
def test_what_is_planted_in_the_workspace_is_not_imported(
    image: Image, job: Job, name: str
) -> None:
    job.change({name: PLANTED, "evals/desk.json": gates.document(passing("first"))})
    step = job.pull_request()
    step.environ |= {
        "PYTHONPATH": "/github/workspace",
        "PYTHONHOME": "/github/workspace",
        "PYTHONSTARTUP": f"/github/workspace/{name}",
        "PYTHONUSERBASE": "/github/workspace",
    }

    result = running.run(image, step)

    assert (result.code, result.outputs["decision"]) == (0, "passed"), result.ended.said
    assert "PLANTED" not in result.ended.said


ORPHANS = """
for _ in range(300):
    if os.fork() == 0:
        os._exit(0 if os.fork() else 0)
    os.wait()
rest = "right"
"""
STRAY = """
import resource, subprocess, sys, time
code = '''
import os, resource, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
resource.setrlimit(resource.RLIMIT_MSGQUEUE, (1, 1))
open(os.environ["HOME"] + "/stray", "w").write(str(os.getpid()))
for handle in range(3):
    os.close(handle)
time.sleep(600)
'''
place = os.environ["HOME"] + "/stray"
if not os.path.exists(place):
    subprocess.run([sys.executable, "-I", "-c", code])
    while not (os.path.exists(place) and open(place).read()):
        time.sleep(0.01)
    rest = "started"
else:
    try:
        rest = open("/proc/" + open(place).read() + "/stat").read().split()[2]
    except OSError:
        rest = "gone"
"""


def test_orphans_do_not_pile_up(image: Image, job: Job) -> None:
    cases = [item(f"look {number}", "right") for number in range(4)]
    job.change({"look.py": ORPHANS, "evals/desk.json": gates.document(*cases)})

    result = running.run(image, job.pull_request(), options=("--pids-limit", "400"))

    assert (result.code, result.outputs["decision"]) == (0, "passed"), result.ended.said


def test_what_gets_away_from_one_case_is_not_there_in_the_next(image: Image, job: Job) -> None:
    cases = [item("look once", "x"), item("look twice", "x")]
    job.change({"look.py": STRAY, "evals/desk.json": gates.document(*cases)})

    running.run(image, job.pull_request())

    document = json.loads((job.workspace / "mergebar-report/documents/evals/desk.json").read_text())
    assert [one["response"] for one in document["items"]] == ["started", "gone"]


def test_a_deep_tree_turns_nothing(image: Image, job: Job, tmp_path: Path) -> None:
    job.items(passing("first"))
    top = tmp_path / "mounted"
    top.mkdir()
    deep = "import os\nfor _ in range(1500): os.mkdir('deep'); os.chdir('deep')"
    subprocess.run([sys.executable, "-c", deep], cwd=top, check=True)
    volume = ("--volume", f"{top}:/github/workspace/deep")

    try:
        result = running.run(image, job.pull_request(), options=volume)
    finally:
        trees.remove(str(top))  # pytest couldn't

    assert (result.code, result.outputs["decision"]) == (0, "passed"), result.ended.said
