"""The `command` agent, with real processes that behave well, badly and worse."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from mergebar.agents import command
from mergebar.model.conversations import (
    Answer,
    Citation,
    ErrorClass,
    Exchange,
    Failure,
    Noting,
    Question,
    Usage,
)
from mergebar.model.text import Json
from support import agents


def ask(
    code: str | list[Json],
    *,
    root: Path,
    question: Question | None = None,
    environ: Mapping[str, str] | None = None,
    timeout_s: float = 20.0,
    output_limit: int = 1_000_000,
    **options: Json,
) -> Answer | Failure:
    argv = agents.python(code) if isinstance(code, str) else code
    entry = agents.config(
        timeout_s=timeout_s, output_limit=output_limit, options={"command": argv, **options}
    )
    agent = command.create(entry, agents.context(root, environ))
    return asyncio.run(agent.ask(question or agents.question()))


def failure(*args: object, **kwargs: object) -> Failure:
    result = ask(*args, **kwargs)  # type: ignore[arg-type]
    assert isinstance(result, Failure), result
    return result


def test_the_process_gets_the_turn_as_one_line_and_then_the_end_of_its_input(
    tmp_path: Path,
) -> None:
    code = "import json, sys; print(json.dumps({'response': sys.stdin.read()}))"
    asked = agents.question(
        "And the\nbattery?",
        turn=1,
        history=(Exchange(prompt="Hi", response="Hello"),),
        conversation_id="c-1",
    )

    answer = ask(code, root=tmp_path, question=asked)

    assert isinstance(answer, Answer)
    assert answer.response.count("\n") == 1
    assert json.loads(answer.response) == {
        "prompt": "And the\nbattery?",
        "conversation_id": "c-1",
        "turn": 1,
        "history": [{"prompt": "Hi", "response": "Hello"}],
        "case": "reset",
    }


def test_everything_that_the_protocol_has_comes_back(tmp_path: Path) -> None:
    reply = {
        "response": "Hold it.",
        "conversation_id": "c-2",
        "citations": [{"index": 1, "text": "Reset", "source": "docs/reset.md"}, {"index": 2}],
        "diagnostics": {"queries": []},
        "tool_calls": [{"name": "search"}],
        "usage": {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5},
    }

    answer = ask(f"print({json.dumps(reply)!r})", root=tmp_path)

    assert answer == Answer(
        response="Hold it.",
        conversation_id="c-2",
        citations=(
            Citation(index=1, text="Reset", source="docs/reset.md"),
            Citation(index=2),
        ),
        diagnostics={"queries": []},
        tool_calls=({"name": "search"},),
        usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.5),
    )


def test_no_diagnostics_is_not_the_same_as_empty_ones(tmp_path: Path) -> None:
    without = ask("""print('{"response": "x"}')""", root=tmp_path)
    empty = ask("""print('{"response": "x", "diagnostics": {}}')""", root=tmp_path)

    assert isinstance(without, Answer)
    assert isinstance(empty, Answer)
    assert without.diagnostics is None
    assert empty.diagnostics == {}


def test_a_blank_response_is_an_answer(tmp_path: Path) -> None:
    answer = ask("""print('{"response": ""}', end='')""", root=tmp_path)

    assert answer == Answer(response="")


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("", "printed nothing"),
        (r"\n \n", "printed nothing"),
        ("I think so", "is not JSON"),
        (r"{}\n{}", "printed 2 lines"),
        (r'{\n"response": "x"}', "printed 2 lines"),
        ("[1]", "is a list, not an object"),
        ("null", "is null, not an object"),
        ("{}", "`response` is missing"),
        ('{"response": 4}', "`response` must be text"),
        ('{"response": null}', "`response` must be text"),
        ('{"response": "x", "diagnostics": []}', "`diagnostics` must be an object"),
        (
            '{"response": "x", "citations": [{"index": "1"}]}',
            "`citations[0].index` must be a whole",
        ),
        ('{"response": "x", "usage": {"cost_usd": -1}}', "`usage.cost_usd` must not be below 0"),
        ('{"response": "x", "answer": "y"}', "`answer` is not a known key"),
        ('{"response": "x", "response": "y"}', "has the key `response` twice"),
        ('{"response": "x", "diagnostics": {"score": NaN}}', "holds `NaN`"),
        ('{"response": "x", "diagnostics": {"score": 1e999}}', "holds `1e999`"),
        (r'{"response": "\\ud800"}', "half of a surrogate pair"),
        ('{"response": "x", "error": {"message": "y"}}', "both `response` and `error`"),
        ('{"error": "no"}', "`error` must be an object"),
    ],
)
def test_what_is_not_one_reply_is_named(printed: str, said: str, tmp_path: Path) -> None:
    result = failure(f"print('''{printed}''')", root=tmp_path)

    assert result.error_class is ErrorClass.BAD_RESPONSE
    assert said in result.message
    assert "`support`" in result.message
    assert "\n" not in result.message


@pytest.mark.parametrize(
    ("bytes_", "said"),
    [
        (b"\xff\xfe\x00", "is not UTF-8: byte 1 is 0xff"),
        (b'{"response": "' + b"[" * 300_000, "is not JSON"),
        (
            b'{"response": "x", "diagnostics": {"x": ' + b"[" * 900 + b"]" * 900 + b"}}",
            "too deeply",
        ),
        (b'{"response": "x", "diagnostics": {"x": ' + b"9" * 9000 + b"}}", "too large a number"),
    ],
)
def test_bytes_that_no_reply_can_be_are_named(bytes_: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(bytes_)
    code = "import sys; sys.stdout.buffer.write(open('out', 'rb').read())"

    result = failure(code, root=tmp_path)

    assert result.error_class is ErrorClass.BAD_RESPONSE
    assert said in result.message


@pytest.mark.parametrize("error_class", ["auth", "throttled", "refused", "timeout", "unavailable"])
def test_a_declared_error_keeps_its_class(error_class: str, tmp_path: Path) -> None:
    reply = json.dumps({"error": {"class": error_class, "message": "the index is down"}})

    result = failure(f"print({reply!r})", root=tmp_path)

    assert result.error_class == error_class
    assert "the index is down" in result.message


def test_a_declared_error_of_an_unknown_class_is_a_bad_response(tmp_path: Path) -> None:
    result = failure("""print('{"error": {"class": "oops", "message": "m"}}')""", root=tmp_path)

    assert result.error_class is ErrorClass.BAD_RESPONSE
    assert "reports: m" in result.message


def test_a_crash_names_the_exit_code_and_the_end_of_stderr(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('x' * 5000 + 'no index at docs/'); sys.exit(3)"

    result = failure(code, root=tmp_path)

    assert result.error_class is ErrorClass.UNAVAILABLE
    assert "exited with code 3" in result.message
    assert result.message.endswith("no index at docs/")
    assert len(result.message) < 2200


def test_an_answer_with_a_failing_exit_is_a_failure(tmp_path: Path) -> None:
    result = failure("""import sys; print('{"response": "x"}'); sys.exit(1)""", root=tmp_path)

    assert result.error_class is ErrorClass.UNAVAILABLE
    assert "exited with code 1" in result.message


def test_an_error_declared_before_a_failing_exit_is_the_one_that_counts(tmp_path: Path) -> None:
    code = """import sys; print('{"error": {"class": "auth", "message": "no key"}}'); sys.exit(1)"""

    result = failure(code, root=tmp_path)

    assert result.error_class is ErrorClass.AUTH
    assert "no key" in result.message
    assert "exited with code 1" in result.message


def test_a_signal_is_named(tmp_path: Path) -> None:
    result = failure("import os; os.kill(os.getpid(), 9)", root=tmp_path)

    assert result.error_class is ErrorClass.UNAVAILABLE
    assert "was killed by SIGKILL" in result.message


def test_stderr_that_is_not_utf_8_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    code = r"import os; os.write(2, b'caf\xe9 closed'); os._exit(1)"

    assert "caf\ufffd closed" in failure(code, root=tmp_path).message


def test_a_process_that_never_answers_is_stopped_at_the_timeout(tmp_path: Path) -> None:
    started = time.monotonic()

    result = failure(
        "import sys, time; print('warming up', file=sys.stderr, flush=True); time.sleep(60)",
        root=tmp_path,
        timeout_s=0.5,
    )

    assert time.monotonic() - started < 5
    assert result.error_class is ErrorClass.TIMEOUT
    assert "gave no answer within 0.5 s" in result.message
    assert "warming up" in result.message


def test_a_process_that_answers_and_never_exits_is_told_so(tmp_path: Path) -> None:
    code = """import time; print('{"response": "x"}', flush=True); time.sleep(60)"""

    result = failure(code, root=tmp_path, timeout_s=0.5)

    assert result.error_class is ErrorClass.TIMEOUT
    assert "did not exit within 0.5 s" in result.message


CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(60)"])
open("pid", "w").write(str(child.pid))
"""


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie that nobody has waited for doesn't."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_dead(pid: int) -> bool:
    for _ in range(100):
        if not is_alive(pid):
            return True
        time.sleep(0.02)
    return False


def wait_for_text(path: Path) -> None:
    for _ in range(500):
        if path.exists() and path.read_text():
            return
        time.sleep(0.02)


needs_proc = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="reads /proc")


@needs_proc
def test_the_timeout_kills_the_children_too(tmp_path: Path) -> None:
    failure(CHILD + "time.sleep(60)", root=tmp_path, timeout_s=1.0)

    assert wait_until_dead(int((tmp_path / "pid").read_text()))


@needs_proc
def test_a_child_that_is_left_behind_with_the_pipes_does_not_hang_us(tmp_path: Path) -> None:
    started = time.monotonic()

    answer = ask(CHILD + """print('{"response": "x"}')""", root=tmp_path)

    assert answer == Answer(response="x")
    assert time.monotonic() - started < 5
    assert wait_until_dead(int((tmp_path / "pid").read_text()))


def test_a_daemon_in_a_session_of_its_own_does_not_hang_us_either(tmp_path: Path) -> None:
    code = CHILD.replace('sleep(60)"]', 'sleep(4)"], start_new_session=True')
    started = time.monotonic()

    answer = ask(code + """print('{"response": "x"}')""", root=tmp_path)

    assert answer == Answer(response="x")
    assert time.monotonic() - started < 3.5


@needs_proc
def test_a_cancellation_kills_the_process(tmp_path: Path) -> None:
    code = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    agent = command.create(
        agents.config(options={"command": agents.python(code)}), agents.context(tmp_path)
    )

    async def cancelled() -> None:
        task = asyncio.create_task(agent.ask(agents.question()))
        await asyncio.to_thread(wait_for_text, tmp_path / "pid")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert wait_until_dead(int((tmp_path / "pid").read_text()))


def test_fifty_megabytes_are_not_read(tmp_path: Path) -> None:
    code = "import sys\nfor _ in range(50): sys.stdout.write('x' * 1_000_000)"
    started = time.monotonic()

    result = failure(code, root=tmp_path)

    assert time.monotonic() - started < 5
    assert result.error_class is ErrorClass.BAD_RESPONSE
    assert "printed more than 1 MB (`output_limit`)" in result.message


def test_an_answer_at_the_limit_is_read_whole(tmp_path: Path) -> None:
    line = json.dumps({"response": "x" * 300_000})
    code = """print('{"response": "' + 'x' * 300_000 + '"}', end='')"""

    assert isinstance(ask(code, root=tmp_path, output_limit=len(line)), Answer)
    assert isinstance(ask(code, root=tmp_path, output_limit=len(line) - 1), Failure)


def test_a_noisy_stderr_is_no_obstacle(tmp_path: Path) -> None:
    code = """import sys; sys.stderr.write('x' * 3_000_000); print('{"response": "x"}')"""

    assert ask(code, root=tmp_path) == Answer(response="x")


def test_a_process_that_does_not_read_its_input_may_answer_all_the_same(tmp_path: Path) -> None:
    code = """import os; os.close(0); print('{"response": "x"}')"""
    long = agents.question(prompt="x" * 500_000)

    assert ask(code, root=tmp_path, question=long) == Answer(response="x")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["no-such-program"], "there is no `no-such-program` on the PATH"),
        (["./agent.sh"], "there is no `./agent.sh` in its `cwd` (`.`)"),
        (["./notes.txt"], "`./notes.txt` may not be executed: make it executable"),
        (["./garbage"], "`./garbage` doesn't start: Exec format error"),
        (["a\0b"], "`agents.support.command.0` holds a NUL"),
        ([], "`agents.support.command` is empty"),
    ],
)
def test_a_program_that_does_not_start_is_the_configuration_s_fault(
    argv: list[Json], said: str, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("no program")
    (tmp_path / "garbage").write_bytes(b"\x00\x01")
    (tmp_path / "garbage").chmod(0o755)

    result = failure(argv, root=tmp_path, environ={"PATH": os.environ["PATH"]})

    assert result.error_class is ErrorClass.CONFIG
    assert said in result.message


def test_it_runs_in_its_cwd_below_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    code = "import json, os; print(json.dumps({'response': os.getcwd()}))"

    answer = ask(code, root=tmp_path, cwd="bots")

    assert isinstance(answer, Answer)
    assert Path(answer.response).samefile(tmp_path / "bots")


def test_a_missing_cwd_is_named(tmp_path: Path) -> None:
    result = failure("", root=tmp_path, cwd="bots")

    assert result.error_class is ErrorClass.CONFIG
    assert result.message == "`agents.support.cwd` names no folder: there is no folder `bots` here"


ENVIRONMENT = "import json, os; print(json.dumps({'response': json.dumps(dict(os.environ))}))"


def test_the_environment_is_what_a_program_needs_and_what_the_entry_names(tmp_path: Path) -> None:
    given = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "DOCS_DIR": "docs",
        "OTHER_KEY": "secret",
        "GITHUB_TOKEN": "secret",
        "ACTIONS_RUNTIME_TOKEN": "secret",
        "INPUT_GITHUB-TOKEN": "secret",
    }
    named: list[Json] = ["DOCS_DIR", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_GITHUB-TOKEN"]

    answer = ask(ENVIRONMENT, root=tmp_path, environ=given, env=named)

    assert isinstance(answer, Answer)
    got = json.loads(answer.response)
    assert got["DOCS_DIR"] == "docs"
    assert "secret" not in got.values()
    assert set(got) <= {"PATH", "LC_ALL", "DOCS_DIR"}


def test_a_name_that_is_never_passed_on_is_noted(tmp_path: Path) -> None:
    entry = agents.config(
        options={"command": agents.python(""), "env": ["GITHUB_TOKEN", "DOCS_DIR"]}
    )

    agent = command.create(entry, agents.context(tmp_path))

    assert isinstance(agent, Noting)
    assert len(agent.notes) == 1
    assert "`GITHUB_TOKEN` is never passed to an agent" in agent.notes[0]


def test_a_failure_mentions_what_env_names_and_is_not_set(tmp_path: Path) -> None:
    result = failure("raise SystemExit(1)", root=tmp_path, env=["DOCS_DIR"])

    assert "its `env` names `DOCS_DIR`, not set here" in result.message


def test_nothing_passes_through_a_shell(tmp_path: Path) -> None:
    argv: list[Json] = [
        sys.executable,
        "-I",
        "-c",
        "import json, sys; print(json.dumps({'response': sys.argv[1]}))",
        "$HOME; touch pwned",
    ]

    assert ask(argv, root=tmp_path) == Answer(response="$HOME; touch pwned")
    assert not (tmp_path / "pwned").exists()


def test_processes_of_different_cases_run_at_the_same_time(tmp_path: Path) -> None:
    code = """import time; time.sleep(0.6); print('{"response": "x"}')"""
    agent = command.create(
        agents.config(options={"command": agents.python(code)}), agents.context(tmp_path)
    )

    async def all_at_once() -> list[Answer | Failure]:
        return await asyncio.gather(*(agent.ask(agents.question()) for _ in range(4)))

    started = time.monotonic()
    answers = asyncio.run(all_at_once())

    assert answers == [Answer(response="x")] * 4
    assert time.monotonic() - started < 2.2
