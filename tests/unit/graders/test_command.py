"""`command`: real programs that pass, fail, hang, fork, flood and die."""

import hashlib
import os
import stat
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mergebar.model.artifacts import CommandSpec, DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure
from support import traces
from support.graded import Bench, Found, grade, one, outcome, words

TALK = traces.chained([traces.said("go"), traces.replied(traces.text("done"))])


def run(root: Path, script: str, *, bench: Bench | None = None, more: str = "") -> Found:
    """The script under `sh`."""
    command = f"command: [sh, -c, '{script}']"
    return one(root, TALK, f"grader: command, {command}{more}", bench=bench)


EXITS = [
    ("exit 0", "", "pass", "exited with code 0"),
    ("exit 3", "", "fail", "exited with code 3"),
    ("exit 3", ", success-exit-codes: [0, 3]", "pass", "exited with code 3"),
    ("exit 0", ", success-exit-codes: [1]", "fail", "exited with code 0"),
    ("exit 137", "", "fail", "exited with code 137 (SIGKILL): was it out of memory?"),
    ("exit 137", ", success-exit-codes: [137]", "pass", "exited with code 137"),
    ("kill -KILL $$", ", success-exit-codes: [137]", "fail", "was killed by SIGKILL"),
    ("kill -KILL $$", ", success-exit-codes: [-9, 9, 0]", "fail", "was killed by SIGKILL"),
    ("kill -TERM $$", ", success-exit-codes: [-15, 143]", "fail", "was killed by SIGTERM"),
    ("kill -KILL $$", "", "fail", "was killed by SIGKILL: was it out of memory?"),
    ("echo out; exit 1", "", "fail", "it printed: out"),
    ("echo out; echo err >&2; exit 1", "", "fail", "it printed: err"),
]


@pytest.mark.parametrize(("script", "more", "expected", "said"), EXITS)
def test_the_exit_code_decides(
    tmp_path: Path, script: str, more: str, expected: str, said: str
) -> None:
    found = run(tmp_path, script, more=more)

    assert outcome(found) == expected
    assert said in words(found)


def test_the_trace_takes_the_place_of_its_name_everywhere(tmp_path: Path) -> None:
    script = 'test "$0" = "$1" && test -s "$0" && test "$0" = "$ARTIFACT_EVALS_TRACE"'

    found = one(
        tmp_path, TALK, f"grader: command, command: [sh, -c, '{script}', '{{trace}}', '{{trace}}']"
    )

    assert outcome(found) == "pass", words(found)


def test_it_runs_in_the_repository_without_the_secrets_of_the_gate(tmp_path: Path) -> None:
    environ = {
        **os.environ,
        "GITHUB_TOKEN": "t",
        "OPENAI_API_KEY": "k",
        "ACTIONS_RUNTIME_TOKEN": "r",
        "INPUT_MODE": "run",
    }
    script = 'env | grep -E "TOKEN|KEY|INPUT" >&2 && exit 9; test -f CLAUDE.md'

    found = run(tmp_path, script, bench=Bench(environ=environ))

    assert outcome(found) == "pass", words(found)


def test_it_is_withheld_where_nothing_of_the_repository_may_run(tmp_path: Path) -> None:
    refused = "untrusted events run no code of the repository"

    found = run(tmp_path, "touch ran", bench=Bench(refused=refused))

    assert (outcome(found), words(found)) == ("withheld", refused)
    assert not (tmp_path / "ran").exists()


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    script = "sleep 300 & echo $! > child; sleep 300"
    started = time.monotonic()

    found = run(tmp_path, script, more=", timeout-ms: 700")

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.TIMEOUT
    assert "didn't end within 0.7 s (`timeout-ms`)" in found.message
    assert time.monotonic() - started < 20
    with pytest.raises(ProcessLookupError):
        wait_for_end(int((tmp_path / "child").read_text()))


def wait_for_end(pid: int) -> None:
    """Raises ProcessLookupError once the process is gone, or is a zombie that nobody reaps."""
    for _ in range(200):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            raise ProcessLookupError
        time.sleep(0.02)


def test_a_command_whose_child_holds_the_pipes_ends_with_the_command(tmp_path: Path) -> None:
    started = time.monotonic()

    found = run(tmp_path, "sleep 300 & exit 0")

    assert outcome(found) == "pass"
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("stream", ["", " >&2"])
def test_a_command_that_prints_a_gigabyte_is_stopped(tmp_path: Path, stream: str) -> None:
    found = run(tmp_path, f"head -c 1073741824 /dev/zero{stream}")

    assert isinstance(found, Failure)
    assert found.message == "`sh` printed more than 16 MB and was stopped"


def test_what_it_prints_is_shown_without_secrets_and_without_half_of_one(tmp_path: Path) -> None:
    secret = "hunter2-hunter2-hunter2"  # noqa: S105 - made up
    script = f"printf {secret} >&2; printf %01990d 7 >&2; exit 1"

    found = run(tmp_path, script, bench=Bench(secrets=(secret,)))

    assert outcome(found) == "fail"
    assert "hunter" not in words(found)
    assert "er2-" not in words(found)


def changed(root: Path, spec: CommandSpec, *, assertion: str | None = "It holds.") -> Found:
    def change(declared: DeclaredEval) -> DeclaredEval:
        return replace(declared, command=spec, assertion=assertion)

    return one(root, TALK, "grader: command, command: ['true']", bench=Bench(change=change))


HASH = hashlib.sha256(b"It holds.").hexdigest()
MISDECLARED = [
    (CommandSpec(), "It holds.", "there is no `command` yet"),
    (CommandSpec(argv=("true",), assertion_hash=HASH), "Another.", "has changed since"),
    (CommandSpec(argv=("true",), assertion_hash=HASH), None, "no `assertion`"),
    (CommandSpec(argv=("no-such-program-at-all",)), "x", "no `no-such-program-at-all` on the PATH"),
    (CommandSpec(argv=("./missing.sh",)), "x", "no `./missing.sh` in the repository"),
    (CommandSpec(argv=("../../bin/true",)), "x", "lies outside the repository"),
    (CommandSpec(argv=("./plain.txt",)), "x", "chmod +x"),
    (CommandSpec(argv=("./linked",)), "x", "lies outside the repository"),
    (CommandSpec(argv=("a\0b",)), "x", "doesn't start"),
]


@pytest.mark.parametrize(("spec", "assertion", "said"), MISDECLARED)
def test_what_is_wrong_with_the_command_is_an_error_and_never_a_verdict(
    tmp_path: Path, spec: CommandSpec, assertion: str | None, said: str
) -> None:
    (tmp_path / "plain.txt").write_text("text")
    (tmp_path / "plain.txt").chmod(stat.S_IRUSR)
    (tmp_path / "linked").symlink_to("/bin/true")

    found = changed(tmp_path, spec, assertion=assertion)

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.CONFIG
    assert said in found.message


def test_a_hash_that_fits_lets_the_command_run(tmp_path: Path) -> None:
    assert outcome(changed(tmp_path, CommandSpec(argv=("true",), assertion_hash=HASH))) == "pass"


def test_the_rest_is_unharmed(tmp_path: Path) -> None:
    found = grade(
        tmp_path,
        TALK,
        "- {id: a, grader: command, command: [sh, -c, 'sleep 60'], timeout-ms: 300}\n"
        "- {id: b, grader: command, command: ['no-such-program-at-all']}\n"
        "- {id: c, grader: command, command: ['true']}\n"
        "- {id: d, grader: turn-count, options: {max: 1}}",
    )

    assert [outcome(found[name]) for name in "abcd"] == ["error", "error", "pass", "pass"]
