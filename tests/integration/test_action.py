"""`mergebar action` as the runner starts it: each event, its files, and text that would forge."""

import contextlib
import io
import json
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mergebar import cli, settings
from mergebar.commands import interrupts
from mergebar.model.text import Json
from support import commands, events, gates, judge_server, runner_files
from support.commands import Ended
from support.gates import failing, item, judged, passing
from support.judge_server import JudgeServer
from support.repositories import Repository
from support.servers import Reply, Server

DECLARED = [output.name for output in settings.OUTPUTS]
COUNTS = ("checks", "failed", "regressed", "errors", "needs-review")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a job: what it returned, and what the runner reads out of its files."""

    ended: Ended
    outputs: Mapping[str, str]
    summary: str
    commands: list[str] = field(default_factory=list)

    @property
    def report(self) -> dict[str, Any]:
        return self.ended.report("mergebar-report")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A runner's workspace with a pull request's merge commit checked out."""

    here: Repository
    files: Path
    base: str
    head: str
    merge: str

    def environ(self, name: str, payload: Json, **inputs: str) -> dict[str, str]:
        variables = events.environ(
            name, path=self.files / "event.json", payload=payload, sha=self.here.head()
        )
        for file in ("outputs", "summary"):
            (self.files / file).write_bytes(b"")
        given = {
            settings.variable(entry.name): entry.default
            for entry in settings.INPUTS
            if not entry.default.startswith("$")
        }
        return {
            **variables,
            **given,
            **{settings.variable(key): text for key, text in inputs.items()},
            "GITHUB_WORKSPACE": str(self.here.path),
            "GITHUB_OUTPUT": str(self.files / "outputs"),
            "GITHUB_STEP_SUMMARY": str(self.files / "summary"),
        }

    def run(
        self,
        name: str,
        payload: Json,
        *,
        more: Mapping[str, str] | None = None,
        inputs: Mapping[str, str] | None = None,
        start: Callable[..., Ended] = commands.inside,
    ) -> Step:
        environ = {**self.environ(name, payload, **(inputs or {})), **(more or {})}
        return self.read(start("action", cwd=self.here.path, environ=environ))

    def read(self, ended: Ended) -> Step:
        return Step(
            ended=ended,
            outputs=runner_files.outputs((self.files / "outputs").read_text(encoding="utf-8")),
            summary=(self.files / "summary").read_text(encoding="utf-8"),
            commands=issued(ended.stdout) + issued(ended.stderr),
        )

    def pull_request(self, **more: Any) -> dict[str, Json]:
        return events.pull_request(base=self.base, head=self.head, **more)


def issued(text: str) -> list[str]:
    """The lines that a runner takes for commands: `::` after blanks, else `##[` anywhere."""
    lines = re.split(r"\r\n|\r|\n", text)
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line]


def job(path: Path, *items: Mapping[str, object], config: str = gates.CONFIG, **files: str) -> Job:
    """`main` has one document, and the pull request these items in a second one."""
    here = gates.repository(path / "work space", passing("base"), config=config)
    base = here.head()
    here.branch("change")
    changed = {"evals/change.json": gates.document(*items)} if items else {}
    head = here.commit({**changed, **files})
    here.checkout(base)
    merge = here.merge("change")
    return Job(here=here, files=path, base=base, head=head, merge=merge)


def cases(report: dict[str, Any]) -> list[str]:
    return [check["label"] for check in report["checks"]]


def test_a_pull_request_is_measured_where_it_changed_something(tmp_path: Path) -> None:
    work = job(tmp_path, passing("new"), failing("worse"))

    step = work.run("pull_request", work.pull_request(), start=commands.run)

    assert step.ended.code == 1
    assert list(step.outputs) == DECLARED
    assert step.outputs == {
        **dict.fromkeys(DECLARED, ""),
        "decision": "failed",
        "exit-code": "1",
        "pass-rate": "0.5000",
        **dict(zip(COUNTS, ("2", "1", "0", "0", "0"), strict=True)),
        "report-path": "mergebar-report/report.json",
    }
    assert cases(step.report) == ["say new", "say worse"]
    run = step.report["run"]
    assert (run["event"], run["trusted"], run["scope"]) == ("pull_request", True, "affected")
    assert (run["commit"], run["head_commit"], run["base_commit"]) == (
        work.merge,
        work.head,
        work.base,
    )
    assert (run["id"], run["attempt"], run["policy"]) == ("4711", 2, "base")
    assert step.summary.startswith("## ❌ Failed: 1 check blocks\n")
    comment = (work.here.path / "mergebar-report/comment.md").read_text()
    marker = f"<!-- mergebar:v1 key=mergebar run=4711 attempt=2 sha={work.head} -->"
    assert comment.startswith(marker)
    assert list(commands.documents(work.here.path / "mergebar-report")) == ["evals/change.json"]


@pytest.mark.parametrize(
    ("payload", "more"),
    [
        ({"head_repository": "stranger/agent"}, {}),
        ({"head_repository": None}, {}),
        ({"author": "dependabot[bot]"}, {}),
        ({}, {"GITHUB_ACTOR": "dependabot[bot]"}),
    ],
)
def test_code_of_a_stranger_is_not_run_and_nothing_is_green(
    tmp_path: Path, payload: dict[str, Any], more: dict[str, str]
) -> None:
    work = job(tmp_path, passing("new"), item("Hi", "Hello", response="Hello"))

    step = work.run("pull_request", work.pull_request(**payload), more=more)

    assert step.ended.code == 3
    assert step.outputs["decision"] == "could-not-evaluate"
    assert step.report["run"]["trusted"] is False
    assert {(one["outcome"], one["skip"]) for one in step.report["checks"]} == {
        ("skipped", "withheld")
    }
    assert "repository code does not run for untrusted events" in step.summary
    assert gates.calls(work.here.path) == []


@pytest.mark.parametrize(
    ("name", "ran", "scope"),
    [
        ("merge_group", ["say new"], "affected"),
        ("push", ["say new", "say base"], "all"),
        ("push to a branch", ["say new"], "affected"),
        ("schedule", ["say new", "say base"], "all"),
        ("workflow_dispatch", ["say new", "say base"], "all"),
    ],
)
def test_each_trusted_event_has_its_scope(
    tmp_path: Path, name: str, ran: list[str], scope: str
) -> None:
    work = job(tmp_path, passing("new"))
    work.here.git("update-ref", "refs/remotes/origin/main", work.base)
    payloads: dict[str, dict[str, Json]] = {
        "merge_group": events.merge_group(base=work.base, head=work.merge),
        "push": events.push(before=work.base, after=work.merge),
        "push to a branch": events.push(branch="change", before=events.ZERO, after=work.merge),
        "schedule": events.schedule(),
        "workflow_dispatch": events.workflow_dispatch(),
    }

    step = work.run(name.removesuffix(" to a branch"), payloads[name])

    assert (step.ended.code, step.outputs["decision"]) == (0, "passed")
    assert sorted(cases(step.report)) == sorted(ran)
    assert (step.report["run"]["trusted"], step.report["run"]["scope"]) == (True, scope)


def test_any_other_event_is_not_trusted_and_runs_all(tmp_path: Path) -> None:
    config = gates.CONFIG.replace("agents:\n", "agents:\n  stored: {type: replay}\n").replace(
        "    agent: desk\n", "    agent: stored\n"
    )
    work = job(tmp_path, item("Hi", "Hello", response="Hello"), config=config)
    work.here.write("evals/desk.json", gates.document(item("Yo", "Hey", response="Hey")))

    step = work.run("issue_comment", {"repository": events.repository()})

    assert step.ended.code == 0
    assert (step.report["run"]["trusted"], step.report["run"]["scope"]) == (False, "all")
    assert sorted(cases(step.report)) == ["Hi", "Yo"]


@pytest.mark.parametrize(
    ("name", "inputs", "said"),
    [
        ("workflow_run", {"mode": "run"}, "`mode: run` is refused on `workflow_run`"),
        ("workflow_run", {"mode": "check"}, "`mode: check` is refused on `workflow_run`"),
        ("pull_request_target", {}, "`mode: run` is refused on `pull_request_target`"),
        ("pull_request_target", {"mode": "publish"}, "`mode: publish` is refused"),
        ("pull_request", {"mode": "rum"}, "the input `mode` is `rum`; did you mean `run`?"),
        ("pull_request", {"working-directory": "nowhere"}, "names `nowhere`, which is no folder"),
        ("pull_request", {"paths": "../outside.json"}, "leaves the workspace"),
    ],
)
def test_what_is_refused_exits_2_with_all_outputs_and_runs_nothing(
    tmp_path: Path, name: str, inputs: dict[str, str], said: str
) -> None:
    work = job(tmp_path, passing("new"))
    payload = events.workflow_run() if name == "workflow_run" else work.pull_request()

    step = work.run(name, payload, inputs=inputs)

    assert step.ended.code == 2
    assert list(step.outputs) == DECLARED
    assert (step.outputs["decision"], step.outputs["exit-code"]) == ("invalid", "2")
    assert (step.outputs["checks"], step.outputs["report-path"]) == ("0", "")
    (command,) = step.commands
    assert command.startswith("::error::")
    assert said in command
    assert step.summary.startswith("## 🚫 Invalid\n")
    assert gates.calls(work.here.path) == []


def test_help_is_help_and_no_error(tmp_path: Path) -> None:
    shown = commands.inside("action", "--help", cwd=tmp_path)
    wrong = commands.inside("action", "--verbose", cwd=tmp_path)

    assert (shown.code, shown.stderr) == (0, "")
    assert shown.stdout.startswith("usage: mergebar action")
    assert "INPUT_CHECK_NAME" in shown.stdout
    assert wrong.code == 2
    assert "takes no arguments" in wrong.stdout


class Broken(io.StringIO):
    """A stream that does what none may: as good as a bug of ours."""

    def write(self, text: str) -> int:
        raise LookupError(text)


@pytest.fixture
def own_signals() -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in interrupts.NUMBERS}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("own_signals")
def test_a_bug_still_writes_every_output_and_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = job(tmp_path, passing("new"))
    for name, value in work.environ("pull_request", work.pull_request()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(work.here.path)

    with contextlib.redirect_stdout(Broken()):
        code = cli.main(["action"])

    outputs = runner_files.outputs((tmp_path / "outputs").read_text())
    assert code == 70
    assert list(outputs) == DECLARED
    assert (outputs["decision"], outputs["exit-code"]) == ("could-not-evaluate", "70")
    assert "a bug of its own" in (tmp_path / "summary").read_text()


def test_check_mode_validates_and_runs_nothing_even_where_running_is_refused(
    tmp_path: Path,
) -> None:
    work = job(tmp_path, item("say a", "a", evaluators={"ExactMach": {}}))

    step = work.run("pull_request_target", work.pull_request(), inputs={"mode": "check"})

    assert step.ended.code == 2
    assert (step.outputs["decision"], step.outputs["exit-code"]) == ("invalid", "2")
    (command,) = step.commands
    assert command.startswith("::error file=evals/change.json,line=8,col=5")
    assert "did you mean `ExactMatch`?" in command
    assert "evals/change.json" in step.summary
    assert gates.calls(work.here.path) == []

    (work.here.path / "evals/change.json").write_text(gates.document(passing()))
    fine = work.run("pull_request_target", work.pull_request(), inputs={"mode": "check"})
    assert (fine.ended.code, fine.outputs["decision"]) == (0, "passed")


def test_a_closed_pull_request_is_left_alone(tmp_path: Path) -> None:
    work = job(tmp_path, failing("new"))

    step = work.run("pull_request", work.pull_request(action="closed"))

    assert step.ended.code == 0
    assert step.outputs == {
        **dict.fromkeys(DECLARED, ""),
        "decision": "passed",
        "exit-code": "0",
        **dict.fromkeys(COUNTS, "0"),
    }
    assert "The pull request was closed." in step.summary
    assert not (work.here.path / "mergebar-report").exists()


def test_nothing_affected_is_a_pass_so_that_a_required_check_never_hangs(tmp_path: Path) -> None:
    work = job(tmp_path, **{"README.md": "Hello"})

    step = work.run("pull_request", work.pull_request())

    assert (step.ended.code, step.outputs["decision"]) == (0, "passed")
    assert (step.outputs["checks"], step.outputs["pass-rate"]) == ("0", "")
    assert "nothing affected" in step.summary.lower()


def test_inputs_choose_scope_paths_agent_and_folder(tmp_path: Path) -> None:
    work = job(tmp_path, passing("new"))

    everything = work.run("pull_request", work.pull_request(), inputs={"scope": "all"})
    assert sorted(cases(everything.report)) == ["say base", "say new"]
    named = work.run("pull_request", work.pull_request(), inputs={"paths": "evals/desk.json\n\n"})
    assert cases(named.report) == ["say base"]
    nobody = work.run("pull_request", work.pull_request(), inputs={"agent": "nobody"})
    assert (nobody.ended.code, nobody.outputs["decision"]) == (2, "invalid")
    assert "there is no agent `nobody`" in nobody.summary


def test_advice_returns_0_and_its_outputs_say_what_enforcing_would_give(tmp_path: Path) -> None:
    config = gates.CONFIG + "gate: {mode: advise}\n"
    work = job(tmp_path, failing("new"), config=config)

    step = work.run("pull_request", work.pull_request())

    assert step.ended.code == 0
    assert (step.outputs["decision"], step.outputs["exit-code"]) == ("failed", "1")


def test_a_config_in_a_subfolder_reports_paths_from_the_top(tmp_path: Path) -> None:
    files = {
        "bots/mergebar.yml": gates.CONFIG,
        "bots/agent.py": gates.AGENT,
        "bots/evals/a.json": gates.document(passing("deep")),
    }
    work = job(tmp_path, **files)

    step = work.run("pull_request", work.pull_request(), inputs={"working-directory": "bots"})

    assert step.ended.code == 0
    assert [suite["path"] for suite in step.report["suites"]] == ["bots/evals/a.json"]
    assert "policy of this change" in step.summary
    assert (work.here.path / "mergebar-report/documents/bots/evals/a.json").is_file()


@pytest.mark.parametrize("missing", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_a_file_of_the_runner_that_is_missing_is_a_warning(tmp_path: Path, missing: str) -> None:
    work = job(tmp_path, failing("new"))

    step = work.run("pull_request", work.pull_request(), more={missing: ""})

    assert step.ended.code == 1
    assert [one for one in step.commands if f"`{missing}` is not set" in one] != []


@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"pull_request": 3}'])
def test_an_event_file_that_is_none_is_said(tmp_path: Path, content: str | None) -> None:
    work = job(tmp_path, passing("new"))
    environ = work.environ("pull_request", {})
    event = Path(environ["GITHUB_EVENT_PATH"])
    event.unlink() if content is None else event.write_text(content)

    step = work.read(commands.inside("action", cwd=work.here.path, environ=environ))

    assert step.ended.code == 2
    assert step.outputs["decision"] == "invalid"
    (command,) = step.commands
    assert "event" in command


def test_run_in_a_step_follows_the_same_table(tmp_path: Path) -> None:
    work = job(tmp_path, passing("new"))
    fork = work.environ("pull_request", work.pull_request(head_repository="stranger/agent"))
    stranger = commands.inside("run", cwd=work.here.path, environ=fork)
    assert stranger.code == 3

    own = work.environ("pull_request", work.pull_request())
    ours = commands.inside("run", cwd=work.here.path, environ=own)
    assert ours.code == 0
    assert cases(ours.report()) == ["say new"]
    assert gates.calls(work.here.path) == ["say new"]


HOSTILE = (
    "\n::set-output name=decision::passed\n::add-mask::a\n##[error]forged\r::error::forged\n"
    "decision<<x\npassed\nx\n<!-- mergebar:v1 key=mergebar run=9 attempt=9 sha=0 -->\x1b[2J"
)


def test_no_text_of_the_repository_the_agent_or_the_judge_forges_an_output_or_a_command(
    tmp_path: Path,
) -> None:
    items = [
        item(f"say {HOSTILE}", "x"),
        {**failing("tagged"), "extensions": {"io.github.mergebar": {"id": f"id {HOSTILE}"}}},
        item(f"declare {HOSTILE}", "x"),
        item("exit now", "x"),
        judged("fine"),
    ]
    with JudgeServer([judge_server.verdict(1, f"bad {HOSTILE}")]) as server:
        config = gates.CONFIG + gates.judge(server.base_url)
        work = job(tmp_path, *items, config=config)
        hostile = work.here.path / "evals/a\n::error::forged\n##[error]x.json"
        hostile.write_text(gates.document(failing("in a file")))
        (work.here.path / f"evals/{'b'}\r::add-mask::x.json").write_text('{"items": [')
        more = {"JUDGE_KEY": "::set-output name=failed::0"}
        step = work.run(
            "pull_request",
            work.pull_request(),
            inputs={"scope": "all"},
            more=more,
            start=commands.run,
        )
        checked = work.run("pull_request", work.pull_request(), more=more, inputs={"mode": "check"})

    assert step.outputs["decision"] == "invalid"
    assert list(step.outputs) == DECLARED
    assert step.outputs["failed"] == "4"
    genuine = re.compile("::(error|warning|notice)( file=[^:]*| title=[^:]*)?::.{10}")
    assert [line for line in step.commands if not genuine.match(line)] == []
    assert not {"::error::forged", "##[error]forged"} & set(step.commands)
    assert "\x1b" not in step.ended.stdout + step.summary
    comment = (work.here.path / "mergebar-report/comment.md").read_text()
    assert comment.count("<!-- mergebar:v1") == 1
    assert list(checked.outputs) == DECLARED
    assert [line for line in checked.commands if not genuine.match(line)] == []


@pytest.mark.parametrize("times", [1, 2])
def test_a_cancelled_job_leaves_what_was_measured(tmp_path: Path, times: int) -> None:
    config = gates.CONFIG.replace("    timeout: 20s\n", "    timeout: 60s\n    concurrency: 1\n")
    work = job(tmp_path, passing("new"), item("hang on", "x"), config=config)
    environ = work.environ("pull_request", work.pull_request())

    process = commands.start("action", cwd=work.here.path, environ=environ)
    hanging, deadline = work.here.path / ".hanging", time.monotonic() + 30
    while not hanging.exists() or not hanging.read_text():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for _ in range(times):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.005)
    step = work.read(commands.end(process, cwd=work.here.path))

    assert step.ended.code == 130
    assert step.report["run"]["complete"] is False
    assert [check["outcome"] for check in step.report["checks"]] == ["pass", "error"]
    assert (step.outputs["decision"], step.outputs["errors"]) == ("could-not-evaluate", "1")
    assert "interrupted" in step.summary


@pytest.mark.parametrize(
    "folder", ["here/work space/mergebar-report", "temp/mergebar-report-mergebar"]
)
def test_a_link_that_an_agent_plants_for_the_report_is_not_followed_and_no_pass(
    tmp_path: Path, folder: str
) -> None:
    for name in ("temp", "elsewhere"):
        (tmp_path / name).mkdir()
    planted = tmp_path / folder
    agent = (
        "import json, os, shutil, sys\nsys.stdin.readline()\n"
        f"if not os.path.islink({str(planted)!r}):\n"
        f"    shutil.rmtree({str(planted)!r})\n"
        f"    os.symlink({str(tmp_path / 'elsewhere')!r}, {str(planted)!r})\n"
        'print(json.dumps({"response": "new"}))\n'
    )
    config = gates.CONFIG.replace("agent.py]", "planting.py]")
    work = job(tmp_path / "here", passing("new"), config=config, **{"planting.py": agent})
    environ = work.environ("pull_request", work.pull_request())
    environ["RUNNER_TEMP"] = str(tmp_path / "temp")

    step = work.read(commands.inside("action", cwd=work.here.path, environ=environ))

    assert step.ended.code == 2
    assert step.outputs["decision"] == "invalid"
    assert "it is a link or a file" in step.summary
    assert planted.is_symlink()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_token_reaches_neither_the_agent_nor_a_report(tmp_path: Path) -> None:
    agent = (
        "import json, os, sys\nsys.stdin.readline()\n"
        'print(json.dumps({"response": json.dumps(dict(os.environ))}))\n'
    )
    config = gates.CONFIG.replace("agent.py]", "spy.py]")
    work = job(tmp_path, passing("new"), config=config, **{"spy.py": agent})
    secrets = {
        "GITHUB_TOKEN": "ghs_0123456789abcdefghijklmnopqrstuvwxyz",
        "ACTIONS_RUNTIME_TOKEN": "runtime-token-1234567890",
        "SOME_SECRET": "some-secret-1234567890",
    }

    with Server([Reply(status=403, body=b'{"message": "no"}')]) as github:
        more = {**secrets, "GITHUB_API_URL": github.url}
        inputs = {"github-token": "ghs_input-1234567890", "upload-artifact": "false"}
        step = work.run("pull_request", work.pull_request(), more=more, inputs=inputs)

    assert step.ended.code == 1
    report = json.dumps(step.report)
    (filled,) = commands.documents(work.here.path / "mergebar-report")["evals/change.json"]["items"]
    seen = json.loads(filled["response"])
    assert "PATH" in seen
    assert not [name for name in seen if name.startswith(("GITHUB_", "ACTIONS_", "INPUT_"))]
    for secret in (*secrets.values(), "ghs_input-1234567890"):
        assert secret not in report + step.summary + step.ended.stdout + filled["response"]


REFUSED: dict[str, tuple[str, dict[str, str], bool]] = {
    "input": ("pull_request", {"check-run": "maybe"}, True),
    "mode that is none": ("pull_request", {"mode": "rum"}, True),
    "name": ("pull_request", {"check-name": "a\nb"}, True),
    "folder": ("pull_request", {"working-directory": "nowhere"}, True),
    "path": ("pull_request", {"paths": "../outside.json"}, True),
    "event": ("pull_request_target", {"mode": "run"}, True),
    "check": ("pull_request", {"mode": "check", "check-run": "maybe"}, False),
    "publish": ("pull_request", {"mode": "publish", "check-run": "maybe"}, False),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_whatever_is_refused_leaves_no_report_of_an_earlier_run(tmp_path: Path, kind: str) -> None:
    name, inputs, replaced = REFUSED[kind]
    work = job(tmp_path, passing("new"))
    work.run("pull_request", work.pull_request())
    folder = work.here.path / "mergebar-report"
    (folder / "notes.txt").write_text("somebody's")
    assert list((folder / "documents").rglob("*.json"))

    step = work.run(name, work.pull_request(), inputs=inputs)
    assert (step.ended.code, step.outputs["report-path"]) == (2, "")
    assert step.report["decision"]["outcome"] == ("invalid" if replaced else "passed")
    assert (folder / "documents").exists() != replaced
    assert (folder / "notes.txt").read_text() == "somebody's"


@pytest.mark.parametrize("theirs", ["no folder", "another's report"])
def test_a_refusal_writes_no_report_where_mergebar_has_written_none(
    tmp_path: Path, theirs: str
) -> None:
    work = job(tmp_path, passing("new"))
    folder = work.here.path / "mergebar-report"
    if theirs == "another's report":
        folder.mkdir()
        (folder / "report.json").write_text("{}")
        (folder / "documents").mkdir()

    step = work.run("pull_request", work.pull_request(), inputs={"check-run": "maybe"})
    assert step.ended.code == 2
    assert folder.exists() == (theirs == "another's report")
    if folder.exists():
        assert (folder / "report.json").read_text() == "{}"
        assert (folder / "documents").is_dir()


@pytest.mark.parametrize("ends", ["refused", "killed"])
def test_a_report_that_a_runner_has_kept_stands_for_no_later_run(tmp_path: Path, ends: str) -> None:
    work = job(tmp_path, passing("new"))
    assert work.run("pull_request", work.pull_request()).report["decision"]["exit_code"] == 0

    if ends == "refused":
        work.here.git("add", "-f", "mergebar-report/comment.md")
        step = work.run("pull_request", work.pull_request())
        assert step.ended.code == 2
        assert step.report["decision"]["outcome"] == "invalid"
        return
    work.here.write("evals/change.json", gates.document(item("hang on", "x")))
    environ = work.environ("pull_request", work.pull_request())
    process = commands.start("action", cwd=work.here.path, environ=environ)
    end = time.monotonic() + 30
    while not (work.here.path / ".hanging").exists() and time.monotonic() < end:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    report = commands.report(work.here.path / "mergebar-report/report.json")
    assert report["run"]["complete"] is False
    assert report["decision"]["outcome"] == "could-not-evaluate"
