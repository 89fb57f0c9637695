"""Sessions that are run now: in a copy, with little of the environment, and within bounds."""

import json
from pathlib import Path

import pytest

from support import commands, held
from support.held import READS, SKILL

PROMPT = "sessions/leak.md"


def files(execute: str = "pass", *, prompt: str = "mend") -> dict[str, str]:
    return {
        SKILL: held.skill(READS),
        "agent.py": held.agent(execute),
        "pipes.txt": "wet\n",
        PROMPT: f"{prompt}\n",
    }


def test_a_session_is_run_and_its_output_is_graded(tmp_path: Path) -> None:
    here = held.repository(tmp_path, files(), config=held.running())

    ended = commands.inside("run", "--all", cwd=here.path)

    report = ended.report()
    assert ended.code == 0, ended.said
    assert held.checks(report) == {"leak::reads": "pass"}
    assert report["usage"]["agent_calls"] == 1
    trace = here.path / ".mergebar/sessions/0/leak.jsonl"
    assert b'"Skill"' in trace.read_bytes()
    manifest = json.loads(trace.with_name("leak.jsonl.manifest.json").read_bytes())
    assert manifest["schema"] == "mergebar.manifest/2"
    assert list(manifest["artifacts"]) == [SKILL]
    assert set(manifest["artifacts"][SKILL]) == {"body", "folder"}
    assert manifest["commit"] == here.head()


def test_it_works_in_a_copy_with_history_and_without_configuration(tmp_path: Path) -> None:
    execute = (
        "import subprocess; "
        "say(type='user', message={'role': 'user', 'content': "
        "open('.git/config').read() + subprocess.run(['git', 'log', '--oneline'], "
        "capture_output=True, text=True).stdout}); open('left.txt', 'w').close()"
    )
    here = held.repository(tmp_path, files(execute), config=held.running())
    here.git("config", "http.extraheader", "AUTHORIZATION: basic c2VjcmV0LXRva2Vu")

    ended = commands.inside("run", "--all", cwd=here.path)

    trace = (here.path / ".mergebar/sessions/0/leak.jsonl").read_text()
    assert ended.code == 0, ended.said
    assert not (here.path / "left.txt").exists()
    assert "first" in trace
    assert "c2VjcmV0LXRva2Vu" not in trace


def test_it_sees_the_files_that_are_not_committed_yet(tmp_path: Path) -> None:
    execute = "open('new.txt').close()"
    here = held.repository(tmp_path, files(execute), config=held.running())
    here.write("new.txt", "x")

    assert commands.inside("run", "--all", cwd=here.path).code == 0


def test_a_target_is_read_where_the_session_left_it(tmp_path: Path) -> None:
    wrote = "- {id: dry, grader: regex, options: {pattern: dry}, target: {source: file, path: pipes.txt}}"
    given = files("open('pipes.txt', 'w').write('dry')")
    given[SKILL] = held.skill(wrote)
    here = held.repository(tmp_path, given, config=held.running())

    ended = commands.inside("run", "--all", cwd=here.path)

    assert held.checks(ended.report()) == {"leak::dry": "pass"}
    assert (here.path / "pipes.txt").read_text() == "wet\n"


def test_it_gets_what_env_names_and_no_token(tmp_path: Path) -> None:
    execute = "say(type='user', message={'role': 'user', 'content': ' '.join(sorted(os.environ))})"
    here = held.repository(tmp_path, files(execute), config=held.running("env: [MINE]"))

    ended = commands.inside(
        "run",
        "--all",
        cwd=here.path,
        environ={"MINE": "x", "YOURS": "y", "INPUT_X": "z", "ACTIONS_RUNTIME_TOKEN": "t"},
    )

    trace = (here.path / ".mergebar/sessions/0/leak.jsonl").read_text()
    assert ended.code == 0, ended.said
    assert "MINE" in trace
    assert not {"YOURS", "INPUT_X", "ACTIONS_RUNTIME_TOKEN"} & set(trace.split())


def test_a_secret_that_it_was_given_is_in_no_file(tmp_path: Path) -> None:
    execute = "say(type='user', message={'role': 'user', 'content': os.environ['MINE']})"
    here = held.repository(tmp_path, files(execute), config=held.running("env: [MINE]"))

    commands.inside("run", "--all", cwd=here.path, environ={"MINE": "s3cr3t-v4lue-of-mine"})

    found = [
        path
        for path in (here.path / ".mergebar").rglob("*")
        if path.is_file() and b"s3cr3t-v4lue-of-mine" in path.read_bytes()
    ]
    assert found == []


@pytest.mark.parametrize(
    ("execute", "more", "said", "error"),
    [
        ("sys.exit(3)", (), "exited with code 3", "unavailable"),
        ("os.kill(os.getpid(), 9)", (), "SIGKILL", "unavailable"),
        ("import time; time.sleep(60)", ("timeout: 1s",), "within 1 s", "timeout"),
        ("os.write(1, b'x' * (70 << 20)); sys.exit()", (), "more than 64 MB", "bad-response"),
    ],
)
def test_a_session_that_fails_is_an_error_and_leaves_nothing_behind(
    tmp_path: Path, execute: str, more: tuple[str, ...], said: str, error: str
) -> None:
    here = held.repository(tmp_path, files(execute), config=held.running(*more))
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    ended = commands.run("run", "--all", cwd=here.path, environ={"TMPDIR": str(temporary)})

    assert ended.code == 3
    (check,) = ended.report()["checks"]
    assert check["error"]["class"] == error
    assert said in check["error"]["message"]
    assert list(temporary.iterdir()) == []


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    config = held.running().replace('command: ["', 'command: ["no-such-program", "')
    here = held.repository(tmp_path, files(), config=config)

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3
    assert "there is no `no-such-program` on the PATH" in ended.said


def test_a_prompt_serves_the_artifacts_that_it_names(tmp_path: Path) -> None:
    given = files()
    given[held.OTHER] = held.skill(READS, name="paint")
    given[PROMPT] = "---\nartifacts: [mend]\n---\nmend\n"
    given["sessions/both.md"] = "mend; paint\n"
    here = held.repository(tmp_path, given, config=held.running())

    report = commands.inside("run", "--all", cwd=here.path).report()

    assert [(one["suite"], one["case"]) for one in report["checks"]] == [
        (SKILL, "both"),
        (SKILL, "leak"),
        (held.OTHER, "both"),
    ]
    assert report["usage"]["agent_calls"] == 2


def test_a_prompt_is_one_argument_that_no_shell_reads(tmp_path: Path) -> None:
    prompt = "$(touch gone); `touch gone` {workdir} \"'"
    execute = "say(type='user', message={'role': 'user', 'content': sys.argv[1]})"
    here = held.repository(tmp_path, files(execute, prompt=prompt), config=held.running())

    commands.inside("run", "--all", cwd=here.path)

    trace = (here.path / ".mergebar/sessions/0/leak.jsonl").read_text()
    assert json.dumps(prompt) in trace
    assert not list(here.path.rglob("gone"))


def test_repository_code_that_may_never_run_is_withheld(tmp_path: Path) -> None:
    config = f"{held.running()}execution: {{repository_code: never}}\n"
    here = held.repository(tmp_path, files("open('/dev/null')"), config=config)

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3
    assert held.checks(ended.report()) == {"leak::reads": "withheld"}
    assert not (here.path / ".mergebar/sessions").exists()


def test_the_change_of_a_prompt_affects_what_it_serves(tmp_path: Path) -> None:
    here = held.repository(tmp_path, files(), config=held.running())
    here.git("tag", "base")
    here.commit({PROMPT: "mend it\n"})

    ended = commands.inside("run", "--base", "base", cwd=here.path)

    assert held.checks(ended.report()) == {"leak::reads": "pass"}
    assert ended.report()["suites"][0]["reason"] == f"affected: the prompt `{PROMPT}` changed"


def test_another_text_is_measured_on_fresh_sessions(tmp_path: Path) -> None:
    here = held.repository(tmp_path, files(), config=held.running())
    here.git("tag", "base")
    here.commit({SKILL: held.skill(READS, body="Mend it twice.\n")})

    ended = commands.inside("run", "--base", "base", cwd=here.path)

    assert held.checks(ended.report()) == {"leak::reads": "pass"}


def test_an_interrupt_ends_the_session_and_removes_its_copy(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    execute = f"import time; open({str(tmp_path / 'started')!r}, 'w').close(); time.sleep(60)"
    here = held.repository(tmp_path, files(execute), config=held.running())
    process = commands.start("run", "--all", cwd=here.path, environ={"TMPDIR": str(temporary)})
    while not (tmp_path / "started").exists() and process.poll() is None:
        pass
    process.send_signal(2)

    ended = commands.end(process, cwd=here.path)

    assert ended.code == 130
    assert ended.report()["run"]["complete"] is False
    assert list(temporary.iterdir()) == []


def test_replaying_runs_no_session(tmp_path: Path) -> None:
    here = held.repository(tmp_path, files(), config=held.running())

    ended = commands.inside("run", "--all", "--replay", cwd=here.path)

    assert ended.report()["usage"]["agent_calls"] == 0


def test_a_prompt_is_put_as_often_as_runs_says_each_time_in_a_fresh_copy(tmp_path: Path) -> None:
    given = files("import os; assert not os.path.exists('left'); open('left', 'w').close()")
    here = held.repository(tmp_path, given, config=held.running())

    ended = commands.inside("run", "--all", "--runs", "3", cwd=here.path)

    report = ended.report()
    assert ended.code == 0, ended.said
    assert report["usage"]["agent_calls"] == 3
    (check,) = report["checks"]
    assert [one["outcome"] for one in check["runs"]] == ["pass"] * 3
    assert check["measured"]["runs"] == 3
    kept = (here.path / ".mergebar/sessions").rglob("*.jsonl")
    assert len(list(kept)) == 3


def test_sessions_that_disagree_make_a_flaky_check(tmp_path: Path) -> None:
    count = tmp_path / "count"
    execute = (
        f"n = os.path.getsize({str(count)!r}) if os.path.exists({str(count)!r}) else 0; "
        f"open({str(count)!r}, 'a').write('x'); "
        "use('Bash', 'b1', command='ls') if n == 1 else None"
    )
    given = {**files(execute), SKILL: held.skill(held.QUIET)}
    here = held.repository(tmp_path, given, config=held.running())

    ended = commands.inside("run", "--all", "--runs", "3", cwd=here.path)

    (check,) = ended.report()["checks"]
    assert ended.code == 0, ended.said
    assert sorted(one["outcome"] for one in check["runs"]) == ["fail", "pass", "pass"]
    assert (check["outcome"], check["flaky"]) == ("pass", True)


def test_recorded_sessions_are_not_repeated_and_that_is_said_once(tmp_path: Path) -> None:
    given = {
        SKILL: held.skill(READS, held.QUIET),
        held.OTHER: held.skill(READS, name="paint"),
        "traces/a.jsonl": held.recorded(held.session()),
        "traces/b.jsonl": held.recorded(held.session("paint")),
    }
    here = held.repository(tmp_path, given)

    ended = commands.inside("run", "--all", "--runs", "3", cwd=here.path)

    report = ended.report()
    said = [one["message"] for one in report["warnings"] if "repeat" in one["message"]]
    assert said == [
        "2 recorded sessions can't be repeated, whatever `--runs` says: each is graded once"
    ]
    assert {len(one["runs"]) for one in report["checks"] if one["skip"] is None} == {1}


def test_the_plan_counts_each_repeat(tmp_path: Path) -> None:
    here = held.repository(tmp_path, files(), config=held.running())

    ended = commands.inside("plan", "--all", "--runs", "4", "--format", "json", cwd=here.path)

    assert json.loads(ended.stdout)["calls"]["agent"] == 4
