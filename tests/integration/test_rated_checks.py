"""Which checks a report calls rated: those whose group's pass rate counts in their place."""

from pathlib import Path

from support import scenarios
from support.scenarios import DESK, config, document, item

ONE: dict[str, object] = {"ExactMatch": {}}


def test_a_report_says_of_each_check_whether_it_is_rated(tmp_path: Path) -> None:
    group = {"agent": "desk"}
    files = {
        DESK: document(item("a", evaluators=ONE), item("b", evaluators=ONE)),
        "strict/one.json": document(item("a", evaluators=ONE)),
        "mergebar.yml": config(
            documents=[
                {**group, "paths": [DESK], "min_pass_rate": 0.5},
                {**group, "paths": ["strict/*.json"]},
            ],
            rules=[{"match": {"path": DESK, "id": "b"}, "must_pass": True}],
        ),
        "answers.json": scenarios.answers(a="yes", b="yes"),
    }

    ran = scenarios.desk(tmp_path, files).run("--all")

    rated = {(one["suite"], one["case"]): one["rated"] for one in ran.report["checks"]}
    assert rated == {(DESK, "a"): True, (DESK, "b"): False, ("strict/one.json", "a"): False}
