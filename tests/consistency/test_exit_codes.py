import re

from conftest import ROOT
from mergebar.errors import ExitCode
from mergebar.model.decisions import DecisionOutcome

ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)

# The codes that no decision gives are named in the page by these words.
OTHERS = {
    ExitCode.PUBLISH_FAILED: "passed, publish-failed",
    ExitCode.BUG: "bug",
    ExitCode.INTERRUPTED: "interrupted",
}


def test_the_page_has_every_exit_code_once_and_in_order() -> None:
    page = (ROOT / "docs" / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    rows = [(int(code), name) for code, name, _ in ROW.findall(page)]
    expected = [(code, OTHERS.get(code, code.name.lower().replace("_", "-"))) for code in ExitCode]
    assert rows == expected


def test_every_decision_has_an_exit_code_of_its_name() -> None:
    codes = {code.name.lower().replace("_", "-") for code in ExitCode}
    assert {outcome.value for outcome in DecisionOutcome} <= codes
