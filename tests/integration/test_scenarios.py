"""What main had, what a change does, what comes of it: each row is a history of real commits.

On main, `a` and `b` pass and `c` fails, unless the row says otherwise. `run` are the cases that
are put to the agent, `kept` those that are carried, and `changes` what became of the others.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mergebar import identity
from support import scenarios
from support.scenarios import DESK, Desk, agents, answers, config, document, item

OTHER = "evals/other.json"
RATED = [{"paths": ["evals/*.json"], "agent": "desk", "min_pass_rate": 0.6}]
STORED: Mapping[str, object] = {
    "agents": {"desk": {"type": "replay"}},
    "documents": [{"paths": ["evals/*.json"], "agent": "desk"}],
}
PARTIAL = {"PartialMatch": {"threshold": 0.9}}
MANY = {f"m{number}": "yes" for number in range(12)}
WORSE = dict.fromkeys(MANY, "no")


def key(prompt: str) -> str:
    """What a case without an id is called."""
    return identity.case_key(id=None, name=None, prompts=[prompt])


def stored(name: str, response: str) -> dict[str, object]:
    return {**item(name), "response": response}


def thread(second: str) -> dict[str, object]:
    turns = [item("a", anonymous=True), item(second, anonymous=True)]
    return {"name": "talk", "turns": turns}


def inheriting(name: str, **keys: object) -> dict[str, object]:
    """A case with the document's own evaluators."""
    made = item(name)
    del made["evaluators"], made["evaluators_mode"]
    return {**made, **keys}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One history. `main` and `change` are files; `None` deletes one."""

    title: str
    change: Mapping[str, str | None] = field(default_factory=dict)
    moves: Sequence[tuple[str, str]] = ()
    main: Mapping[str, str] = field(default_factory=dict)
    options: Sequence[str] = ()
    run: str = ""
    kept: str = ""
    changes: Mapping[str, str] = field(default_factory=dict)
    code: int = 0
    loosened: Sequence[str] = ()
    edited: Sequence[str] = ()
    says: str = ""


ROWS = [
    # --- what a change affects
    Row(title="a README while main is red", change={"README.md": "x"}, kept="a b c"),
    Row(
        title="a document is reordered",
        change={DESK: document("c", "a", "b")},
        kept="c a b",
        says="nothing affected",
    ),
    Row(
        title="a document is reformatted",
        change={DESK: json.dumps(json.loads(document("a", "b", "c")), indent=7)},
        kept="a b c",
    ),
    Row(
        title="an expectation is edited",
        change={DESK: document("a", "b", item("c", expected="no"))},
        run="c",
        kept="a b",
        changes={"not-comparable": "c"},
    ),
    Row(
        title="a case is added, and passes",
        change={DESK: document("a", "b", "c", item("d", expected="unknown"))},
        run="d",
        kept="a b c",
        changes={"new": "d"},
    ),
    Row(
        title="a case is added, and fails",
        change={DESK: document("a", "b", "c", "d")},
        run="d",
        kept="a b c",
        changes={"new": "d"},
        code=1,
        says="1 check blocks (1 new)",
    ),
    Row(
        title="a case is added and fails, and new failures only warn",
        main={"mergebar.yml": config(gate={"new_failures": "warn"})},
        change={DESK: document("a", "b", "c", "d")},
        run="d",
        kept="a b c",
        changes={"new": "d"},
    ),
    Row(
        title="the second turn of a thread is edited",
        main={DESK: document(thread("b"), "a")},
        change={DESK: document(thread("c"), "a")},
        run="talk",
        kept="a",
        changes={"not-comparable": "talk", "still-passing": "talk"},
        code=1,
    ),
    Row(
        title="a default evaluator changes, and one case has its own",
        main={DESK: document(inheriting("a"), "b", default_evaluators={"ExactMatch": {}})},
        change={DESK: document(inheriting("a"), "b", default_evaluators=PARTIAL)},
        run="a",
        kept="b",
        changes={"new": "a", "removed": "a"},
        loosened=["check"],
    ),
    Row(
        title="an evaluator is added to a case",
        change={DESK: document(item("a", evaluators={"ExactMatch": {}, **PARTIAL}), "b", "c")},
        run="a",
        kept="b c",
        changes={"new": "a", "still-passing": "a"},
    ),
    Row(
        title="a source of the agent changes",
        change={"answers.json": answers(a="yes", b="yes", c="no", d="more")},
        run="a b c",
        changes={"still-failing": "c", "still-passing": "a b"},
        code=1,
        says="1 check blocks (1 still failing)",
    ),
    Row(
        title="a source is renamed away",
        moves=[("answers.json", "old.json")],
        change={"answers.json": answers(a="yes", b="yes", c="yes")},
        run="a b c",
        changes={"improved": "c", "still-passing": "a b"},
    ),
    Row(
        title="another suite changes",
        main={OTHER: document("a", "b")},
        change={OTHER: document("a", item("b", expected="no"))},
        run="other/b",
        kept="a b c other/a",
        changes={"not-comparable": "other/b"},
        code=1,
    ),
    Row(
        title="a suite is added",
        change={OTHER: document("a")},
        run="other/a",
        kept="a b c",
        changes={"new": "other/a"},
    ),
    Row(
        title="a suite is renamed",
        moves=[(DESK, OTHER)],
        kept="other/a other/b other/c",
        says="nothing affected",
    ),
    Row(
        title="a suite is renamed and edited",
        moves=[(DESK, OTHER)],
        change={OTHER: document("a", "b", "c", item("d", expected="unknown"))},
        run="other/d",
        kept="other/a other/b other/c",
        changes={"new": "other/d"},
    ),
    Row(
        title="a suite is deleted",
        main={OTHER: document("a")},
        change={OTHER: None},
        kept="a b c",
        changes={"removed": "other/a"},
        loosened=["suite"],
    ),
    Row(
        title="a document is broken",
        change={DESK: "{"},
        changes={"not-comparable": "a b c"},
        code=2,
    ),
    # --- what the configuration affects
    Row(
        title="the agent is asked faster",
        change={"mergebar.yml": config(agents=agents(concurrency=2, attempts=2))},
        kept="a b c",
    ),
    Row(
        title="the agent may take longer",
        change={"mergebar.yml": config(agents=agents(timeout="99s"))},
        run="a b c",
        changes={"still-failing": "c", "still-passing": "a b"},
        code=1,
    ),
    Row(
        title="the gate, rules, budget and report only decide anew",
        change={
            "mergebar.yml": config(
                gate={"unmeasured": 0},
                rules=[{"match": {"id": "a"}, "weight": 2}],
                budget={"minutes": 50},
                report={"comment": "failures"},
            )
        },
        kept="a b c",
    ),
    Row(
        title="cases are put three times instead of once",
        change={
            "mergebar.yml": config(
                documents=[{"paths": ["evals/*.json"], "agent": "desk", "runs": 3}]
            )
        },
        run="a b c",
        changes={"not-comparable": "a b c"},
        code=1,
    ),
    Row(
        title="a case says itself how often it is put",
        change={DESK: document("a", item("b", runs=3), "c")},
        run="b",
        kept="a c",
        changes={"not-comparable": "b"},
    ),
    Row(
        title="a group takes in another suite",
        main={"more/x.json": document("a")},
        change={
            "mergebar.yml": config(
                documents=[{"paths": ["evals/*.json", "more/*.json"], "agent": "desk"}]
            )
        },
        run="x/a",
        kept="a b c",
        changes={"new": "x/a"},
    ),
    # --- identity
    Row(
        title="a prompt is edited in a case with an id",
        change={DESK: document(item("a", prompt="b"), "b", "c")},
        run="a",
        kept="b c",
        changes={"not-comparable": "a"},
    ),
    Row(
        title="a failing prompt is edited in a case without an id",
        main={DESK: document("a", item("c", anonymous=True))},
        change={DESK: document("a", item("b", anonymous=True))},
        run=key("b"),
        kept="a",
        changes={"new": key("b"), "removed": key("c")},
        loosened=["check"],
    ),
    Row(
        title="a prompt is there twice",
        main={DESK: document(item("a", anonymous=True))},
        change={DESK: document(item("a", anonymous=True), item("a", anonymous=True))},
        run=key("a") + "~2",
        kept=key("a"),
        changes={"new": key("a") + "~2"},
    ),
    Row(
        title="two cases with one prompt change places",
        main={
            DESK: document(item("a", anonymous=True), item("a", anonymous=True, evaluators=PARTIAL))
        },
        change={
            DESK: document(item("a", anonymous=True, evaluators=PARTIAL), item("a", anonymous=True))
        },
        kept=f"{key('a')} {key('a')}~2",
    ),
    # --- what became of checks
    Row(
        title="one case breaks while another is mended: the count hides nothing",
        change={"answers.json": answers(a="no", b="yes", c="yes")},
        run="a b c",
        changes={"improved": "c", "regressed": "a", "still-passing": "b"},
        code=1,
        says="1 check blocks (1 regressed)",
    ),
    Row(
        title="a known failure may stay",
        main={"mergebar.yml": config(gate={"known_failures": "allow"})},
        change={"answers.json": answers(a="yes", b="yes", c="none")},
        run="a b c",
        changes={"still-failing": "c", "still-passing": "a b"},
    ),
    Row(
        title="a known failure may stay, and a regression may not",
        main={"mergebar.yml": config(gate={"known_failures": "allow"})},
        change={"answers.json": answers(a="yes", b="no", c="none")},
        run="a b c",
        changes={"regressed": "b", "still-failing": "c", "still-passing": "a"},
        code=1,
        says="1 check blocks (1 regressed)",
    ),
    Row(
        title="an error is no measurement, and no gain",
        change={"answers.json": answers(a="yes", b="yes", c=scenarios.BROKEN)},
        run="a b c",
        changes={"not-comparable": "c", "still-passing": "a b"},
        code=3,
        says="1 of 3 checks not measured: throttled",
    ),
    Row(
        title="paths leave the rest unsaid",
        main={OTHER: document("a")},
        change={DESK: document("a", "b")},
        options=[OTHER],
        run="other/a",
        changes={"still-passing": "other/a"},
    ),
    # --- loosened and edited
    Row(
        title="a failing case is deleted",
        change={DESK: document("a", "b")},
        kept="a b",
        changes={"removed": "c"},
        loosened=["check"],
        says="1 loosened, 1 of them failing on the base",
    ),
    Row(
        title="a threshold is lowered",
        main={DESK: document("a", item("b", evaluators=PARTIAL))},
        change={DESK: document("a", item("b", evaluators={"PartialMatch": {"threshold": 0.1}}))},
        run="b",
        kept="a",
        changes={"not-comparable": "b"},
        loosened=["threshold"],
    ),
    Row(
        title="a severity is lowered",
        change={DESK: document("a", "b", item("c", severity="notice"))},
        kept="a b c",
        loosened=["severity"],
    ),
    Row(
        title="a weight is lowered",
        change={DESK: document("a", "b", item("c", weight=0.5))},
        kept="a b c",
        loosened=["weight"],
    ),
    Row(
        title="a case needs to pass no more",
        main={"mergebar.yml": config(rules=[{"match": {"id": "a"}, "must_pass": True}])},
        change={"mergebar.yml": config(rules=[])},
        kept="a b c",
        loosened=["must-pass"],
    ),
    Row(
        title="the gate is loosened",
        change={"mergebar.yml": config(gate={"severity": "error", "mode": "advise"})},
        kept="a b c",
        loosened=["policy"],
    ),
    Row(
        title="somebody has to look at what is loosened",
        main={"mergebar.yml": config(gate={"loosened": "review"})},
        change={DESK: document("a", "b")},
        kept="a b",
        changes={"removed": "c"},
        loosened=["check"],
        code=4,
    ),
    Row(
        title="a stored response is edited by hand",
        main={
            "mergebar.yml": config(**STORED),
            DESK: document(stored("a", "yes"), stored("b", "no")),
        },
        change={DESK: document(stored("a", "yes"), stored("b", "yes"))},
        run="b",
        kept="a",
        changes={"improved": "b"},
        edited=["response"],
    ),
    Row(
        title="the baseline file is edited",
        change={".mergebar-baseline.json": "{}"},
        kept="a b c",
        edited=["baseline"],
    ),
    # --- rates
    Row(
        title="a rated group, of which nothing is affected, may be below its floor",
        main={
            "mergebar.yml": config(documents=RATED),
            "answers.json": answers(a="no", b="no", c="yes"),
        },
        change={"README.md": "x"},
        kept="a b c",
    ),
    Row(
        title="a rated group below its floor, with one more failure",
        main={"mergebar.yml": config(documents=RATED)},
        change={DESK: document("a", "b", "c", "d")},
        run="d",
        kept="a b c",
        changes={"new": "d"},
        code=1,
        says="1 rated group below the floor",
    ),
    Row(
        title="too few cases for a drop",
        main={"mergebar.yml": config(documents=RATED, gate={"max_drop": 0.05})},
        change={"answers.json": answers(a="no", b="yes", c="yes")},
        run="a b c",
        changes={"improved": "c", "regressed": "a", "still-passing": "b"},
    ),
    Row(
        title="a drop that is no chance",
        main={
            DESK: document(*MANY),
            "answers.json": answers(**MANY),
            "mergebar.yml": config(
                documents=[{**RATED[0], "min_pass_rate": 0}], gate={"max_drop": 0.05}
            ),
        },
        change={"answers.json": answers(**WORSE)},
        run=" ".join(MANY),
        changes={"regressed": " ".join(MANY)},
        code=1,
    ),
    Row(
        title="weights of a thousand million and of its inverse",
        main={DESK: document(item("a", weight=1e-9), item("c", weight=1e9))},
        change={"answers.json": answers(a="no", c="yes")},
        run="a c",
        changes={"improved": "c", "regressed": "a"},
        code=1,
    ),
    Row(
        title="a report against itself",
        options=["--all"],
        run="a b c",
        changes={"still-failing": "c", "still-passing": "a b"},
        code=1,
    ),
]


@pytest.fixture(scope="module")
def mains(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Desk]:
    """Each main that a row starts from, measured once."""
    made: dict[str, Desk] = {}
    for row in ROWS:
        key = json.dumps(row.main)
        if key not in made:
            made[key] = scenarios.desk(tmp_path_factory.mktemp("main"), row.main)
            made[key].measure()
    return made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_a_change(row: Row, mains: dict[str, Desk], tmp_path: Path) -> None:
    desk = scenarios.copied(mains[json.dumps(row.main)], tmp_path)
    desk.change(row.change, *row.moves)

    ran = desk.compare(*row.options)

    assert (ran.measured, ran.carried) == (row.run, row.kept), ran.ended.said
    assert ran.changes == dict(row.changes)
    assert (ran.loosened, ran.edited) == (list(row.loosened), list(row.edited))
    assert ran.code == row.code, ran.headline
    assert row.says in ran.headline


def test_there_are_enough_of_them() -> None:
    assert len({row.title for row in ROWS}) >= 40
