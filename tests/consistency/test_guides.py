"""The workflows that the pages offer for pasting: valid, with inputs and permissions that exist."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mergebar import settings
from mergebar.commands import action
from mergebar.commands.runs import keeping
from support.pasted_workflows import PAGES, WORKFLOWS


def _steps(text: str) -> Iterator[dict[str, Any]]:
    for job in yaml.safe_load(text)["jobs"].values():
        yield from job["steps"]


def _on(text: str) -> Any:
    """YAML 1.1 reads the key `on` as a truth."""
    return yaml.safe_load(text)[True]


def test_every_workflow_follows_githubs_schema(tmp_path: Path) -> None:
    for name, text in WORKFLOWS.items():
        (tmp_path / name).write_text(text)

    done = subprocess.run(
        [
            sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows",
            *sorted(WORKFLOWS),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip

    assert len(WORKFLOWS) >= 8
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_folder_that_is_kept_between_runs_is_the_one_that_the_action_uses() -> None:
    steps = [step for text in WORKFLOWS.values() for step in _steps(text)]
    kept = [step for step in steps if str(step.get("uses")).startswith("actions/cache")]

    assert {step["with"]["path"] for step in kept} == {
        f"${{{{ runner.temp }}}}/{action.OWN_FOLDER}/{keeping.CACHE}"
    }


def test_only_a_push_to_the_default_branch_saves_what_stands_in_for_a_measurement() -> None:
    steps = [step for text in WORKFLOWS.values() for step in _steps(text)]
    saving = [step for step in steps if re.match(r"actions/cache(/save)?@", str(step.get("uses")))]

    assert saving
    for step in saving:
        assert "github.event_name == 'push'" in step["if"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_input_that_a_workflow_gives_exists(name: str) -> None:
    known = {entry.name for entry in settings.INPUTS}
    variables = {settings.variable(one).replace("-", "_") for one in known}
    uses = [step for step in _steps(WORKFLOWS[name]) if "mergebar" in str(step)]

    given = {
        key for step in uses if "mergebar" in step.get("uses", "") for key in step.get("with", {})
    }
    exported = {key for step in uses for key in step.get("env", {}) if key.startswith("INPUT_")}
    assert uses
    assert given <= known
    assert exported <= variables


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_workflow_asks_for_no_more_than_it_needs(name: str) -> None:
    text = WORKFLOWS[name]
    permissions = yaml.safe_load(text)["permissions"]

    writes = {scope for scope, level in permissions.items() if level == "write"}
    events = set(_on(text))
    signs_in = {"id-token"} if "AZURE_CLIENT_ID" in text else set()
    assert writes <= {"pull-requests", "checks"} | signs_in
    assert "pull_request_target" not in events
    if "workflow_run" in events:
        assert writes == {"pull-requests"}
        assert not any("checkout" in step.get("uses", "") for step in _steps(text))
        assert "secrets." not in text
    # A token that a checkout leaves behind is one that an agent could find.
    checkouts = [step for step in _steps(text) if "actions/checkout" in step.get("uses", "")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
