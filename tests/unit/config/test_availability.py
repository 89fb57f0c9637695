"""Keys of the format that this version knows, and can't serve yet."""

import pytest

from mergebar import config, plugins
from mergebar.config.availability import LATER, RULE

USES = [
    ("agents: {a: {type: a2a, url: x, sources: []}}", 14, "`type: a2a`"),
    ("agents: {a: {type: directline, sources: []}}", 14, "`type: directline`"),
    ("custom_evaluators: mine", 1, "`custom_evaluators`"),
    ("custom_evaluators: {path: custom-evaluators}", 1, "`custom_evaluators`"),
]

DEFAULTS = """\
version: 1
artifacts: []
custom_evaluators: custom-evaluators
report: {comment: always}
agents: {a: {type: command, command: [x], sources: [], persistent: false}}
"""


@pytest.mark.parametrize(("line", "column", "named"), USES)
def test_its_use_is_an_error_that_names_it(line: str, column: int, named: str) -> None:
    text = f"version: 1\n{line}\n"

    parsed = config.parse(text.encode(), path="mergebar.yml", explain=plugins.explain)

    (problem,) = parsed.problems
    assert parsed.config is None
    assert problem.rule == RULE
    assert problem.message.startswith(f"{named} is not available yet in this version: ")
    assert problem.line == 2
    assert problem.column == column


def test_its_default_may_be_spelt_out() -> None:
    parsed = config.parse(DEFAULTS.encode(), path="mergebar.yml", explain=plugins.explain)

    assert parsed.problems == ()


def test_every_row_of_the_table_is_tried_here() -> None:
    # A row is a key; where single values are refused, there may be several tries for it.
    tried = {(column, named.strip("`").partition(":")[0]) for _, column, named in USES}

    assert len(tried) == len(LATER)
