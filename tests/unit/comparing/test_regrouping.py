"""Suites that fall into another group than before: what holds for them now, told suite by suite."""

from dataclasses import dataclass

import pytest

from mergebar import comparing, config, plugins
from mergebar.comparing import Circumstances, Evidence, Policies
from mergebar.model.changes import Change, Status
from mergebar.model.configuration import Config
from support import reports
from support.comparisons import check, report


def parsed(text: str) -> Config:
    head = """
version: 1
agents:
  desk: {type: command, command: [run], sources: []}
  other: {type: command, command: [run], sources: []}
"""
    found = config.parse(
        (head + text).encode(), path="mergebar.yml", explain=plugins.explain
    ).config
    assert found is not None, text
    return found


def loosened(base: Config, head: Config, *suites: str, prefix: str = "", **moved: str) -> list[str]:
    """In words; `moved` leads from old folders to new ones, for `a.json`."""
    files = tuple(
        Change(path=f"{new}/a.json", status=Status.RENAMED, old_path=f"{old}/a.json")
        for old, new in moved.items()
    )
    found = comparing.compare(
        None,
        report(suites=tuple(reports.suite(path) for path in suites)),
        baseline=None,
        circumstances=Circumstances(
            files=files,
            policies=Policies(base=base, head=head),
            evidence=Evidence(prefix=prefix),
        ),
    ).loosened
    return [f"{one.what} {one.was} → {one.now}" for one in found]


STRICT = "{paths: [strict/*.json], agent: desk}"
SOFT = "{paths: [soft/*.json], agent: desk, min_pass_rate: 0.2}"
BOTH = parsed(f"documents: [{STRICT}, {SOFT}]")
FLOOR = "`min_pass_rate` of `soft/a.json` each check blocks → rated at 0.2"


def test_a_suite_that_moves_into_a_rated_group_is_loosened_without_any_edit() -> None:
    assert loosened(BOTH, BOTH, "soft/a.json", strict="soft") == [FLOOR]


def test_one_that_moves_out_of_it_or_is_new_there_isnt() -> None:
    assert loosened(BOTH, BOTH, "strict/a.json", soft="strict") == []
    assert loosened(BOTH, BOTH, "soft/a.json", "strict/b.json") == []


def test_globs_are_those_of_the_working_directory() -> None:
    found = comparing.compare(
        None,
        report(suites=(reports.suite("sub/soft/a.json"),)),
        baseline=None,
        circumstances=Circumstances(
            files=(
                Change(path="sub/soft/a.json", status=Status.RENAMED, old_path="sub/strict/a.json"),
            ),
            policies=Policies(base=BOTH, head=BOTH),
            evidence=Evidence(prefix="sub"),
        ),
    )
    assert [one.suite for one in found.loosened] == ["sub/soft/a.json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """One group on each side; its suite stays where it is."""

    base: str
    head: str
    says: str


@pytest.mark.parametrize(
    "row",
    [
        Rewritten(
            base="documents: [{paths: [evals/*.json], agent: desk, min_pass_rate: 0.9}]",
            head="documents: [{paths: [evals/**], agent: desk, min_pass_rate: 0.1}]",
            says="`min_pass_rate` of `evals/a.json` rated at 0.9 → rated at 0.1",
        ),
        Rewritten(
            base="documents: [{paths: [evals/b.json, evals/a.json], agent: desk}]",
            head="documents: [{paths: [evals/a.json, evals/b.json], agent: desk, "
            "min_pass_rate: 0.1}]",
            says="`min_pass_rate` of `evals/a.json` each check blocks → rated at 0.1",
        ),
        Rewritten(
            base="documents: [{paths: [evals/*.json], agent: desk, runs: 3}]",
            head="documents: [{paths: ['evals/?.json'], agent: desk}]",
            says="`runs` of `evals/a.json` 3 → 1",
        ),
        Rewritten(
            base="documents: [{paths: [evals/*.json], agent: desk}]",
            head="documents: [{paths: [evals/**], agent: other}]",
            says="agent of `evals/a.json` `desk` → `other`",
        ),
        Rewritten(
            base="artifacts: [{paths: [evals/a.*], traces: [t/*]}]",
            head="artifacts: [{paths: [evals/a.json], traces: [t/*], stale: warn}]",
            says="`stale` of `evals/a.json` block → warn",
        ),
    ],
    ids=lambda row: row.says,
)
def test_rewritten_globs_dont_hide_what_is_lowered_with_them(row: Rewritten) -> None:
    base, head = parsed(row.base), parsed(row.head)
    assert loosened(base, head, "evals/a.json").count(row.says) == 1
    assert row.says not in loosened(head, base, "evals/a.json")


def test_many_suites_that_go_one_way_are_told_at_once() -> None:
    base = parsed("documents: [{paths: [evals/*.json], agent: desk}]")
    head = parsed("documents: [{paths: [evals/**], agent: desk, min_pass_rate: 0.5}]")
    paths = [f"evals/{name}.json" for name in "abcde"]
    (told,) = loosened(base, head, *paths)
    named = "`evals/a.json`, `evals/b.json`, `evals/c.json` and 2 more"
    assert told == f"`min_pass_rate` of {named} each check blocks → rated at 0.5"


def test_groups_that_exchange_their_globs_are_told_once() -> None:
    head = parsed(
        "documents: [{paths: [soft/*.json], agent: desk}, "
        "{paths: [strict/*.json], agent: desk, min_pass_rate: 0.2}]"
    )
    found = loosened(BOTH, head, "strict/a.json", "soft/a.json")
    assert found == ["`min_pass_rate` of `strict/*.json` unset → 0.2"]


def test_with_a_baseline_it_is_told_too() -> None:
    files = (Change(path="soft/a.json", status=Status.RENAMED, old_path="strict/a.json"),)
    found = comparing.compare(
        report(check("a", suite="strict/a.json")),
        report(check("a", "fail", suite="soft/a.json")),
        baseline=None,
        circumstances=Circumstances(
            files=files, policies=Policies(base=BOTH, head=BOTH, rules=False)
        ),
    )
    assert [one.suite for one in found.loosened] == ["soft/a.json"]


KINDS = {"command": "{type: command, command: [run], sources: []}", "replay": "{type: replay}"}


def agents(**types: str) -> Config:
    """One agent of each name, of which the first is asked; without any, nobody is."""
    named = [f"  {name}: {KINDS[kind]}\n" for name, kind in types.items()]
    asked = f", agent: {next(iter(types))}" if types else ""
    text = "agents:\n" + "".join(named) if named else ""
    text = f"version: 1\n{text}documents: [{{paths: [evals/*.json]{asked}}}]\n"
    found = config.parse(text.encode(), path="mergebar.yml", explain=plugins.explain).config
    assert found is not None, text
    return found


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (agents(other="command", desk="command"), "`desk` → `other`"),
        (agents(other="replay", desk="command"), "`desk` → `other`"),
        (agents(other="replay"), "`desk` → `other`"),
        (agents(), "`desk` → stored responses"),
        (agents(other="command"), None),
        (agents(desk="command", other="command"), None),
    ],
    ids=["another one", "a replay", "only a replay", "none", "a new name", "one more"],
)
def test_another_agent_is_told_in_place_as_well(head: Config, says: str | None) -> None:
    base = agents(desk="command")

    told = loosened(base, head, "evals/a.json")

    assert told == ([] if says is None else [f"`agent` of `evals/*.json` {says}"])
    moved = [line for line in loosened(head, head, "evals/a.json") if "agent" in line]
    assert moved == []


@pytest.mark.parametrize("kind", ["documents", "artifacts"])
def test_what_one_group_leaves_to_another_isnt_left_out(kind: str) -> None:
    rest = ", agent: desk" if kind == "documents" else ", traces: [t/*]"
    whole = f"{{paths: [evals/**]{rest}}}"
    less = f"{{paths: [evals/**, '!evals/old/**']{rest}}}"
    old, part = (f"{{paths: [{glob}]{rest}}}" for glob in ("evals/old/**", "evals/old/a*"))
    base, split, partly, gone = (
        parsed(f"{kind}: [{groups}]")
        for groups in (whole, f"{less}, {old}", f"{less}, {part}", less)
    )

    assert loosened(base, split) == loosened(split, base) == []
    for head in (partly, gone):
        (told,) = loosened(base, head)
        assert told == "`paths` of `evals/**` `evals/**` → `evals/**`, `!evals/old/**`"
