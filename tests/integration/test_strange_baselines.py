"""Baselines that somebody edited, that are of another history, or that no commit stands for."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mergebar.commands import compare
from mergebar.commands.bases import baseline_fitness
from mergebar.commands.report import FORMATS
from mergebar.model.reports import Report
from mergebar.report import json_report
from support import commands, scenarios
from support.scenarios import DESK, Desk, answers, config, document

ALLOWED = {"known_failures": "allow"}
COMMITTED = ".mergebar-baseline.json"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = scenarios.desk(tmp_path, {"mergebar.yml": config(gate=ALLOWED)})
    made.measure()
    return made


def edit(desk: Desk, change: Callable[[dict[str, Any]], None]) -> None:
    report = json.loads(desk.stored.read_bytes())
    change(report)
    desk.stored.write_text(json.dumps(report))


def _flip(report: dict[str, Any]) -> None:
    report["checks"][0]["outcome"] = "fail"


def _flip_all(report: dict[str, Any]) -> None:
    """Whoever counts again forgets the scores and the repeats."""
    for check in report["checks"]:
        check["outcome"] = "fail"
    report["totals"] |= {"passed": 0, "failed": 3, "pass_rate": 0}


def _miscount(report: dict[str, Any]) -> None:
    report["totals"]["failed"] = 0


def _overrate(report: dict[str, Any]) -> None:
    report["totals"]["pass_rate"] = 1


def _double(report: dict[str, Any]) -> None:
    report["checks"].append({**report["checks"][2], "outcome": "pass"})


def _rename(report: dict[str, Any]) -> None:
    """Another id, and the same check."""
    report["checks"].append({**report["checks"][2], "id": "evals/desk.json::z::0::ExactMatch"})


def _commit(value: object) -> Callable[[dict[str, Any]], None]:
    def set_it(report: dict[str, Any]) -> None:
        report["run"]["commit"] = value

    return set_it


EDITS: Mapping[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "flipped": (_flip, "`evals/desk.json::a::0::ExactMatch` says `fail`, and its scores say `pass`"),
    "all": (_flip_all, "`evals/desk.json::a::0::ExactMatch` says `fail`, and its scores say `pass`"),
    "miscounted": (_miscount, "`totals.failed` says 0, and there are 1"),
    "overrated": (_overrate, "`totals.pass_rate` says 1.0000, and the checks 0.6667"),
    "double": (_double, "`evals/desk.json::c::0::ExactMatch` is there twice"),
    "renamed": (_rename, "`evals/desk.json::z::0::ExactMatch` is there twice"),
    "short": (_commit("e69fa63"), "`run.commit` doesn't follow"),
    "branch": (_commit("main"), "`run.commit` doesn't follow"),
    "option": (_commit("--output=pwned"), "`run.commit` doesn't follow"),
    "empty": (_commit(""), "`run.commit` doesn't follow"),
}  # fmt: skip


@pytest.mark.parametrize("command", ["run", "plan"])
@pytest.mark.parametrize("name", EDITS)
def test_a_named_baseline_that_contradicts_itself_is_refused_by_name(
    desk: Desk, name: str, command: str
) -> None:
    change, said = EDITS[name]
    edit(desk, change)

    ended = commands.inside(command, "--baseline", "../base.json", cwd=desk.here.path)

    assert ended.code == 2
    assert "../base.json" in ended.said
    assert said in ended.said
    if command == "run":
        assert "the baseline can't be used: 1 problem" in ended.said


@pytest.mark.parametrize("name", EDITS)
def test_a_committed_one_isnt_used_and_that_is_said(desk: Desk, name: str) -> None:
    change, said = EDITS[name]
    edit(desk, change)
    desk.here.commit({COMMITTED: desk.stored.read_text()})
    desk.change({"answers.json": answers(a="no", b="yes", c="no")})

    ran = desk.run("--base", "main")

    comparison = ran.report["comparison"]
    assert (ran.code, comparison["baseline"]) == (1, None)
    assert f"`{COMMITTED}` of the base can't be used: " in comparison["notes"][0]
    assert said in comparison["notes"][0]


@pytest.mark.parametrize("name", ["flipped", "miscounted", "overrated"])
def test_a_report_that_contradicts_itself_is_drawn_and_compared_with_a_loud_word(
    desk: Desk, name: str
) -> None:
    change, said = EDITS[name]
    edit(desk, change)

    drawn = commands.inside("report", "../base.json", cwd=desk.here.path)
    compared = commands.inside("compare", "../base.json", "../base.json", cwd=desk.here.path)

    assert (drawn.code, compared.code) == (0, 0)
    assert f"mergebar: `../base.json` contradicts itself: {said}" in drawn.stderr
    assert "contradicts itself" in drawn.stdout
    assert compared.stderr.count(said) == 1


def test_a_decision_that_its_checks_contradict_is_told(desk: Desk) -> None:
    desk.here.commit({"mergebar.yml": config(rules=[{"match": {"id": "c"}, "must_pass": True}])})
    desk.measure()

    def green(report: dict[str, Any]) -> None:
        report["decision"] |= {"outcome": "passed", "exit_code": 0, "headline": "all is well"}

    edit(desk, green)
    drawn = commands.inside("report", "../base.json", cwd=desk.here.path)

    assert "the decision is `passed`, and `evals/desk.json::c::0::ExactMatch` must pass" in (
        drawn.stderr
    )


# --- another history


def _elsewhere(desk: Desk) -> str:
    """A branch that main doesn't have."""
    desk.here.branch("sibling")
    commit = desk.here.commit({"README.md": "x"})
    desk.here.checkout("main")
    return commit


def _nowhere(desk: Desk) -> str:
    del desk
    return "e" * 40


STRANGERS = {
    "sibling": (_elsewhere, "which is no ancestor of"),
    "unknown": (_nowhere, "which this repository doesn't have"),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_what_fails_in_a_named_baseline_of_another_history_excuses_nothing(
    desk: Desk, name: str
) -> None:
    make, said = STRANGERS[name]
    commit = make(desk)
    edit(desk, _commit(commit))
    desk.change({"agent.py": scenarios.AGENT + "\n"})

    ran = desk.compare()

    assert (ran.code, ran.outcome) == (1, "failed")
    assert ran.headline == "1 check blocks (1 still failing) (a baseline of another history)"
    assert ran.changes == {"still-failing": "c", "still-passing": "a b"}
    (warning,) = [one for one in ran.report["warnings"] if "the baseline is of" in one["message"]]
    assert said in warning["message"]
    assert "excuses nothing here" in warning["message"]


def test_what_fails_in_one_of_an_ancestor_does(desk: Desk) -> None:
    desk.change({"agent.py": scenarios.AGENT + "\n"})

    ran = desk.compare()

    assert (ran.code, ran.headline) == (0, "3 checks measured")
    assert ran.report["warnings"] == []


@pytest.mark.parametrize("name", STRANGERS)
def test_a_committed_one_was_merged_and_counts_and_says_what_to_do(desk: Desk, name: str) -> None:
    make, said = STRANGERS[name]
    commit = make(desk)
    edit(desk, _commit(commit))
    desk.here.commit({COMMITTED: desk.stored.read_text()})
    desk.change({"agent.py": scenarios.AGENT + "\n"})

    ran = desk.run("--base", "main")

    assert ran.code == 0
    (warning,) = ran.report["warnings"]
    assert said in warning["message"]
    assert warning["message"].endswith("write it again on the base branch, with `--write-baseline`")


def test_a_shallow_checkout_cant_tell_and_so_says_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.here.commit({"README.md": "x"})
    shallow = desk.here.clone(tmp_path / "shallow", ref="refs/heads/main", depth=1)

    ended = commands.inside("run", "--all", "--baseline", "../base.json", cwd=shallow.path)

    assert (ended.code, ended.report()["warnings"]) == (0, [])


# --- no commit


DIRTY = {
    "source": ("answers.json", answers(a="yes", b="yes", c="yes")),
    "suite": (DESK, document("a", "b")),
    "configuration": ("mergebar.yml", config(gate={})),
    "anything": ("README.md", "y"),
    "new suite": ("evals/more.json", document("d")),
}


@pytest.mark.parametrize("name", DIRTY)
def test_a_baseline_of_what_isnt_committed_is_refused(desk: Desk, name: str) -> None:
    desk.here.commit({"README.md": "x"})
    path, text = DIRTY[name]
    desk.here.write(path, text)

    ended = commands.inside("run", "--all", "--write-baseline", cwd=desk.here.path)

    assert ended.code == 2
    assert f"`--write-baseline` is refused: `{path}` differs from the commit" in ended.said
    assert "commit first" in ended.said
    assert not (desk.here.path / COMMITTED).exists()


@pytest.mark.parametrize("path", [COMMITTED, "mergebar.reviews.yml", "notes.txt"])
def test_what_nothing_is_measured_on_may_differ(desk: Desk, path: str) -> None:
    text = "version: 1\nreviews: []\n" if path.endswith(".yml") else "{}"
    if path != "notes.txt":
        desk.here.commit({path: text})
    desk.here.write(path, text + "\n")

    ended = commands.inside("run", "--all", "--write-baseline", cwd=desk.here.path)

    assert ended.code == 1, ended.said
    assert isinstance(json_report.load((desk.here.path / COMMITTED).read_bytes()), Report)


def test_a_baseline_of_another_number_of_runs_is_refused(desk: Desk) -> None:
    ended = commands.inside("run", "--all", "--write-baseline", "--runs", "3", cwd=desk.here.path)

    assert ended.code == 2
    assert "is refused with `--runs`" in ended.said
    assert "set `runs` in the groups" in ended.said


# --- every field


ODD: tuple[object, ...] = (None, "", "--x/../..", 1e308, [])


def _places(value: object, *at: object) -> Iterator[tuple[object, ...]]:
    """Every place, of the first of each list."""
    yield at
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _places(one, *at, key)
    elif isinstance(value, list) and value:
        yield from _places(value[0], *at, 0)


def _with(value: Any, at: tuple[Any, ...], odd: object) -> Any:
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in at[:-1]:
        inner = inner[step]
    inner[at[-1]] = odd
    return copy


def _odd(whole: Any) -> Iterator[tuple[tuple[Any, ...], bytes, Report]]:
    """Each report with one odd value that can be read all the same."""
    for at in filter(None, _places(whole)):
        for odd in ODD:
            data = json.dumps(_with(whole, at, odd)).encode()
            report = json_report.load(data)
            if isinstance(report, Report):
                yield at, data, report


def test_no_odd_value_of_any_field_is_a_bug(desk: Desk) -> None:
    """What can be read is compared with, carried from where it is fit for that, and drawn."""
    desk.change({DESK: document("a", "b", "d")})
    whole = json.loads(desk.stored.read_bytes())
    whole["comparison"] = desk.compare().report["comparison"]
    plain = json_report.load(json.dumps(whole).encode())
    assert isinstance(plain, Report)
    planned = 0
    for at, data, report in _odd(whole):
        for drawn in (report, compare.compared(report, plain)):
            for draw in FORMATS.values():
                draw(drawn)
        if at[0] == "run" and not baseline_fitness.fault(report):
            desk.stored.write_bytes(data)
            arguments = ("plan", "--baseline", "../base.json", "--base", "main")
            assert commands.inside(*arguments, cwd=desk.here.path).code in {0, 2}, at
            planned += 1
    assert planned
