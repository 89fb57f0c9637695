"""Declarations that a hair keeps from being read: each is told, with what was meant."""

from pathlib import Path

import pytest

from mergebar.suites import artifacts
from mergebar.suites.artifacts import inventory
from support import suites

SKILL = "skills/mend/SKILL.md"
HOLDS = "metadata: {evals: [It is dry.]}\n"
MANNI = """\
collections:
  - name: a
    paths: [docs/AGENTS.md]
    externalMetadata: [{file: evals.yaml, keys: [metadata]}]
"""


def told(root: Path, files: dict[str, str]) -> list[tuple[str, str, str | None]]:
    """Of all artifacts of a repository: level, rule and file of each problem."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = inventory.everything(root, explain=suites.explain)
    problems = (*found.problems, *(one for each in found.artifacts for one in each.problems))
    return [(one.level.value, one.rule, one.path) for one in problems]


@pytest.mark.parametrize(
    "name",
    [
        "SKILL.meta.yml",
        "SKILL.META.yaml",
        "SKILL.md.meta.yaml",
        "SKILL.meta.json",
    ],
)
def test_a_file_that_is_almost_called_like_a_sidecar(tmp_path: Path, name: str) -> None:
    for artifact in (SKILL, "AGENTS.md"):
        path = str(Path(artifact).with_name(name.replace("SKILL", Path(artifact).stem)))
        root = tmp_path / Path(artifact).stem

        assert told(root, {artifact: "Mend.\n", path: HOLDS}) == [
            ("warning", "artifact/sidecar-name", path)
        ]


def test_one_in_other_case_than_its_artifact(tmp_path: Path) -> None:
    assert told(tmp_path, {"AGENTS.md": "Mend.\n", "agents.meta.yaml": HOLDS}) == [
        ("warning", "artifact/sidecar-name", "agents.meta.yaml")
    ]


@pytest.mark.parametrize("text", ["", "# later\n", "---\n"])
def test_a_sidecar_that_holds_nothing(tmp_path: Path, text: str) -> None:
    path = "skills/mend/SKILL.meta.yaml"

    assert told(tmp_path, {SKILL: "Mend.\n", path: text}) == [
        ("warning", "artifact/empty-sidecar", path)
    ]


@pytest.mark.parametrize("own", [{}, {"docs/AGENTS.md": "Hi.\n"}])
def test_an_entry_for_an_artifact_that_its_collection_leaves_out(
    tmp_path: Path, own: dict[str, str]
) -> None:
    entries = f"sub/AGENTS.md: {{{HOLDS.strip()}}}\n"
    files = {"sub/AGENTS.md": "Hi.\n", "manni.config.yaml": MANNI, "evals.yaml": entries, **own}

    assert told(tmp_path, files) == [("warning", "artifact/orphan", "evals.yaml")]


@pytest.mark.parametrize("key", ["Metadata", "METADATA", "Evals", "eval_skip", "Meta-Provenance"])
def test_a_key_that_is_almost_one_of_ours(tmp_path: Path, key: str) -> None:
    text = f"---\n{key}: {{evals: [x]}}\n---\nMend.\n"
    read = artifacts.read(text.encode(), path=SKILL, explain=suites.explain)

    assert [(one.rule, one.line) for one in read.problems] == [("artifact/misspelt-key", 2)]
