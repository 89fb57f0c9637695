"""The command that a report ends with, taken at its word: the same repository, the same verdict."""

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from support import commands, gates, held, jobs
from support.commands import Ended
from support.gates import failing, item, judged, passing
from support.repositories import Repository

_COMMAND = re.compile(r"^    ((?:cd \S+ && )?mergebar (?:run|check)\b.*)$", re.MULTILINE)
_RATED = f"{gates.CONFIG}    min_pass_rate: 0.9\n"
_NO_JUDGE = "judge: {type: replay, recordings: nowhere}\n"
_SPACED = "evals/it's here.json"


def suggested(ended: Ended) -> str:
    """The command line that was printed."""
    (found,) = _COMMAND.findall(ended.stdout)
    return str(found)


def again(command: str, cwd: Path) -> Ended:
    """What a shell makes of it."""
    words = shlex.split(command)
    if words[0] == "cd":
        cwd, words = cwd / words[1], words[3:]
    assert words[0] == "mergebar"
    return commands.inside(*words[1:], cwd=cwd)


def _failing(tmp_path: Path) -> Path:
    return gates.repository(tmp_path, passing(), failing()).path


def _changed(tmp_path: Path) -> Path:
    """Only the second suite changed, and only it fails for that."""
    here = gates.repository(tmp_path, failing())
    here.git("tag", "start")
    here.commit({_SPACED: gates.document(failing("one"))})
    return here.path


def _stale(tmp_path: Path) -> Path:
    files = {held.SKILL: held.skill(held.READS), "traces/a.jsonl": held.recorded(held.session())}
    here = held.repository(tmp_path, files)
    here.git("tag", "start")
    here.commit({held.SKILL: held.skill(held.READS, body="Mend it twice.\n")})
    return here.path


def _judged(tmp_path: Path) -> Path:
    """Without the judge it fails by an agent, with one it would not even be planned."""
    return gates.repository(
        tmp_path, judged("a"), item("exit now", "x"), config=gates.CONFIG + _NO_JUDGE
    ).path


def _tagged(tmp_path: Path) -> Path:
    items = ({**failing("a"), "tags": ["x y"]}, {**passing("b"), "tags": ["z"]})
    document = gates.document(*items, schemaVersion="1.9.0")
    return gates.repository(tmp_path, **{"evals/desk.json": document}).path


def _rated(tmp_path: Path) -> Path:
    """One suite fails; what is too little is the rate of two."""
    other = gates.document(passing("b"), failing("c"))
    return gates.repository(tmp_path, passing(), config=_RATED, **{"evals/other.json": other}).path


def _broken(tmp_path: Path) -> Path:
    return gates.repository(tmp_path, passing(), **{"evals/bad.json": '{"items": 1}'}).path


def _misconfigured(tmp_path: Path) -> Path:
    here = gates.repository(tmp_path, passing(), **{"ci/gate.yml": "version: 1\ngat: {}\n"})
    return here.path


def _judgeless(tmp_path: Path) -> Path:
    return gates.repository(tmp_path, judged("a")).path


def _over_budget(tmp_path: Path) -> Path:
    budget = f"{gates.CONFIG}budget: {{agent_calls: 1}}\n"
    other = gates.document(passing("b"))
    return gates.repository(tmp_path, passing(), config=budget, **{"evals/o.json": other}).path


def _below(tmp_path: Path) -> Path:
    """A gate in a folder of its repository."""
    here = Repository(tmp_path)
    inner = gates.repository(tmp_path / "aside", failing())
    here.path.mkdir(exist_ok=True)
    here.git("init", "--quiet", "--initial-branch=main")
    for name in ("agent.py", "mergebar.yml", "evals/desk.json"):
        here.write(f"own agents/{name}", (inner.path / name).read_text())
    here.git("add", "own agents")
    here.git("commit", "--quiet", "--message", "all")
    return here.path / "own agents"


CASES: dict[str, tuple[Callable[[Path], Path], Sequence[str], int, Sequence[str]]] = {
    "failed": (_failing, (), 1, ("evals/desk.json",)),
    "failed, since a base": (_changed, ("--base", "start"), 1, ("--base start", "--affected")),
    "failed, as was listed": (_changed, ("--changed", _SPACED), 1, ("--changed",)),
    "failed, of a folder": (_failing, ("evals",), 1, ()),
    "failed, all since a base": (_changed, ("--base", "start", "--all"), 1, ("--all",)),
    "failed, by a tag": (_tagged, ("--tag", "x y"), 1, ("--tag 'x y'",)),
    "failed, of an agent": (_failing, ("--agent", "desk", "--runs", "3"), 1, ("--runs 3",)),
    "failed, of a rate": (_rated, (), 1, ()),
    "failed, below": (_below, (), 1, ("run evals/desk.json",)),
    "stale": (_stale, ("--base", "start"), 3, ("--base start",)),
    "unmeasured, without the judge": (_judged, ("--no-judge",), 3, ("--no-judge",)),
    "unmeasured, replayed": (_failing, ("--replay",), 3, ("--replay",)),
    "over the budget": (_over_budget, (), 3, ()),
    "invalid suite": (_broken, (), 2, ("check evals/bad.json",)),
    "invalid config": (_misconfigured, ("--config", "ci/gate.yml"), 2, ("--config ci/gate.yml",)),
    "no config there": (_failing, ("--config", "no.yml"), 2, ("check --config no.yml",)),
    "nothing to judge with": (_judgeless, (), 2, ("mergebar run",)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_suggested_command_ends_as_the_run_did(case: str, tmp_path: Path) -> None:
    build, options, code, said = CASES[case]
    here = build(tmp_path)
    first = commands.inside("run", *options, cwd=here)
    command = suggested(first)
    assert first.code == code, first.said

    second = again(command, here)

    assert second.code == code, (command, second.said)
    assert all(part in command for part in said), command
    if " run" in command:
        assert suggested(second) == command
        assert second.report()["decision"]["reasons"] == first.report()["decision"]["reasons"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agent", "dekk"], "Correct `--agent`"),
        (["--tag", "nobody"], "Correct `--tag`"),
        (["--base", "nowhere"], "Correct `--base`"),
        (["--changed", "nothing.txt"], "Correct `--changed`"),
        (["prompts"], "Correct the paths"),
        (["evals/desc.json"], "Correct the paths"),
        (["--baseline", "nothing.json"], "Correct `--baseline`"),
        (["--baseline", "mergebar.yml"], "Correct `--baseline`"),
        (["--agent", "dekk", "--base", "nowhere"], "Correct `--base` and `--agent`"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_who_mistyped_an_option_has_no_line_to_mend(
    options: list[str], said: str, tmp_path: Path
) -> None:
    here = gates.repository(tmp_path, passing())

    ended = commands.inside("run", *options, cwd=here.path)

    assert ended.code == 2
    assert said in ended.said
    assert "Mend the lines" not in ended.said
    assert _COMMAND.findall(ended.stdout) == []


def test_a_pull_request_is_measured_again_from_its_base_commit(tmp_path: Path) -> None:
    with jobs.job(tmp_path) as job:
        job.items(passing(), failing("Berlin"))

        result = job.pull_request().inside()

        command = f"mergebar run --base {job.base} --affected evals/desk.json"
        assert result.code == 1
        assert command in job.comments[0]
        assert command in result.summary
        assert again(command, job.workspace).code == 1


def test_a_reports_command_is_its_runs(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing())

    ended = commands.inside("run", "evals", "--no-judge", "--runs", "2", cwd=here.path)

    assert ended.report()["run"]["command"] == {
        "folder": "",
        "options": ["--runs", "2", "--no-judge"],
        "paths": ["evals"],
    }
