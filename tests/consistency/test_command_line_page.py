"""docs/reference/command-line.md has the commands and options that the program has."""

import contextlib
import io
import os
import re
from pathlib import Path
from unittest import mock

import pytest

from mergebar import cli
from mergebar.suites import discovery
from support import pages, stories

PAGE = "reference/command-line.md"
SECTIONS = pages.sections(PAGE)
WITHOUT_OPTIONS = {"action"}

_OPTION = re.compile(
    r"^  (?P<said>(?:-\w, )?--[a-z-]+(?: [^ \n]+(?: \[[^]]+\])?)?)(?:  |$)", re.MULTILINE
)


def help_of(command: str) -> str:
    """What `--help` prints on a wide terminal."""
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "200"}),
        contextlib.redirect_stdout(io.StringIO()) as printed,
    ):
        assert cli.main([command, "--help"]) == 0
    return printed.getvalue()


def options(command: str) -> list[str]:
    """The options as argparse shows them, in the spelling of the page."""
    found = []
    for match in _OPTION.finditer(help_of(command)):
        said = re.sub(r"\{(.*)\}", lambda choice: choice[1].replace(",", "|"), match["said"])
        said = re.sub(r" ([A-Z]+) \[\1 \.\.\.\]", r" \1…", said)
        if said != "-h, --help":
            found.append(said)
    return found


@pytest.mark.parametrize("command", sorted(set(cli.COMMANDS) - WITHOUT_OPTIONS))
def test_the_page_has_the_options_that_the_command_has(command: str) -> None:
    documented = [
        row[0].strip("`") for row in pages.rows(SECTIONS[f"`mergebar {command}`"], "option")
    ]

    assert options(command)
    assert documented == options(command)


def test_the_page_has_every_command_and_no_other() -> None:
    table = [pages.names(row[0])[0] for row in pages.rows(pages.prose(PAGE), "command")]

    assert table == list(cli.COMMANDS)
    assert [name for name in SECTIONS if name.startswith("`mergebar ")] == [
        f"`mergebar {name}`" for name in cli.COMMANDS
    ]


def test_every_option_is_explained_in_help_but_a_format_that_explains_itself() -> None:
    unsaid = [
        (command, line)
        for command in set(cli.COMMANDS) - WITHOUT_OPTIONS
        for line in re.findall(r"^  (?:-\w, )?--.*$(?!\n {10})", help_of(command), re.MULTILINE)
        if "  " not in line.strip() and "--format" not in line
    ]

    assert unsaid == []


def test_every_command_has_an_example_in_its_help() -> None:
    without = [
        command
        for command in set(cli.COMMANDS) - WITHOUT_OPTIONS
        if f"mergebar {command}" not in help_of(command).partition("example")[2]
    ]

    assert without == []


def test_check_prints_what_the_page_says(tmp_path: Path) -> None:
    document = tmp_path / "evals" / "shop.json"
    document.parent.mkdir()
    document.write_text(
        '{"schemaVersion": "1.7.0", "items": [\n'
        '  {"prompt": "How long does shipping take?",\n'
        '   "expected_respons": "Two working days."}\n'
        "]}\n"
    )
    assert discovery.looks_like_document(document)

    assert stories.play(pages.blocks(PAGE, "console"), tmp_path) == 3
