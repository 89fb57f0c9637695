"""The command line that asks the same again, as a shell has to be told."""

import dataclasses
import shlex

import pytest

from mergebar.model.reports import Report, ReportCommand
from mergebar.report import repeating
from support import reports


def made(
    *options: str, paths: tuple[str, ...] = (), folder: str = "", event: str | None = None
) -> Report:
    command = ReportCommand(folder=folder, options=options, paths=paths)
    return reports.report(info=dataclasses.replace(reports.run(), command=command, event=event))


def test_where_a_run_was_in_a_folder_of_the_workspace_the_command_goes_there() -> None:
    report = made("--base", "b" * 40, folder="own agents", event="pull_request")

    assert repeating.run(report) == f"cd 'own agents' && mergebar run --base {'b' * 40}"


def test_suites_are_named_from_the_folder_that_the_person_is_in() -> None:
    report = made(folder="agents/desk")

    line = repeating.check(report, ["agents/desk/a.json", "agents/b.json", "c.json"])
    assert line == "mergebar check a.json ../b.json ../../c.json"


@pytest.mark.parametrize("name", ["a b", "it's", "$(true)", "-rf", "a;b", "*", "é", "a\nb"])
def test_no_name_is_anything_but_a_name_to_a_shell(name: str) -> None:
    report = made("--config", name, paths=(name,))

    words = shlex.split(repeating.run(report))
    assert words[:4] == ["mergebar", "run", "--config", name]
    assert words[4].removeprefix("./") == name
    assert words[4][:1] != "-"


def test_many_suites_are_not_written_down() -> None:
    report = made("--no-judge")
    assert repeating.run(report, [f"{number}.json" for number in range(6)]) == (
        "mergebar run --no-judge"
    )


@pytest.mark.parametrize("base", [None, "", "main", "$(true)", "-" * 40, "b" * 39])
def test_of_a_stranger_nothing_but_a_commit_is_believed(base: str | None) -> None:
    assert repeating.of_stranger(base) == ReportCommand()


def test_a_strangers_base_is_compared_with() -> None:
    assert repeating.of_stranger("b" * 40).options == ("--base", "b" * 40)
