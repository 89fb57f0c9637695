"""Every page of the docs: reachable, linked right, and each block one that was tried."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from mergebar import cli, config, plugins, recordings
from mergebar.config import availability
from mergebar.model.problems import Level, is_invalid
from mergebar.suites import documents
from support import commands, pages, stories, suites
from support.pages import DOCS, ROOT, Block
from support.repositories import Repository

PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
"""What a newcomer reads."""

STORIES = [
    "guides/getting-started.md",
    "reference/command-protocol.md",
    "reference/recordings.md",
]
"""Pages whose files and commands are one story: it is played from beginning to end."""

UNPLAYED = {
    "git clone https://github.com/mergebar/mergebar",
    "pipx install ./mergebar",
    "docker build -t mergebar ./mergebar",
    'docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/repo" -w /repo mergebar check',
}
"""What takes a network or a container engine."""

HELD_HERE = [
    DOCS / page
    for page in (
        "concepts/policy.md",
        "concepts/selection.md",
        "guides/getting-started.md",
        "guides/permissions.md",
        "reference/command-line.md",
        "reference/command-protocol.md",
        "reference/eval-documents.md",
        "reference/recordings.md",
    )
]
"""Pages whose blocks are held by this module and its siblings; others have tests of their own."""


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def told(*names: str) -> list[Block]:
    return [block for page in HELD_HERE for block in pages.blocks(page, *names)]


def is_workflow(text: str) -> bool:
    return re.search(r"^jobs:", text, re.MULTILINE) is not None


def test_the_index_links_to_every_page() -> None:
    index = DOCS / "README.md"
    linked = re.findall(r"\]\(([^)#]+)\)", index.read_text(encoding="utf-8"))

    reached = {(DOCS / target).resolve() for target in linked}
    assert {page for page in DOCS.rglob("*.md") if page != index} - reached == set()
    assert len(linked) == len(set(linked))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = page if not path else (page.parent / path).resolve()
        assert file.exists(), target
        if anchor:
            assert anchor in pages.anchors(file), target


@pytest.mark.parametrize("page", STORIES)
def test_the_commands_of_a_page_print_what_it_says(page: str, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    if "$ git init" not in pages.read(page):
        Repository(folder).git("init", "--quiet")

    ran = stories.play(pages.blocks(page), folder, unplayed=UNPLAYED)

    assert ran == sum(
        step.command not in UNPLAYED
        for block in pages.blocks(page, "console")
        for step in stories.steps(block)
    )
    assert ran > 0


def test_every_console_block_belongs_to_a_story_that_is_played() -> None:
    others = {block.page for block in told("console")} - {Path(page).name for page in STORIES}

    assert others == {"command-line.md"}  # played by test_command_line.py


def brought(group: str) -> frozenset[str]:
    """What the packages of the guides bring."""
    blocks = [one for one in told("toml") if "entry-points" in one.text]
    projects = [tomllib.loads(one.text)["project"] for one in blocks]
    points = [project["entry-points"].get(f"mergebar.{group}", {}) for project in projects]
    return frozenset(name for names in points for name in names)


@pytest.mark.parametrize("block", told("yaml"), ids=str)
def test_every_yaml_block_is_a_valid_configuration_or_a_workflow(block: Block) -> None:
    if is_workflow(block.text):
        assert "guides" in str(next(page for page in PAGES if page.name == block.page))
        return  # test_guides.py holds the workflows of all guides
    parsed = config.parse(
        block.text.encode(), path="page.yml", explain=plugins.explain, installed=brought
    )

    assert not [one for one in parsed.problems if one.level is Level.ERROR]


@pytest.mark.parametrize("block", told("json"), ids=str)
def test_every_json_block_is_what_its_page_is_about(block: Block) -> None:
    value = json.loads(block.text)
    data = block.text.encode()
    if isinstance(value, list) or not {"items", "prompts"}.isdisjoint(value):
        checked = documents.check(data, path="page.json", explain=suites.explain)
        assert not is_invalid(checked.problems), checked.problems
    elif value.get("schema") == "mergebar.recording/1":
        assert isinstance(recordings.load(data, "page.json"), recordings.Recording)
    else:
        assert block.page == "command-protocol.md"  # held by test_command_protocol.py


def test_every_block_says_what_language_it_is_in() -> None:
    languages = {block.language for block in told()}

    assert languages <= {"console", "json", "python", "text", "yaml"}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_page_calls_anything_simple(page: Path) -> None:
    words = re.findall(
        r"\b(?:simply|easy|easily|obviously|of course)\b", page.read_text(), re.IGNORECASE
    )

    assert words == []


def test_what_git_should_ignore_is_the_same_on_every_page() -> None:
    said = [
        block.text
        for page in PAGES
        for block in pages.blocks(page, "text")
        if block.text.startswith(".mergebar")
    ]

    whole = ".mergebar/*\n!.mergebar/recordings/\nmergebar-report/\n"
    assert whole in said
    assert all(whole.startswith(text) for text in said)


README = ROOT / "README.md"
TODAY = pages.rows(README.read_text(encoding="utf-8"), "")


def types(kind: str) -> list[str]:
    """Every type that the format knows by its own name."""
    found: list[str] = SCHEMA["$defs"][kind]["properties"]["type"]["examples"]
    return found


SCHEMA = json.loads((ROOT / "schemas/config.v1.json").read_text(encoding="utf-8"))
LATER_KEYS = [row.key[0] for row in availability.LATER if len(row.key) == 1]
AVAILABLE = {
    "commands": (cli.COMMANDS, ()),
    "agents": (plugins.AGENTS, [one for one in types("agent") if one not in plugins.AGENTS]),
    "judges": (plugins.JUDGES, [one for one in types("judge") if one not in plugins.JUDGES]),
    "`mergebar.yml`": (
        [key for key in SCHEMA["properties"] if key not in {*LATER_KEYS, "version"}],
        LATER_KEYS,
    ),
}


@pytest.mark.parametrize("what", AVAILABLE)
def test_the_readme_says_what_there_is_and_what_comes_later(what: str) -> None:
    [row] = [row for row in TODAY if row[0] == what]
    there, later = AVAILABLE[what]

    assert sorted(pages.names(row[1])) == sorted(there)
    assert sorted(pages.names(row[2])) == sorted(later)


def test_the_readme_has_a_configuration_that_holds() -> None:
    block, *_ = pages.blocks(README, "yaml")

    parsed = config.parse(block.text.encode(), path="mergebar.yml", explain=plugins.explain)
    assert parsed.problems == ()


def test_the_readme_names_targets_of_make_that_exist() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)

    named = re.findall(r"\$ make ([a-z]+)", README.read_text(encoding="utf-8"))
    assert named
    assert set(named) <= set(targets)


def test_the_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    folder = tmp_path / "examples/support-agent"
    ignored = shutil.ignore_patterns(".mergebar", "__pycache__")
    shutil.copytree(ROOT / "examples/support-agent", folder, ignore=ignored)
    Repository(tmp_path).git("init", "--quiet")
    [shown] = [one for one in pages.blocks(README, "text") if one.text.startswith("evaluator")]

    done = commands.inside("run", "--all", cwd=folder)
    printed = done.stdout.splitlines()
    assert [line for line in shown.text.splitlines() if line not in {*printed, "…"}] == []


def test_the_permissions_say_whether_baselines_are_read() -> None:
    unread = "aren't read yet" in pages.read("guides/permissions.md")

    assert unread == ("baseline" in LATER_KEYS)
