"""The reference page and the tables of the code say the same."""

import re
from pathlib import Path

from mergebar.model.sessions import Capability
from mergebar.traces import PARSERS, formats
from mergebar.traces.faults import LINE_LIMIT

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "traces.md").read_text("utf-8")


def test_the_page_lists_each_format_that_is_read() -> None:
    assert set(re.findall(r"^\| [^|]+ \| `([a-z-]+)` \|", PAGE, re.MULTILINE)) == set(PARSERS)


def test_the_page_has_a_row_for_all_that_a_format_may_record() -> None:
    table = PAGE.split("## What a format records")[1].split("##")[0].lower()

    for capability in Capability:
        assert capability.value.removeprefix("the agent's ") in table


def test_the_page_says_which_formats_record_no_files_and_no_status() -> None:
    assert Capability.TOOL_STATUS not in PARSERS[formats.CHAT].capabilities
    assert "| whether a tool call failed | yes | yes | no |" in PAGE
    assert Capability.SUBAGENTS not in PARSERS[formats.CHAT].capabilities
    assert "| slash commands, sub-agents | yes | yes | no |" in PAGE


def test_the_page_states_the_limit_of_a_line() -> None:
    assert f"a line over {LINE_LIMIT // 2**20} MiB" in PAGE
