"""docs/reference/exports.md has the formats, the addresses and the rules that there are."""

import json
import re
from pathlib import Path

from mergebar.commands import report as command
from mergebar.report import findings
from support import pages, states

PAGE = "reference/exports.md"
SECTIONS = pages.sections(PAGE)
SCRIPT = Path(__file__).parents[2] / "src/mergebar/templates/report.js"


def test_the_page_has_every_format() -> None:
    rows = pages.rows(pages.prose(PAGE), "format")
    assert [pages.names(row[0])[0] for row in rows] == list(command.FORMATS)


def test_the_page_says_what_an_address_can_ask_for() -> None:
    script = SCRIPT.read_text(encoding="utf-8")
    [listed] = re.findall(r"SHOWS = \[(.*?)\];", script, re.DOTALL)
    shows = re.findall(r'^    \["([a-z-]+)"', listed, re.MULTILINE)
    [start] = re.findall(r"START = \{(.*?)\}", script)
    rows = {row[0]: row[1] for row in pages.rows(SECTIONS["HTML"], "key")}

    assert pages.names(rows["`show`"]) == shows
    said = [name for key in rows for name in pages.names(key)]
    assert sorted(said) == sorted(re.findall(r"(\w+):", start))


def test_the_page_has_the_rules_that_reports_have() -> None:
    families = {
        name.partition("/")[0]
        for row in pages.rows(SECTIONS["SARIF"], "rule")
        for name in pages.names(row[0])
    }
    used = {
        result["ruleId"].partition("/")[0]
        for report in states.STATES.values()
        for result in json.loads(findings.draw(report))["runs"][0]["results"]
    }
    assert used <= families
