"""Who grades may not be what was graded: the programs of a command that a session changed."""

import json
from pathlib import Path

import pytest

from mergebar.graders import own_programs
from support import traces
from support.graded import Bench, one, outcome, words

TALK = traces.chained([traces.said("go"), traces.replied(traces.text("done"))])
FILES = ("scripts/ck.py", "scripts/__init__.py", "ck.sh", "out.txt", "tests/test_a.py")


def folders(root: Path) -> tuple[Path, Path]:
    """The repository, and the copy that a session works in."""
    for folder in ("home", "copy"):
        for name in FILES:
            file = root / folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("exit 0\n", encoding="utf-8")
    return root / "home", root / "copy"


@pytest.mark.parametrize(
    ("argv", "program"),
    [
        (["./ck.sh"], "ck.sh"),
        (["sh", "ck.sh"], "ck.sh"),
        (["sh", "-e", "./ck.sh", "out.txt"], "ck.sh"),
        (["python3.12", "-u", "scripts/ck.py", "{trace}"], "scripts/ck.py"),
        (["/usr/bin/env", "python", "scripts/ck.py"], "scripts/ck.py"),
        (["python", "-m", "scripts.ck"], "scripts/ck.py"),
        (["python", "-m", "scripts"], "scripts/__init__.py"),
        (["node", "scripts/ck.py"], "scripts/ck.py"),
    ],
)
def test_a_program_that_the_session_changed_or_removed_is_told(
    tmp_path: Path, argv: list[str], program: str
) -> None:
    home, copy = folders(tmp_path)
    assert own_programs.changed(argv, home=home, root=copy) is None

    (copy / program).write_text("exit 1\n", encoding="utf-8")
    found = own_programs.changed(argv, home=home, root=copy)
    assert found is not None
    assert Path(found) == Path(program)
    assert own_programs.changed(argv, home=copy, root=copy) is None
    (copy / program).unlink()
    assert own_programs.changed(argv, home=home, root=copy) == found


@pytest.mark.parametrize(
    "argv",
    [
        ["grep", "-q", "x", "out.txt"],
        ["test", "-f", "out.txt"],
        ["pytest", "tests/test_a.py"],
        ["python", "-m", "pytest", "tests/test_a.py"],
        ["sh", "-c", "cat out.txt"],
        ["python", "scripts/new.py", "out.txt"],
        ["sh", "ck.sh", "out.txt"],
        ["/bin/true"],
        ["perl", "-e", "print 1;" * 999],
        ["sh", "scripts"],
    ],
)
def test_what_a_program_only_looks_at_is_the_sessions_to_change(
    tmp_path: Path, argv: list[str]
) -> None:
    home, copy = folders(tmp_path)
    for name in ("out.txt", "tests/test_a.py"):
        (copy / name).write_text("other\n", encoding="utf-8")

    assert own_programs.changed(argv, home=home, root=copy) is None


def test_a_command_that_a_session_rewrote_has_no_verdict(tmp_path: Path) -> None:
    home, copy = folders(tmp_path)
    eval_ = f"grader: command, command: {json.dumps(['sh', 'ck.sh'])}"
    bench = Bench(home=home)
    (home / "ck.sh").write_text("exit 1\n", encoding="utf-8")

    found = one(copy, TALK, eval_, bench=bench)
    assert outcome(found) == "withheld"
    assert words(found).startswith("the session changed `ck.sh`, which its command runs")
    (copy / "ck.sh").write_text("exit 1\n", encoding="utf-8")
    assert outcome(one(copy, TALK, eval_, bench=bench)) == "fail"
