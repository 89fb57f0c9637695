"""Artifacts of a repository together: sidecars, names, imports, and what can't be read."""

import os
from pathlib import Path

import pytest

from mergebar.model.problems import Problem
from mergebar.suites import artifacts as reader
from support import artifacts, suites
from support.artifacts import EVALS, SKILL, paths, text, told, write

SIDECAR = SKILL.removesuffix(".md") + ".meta.yaml"
BARE = text("name: mend\n")
KEYED = f"{SKILL}:\n" + "".join(f"  {line}\n" for line in EVALS.splitlines())
CONFIG = """\
collections:
  - name: agents
    paths: [".claude/skills/**/SKILL.md"]
    externalMetadata:
      - {file: evals.yaml, keys: [metadata]}
"""


def names(survey: reader.Survey) -> dict[str, list[str]]:
    return {each.path: [own.name for own in each.evals] for each in survey.artifacts}


def test_artifacts_without_evals_are_listed_and_are_no_suites(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: text(), "AGENTS.md": "Be kind.\n"})

    survey = artifacts.everything(tmp_path)

    assert [(each.path, each.is_suite) for each in survey.artifacts] == [(SKILL, True), ("AGENTS.md", False)]  # fmt: skip
    assert told(survey) == []


def test_a_sidecar_beside_an_artifact_declares_for_it(tmp_path: Path) -> None:
    for content, line in ((KEYED, 4), (EVALS, 3)):
        write(tmp_path, {SKILL: BARE, SIDECAR: content})

        survey = artifacts.everything(tmp_path)

        [artifact] = survey.artifacts
        assert told(survey) == []
        assert artifact.sidecars == (SIDECAR,)
        assert artifact.is_suite
        assert (artifact.evals[0].location.path, artifact.evals[0].location.line) == (SIDECAR, line)


def test_a_file_without_front_matter_may_have_a_sidecar(tmp_path: Path) -> None:
    write(tmp_path, {"CLAUDE.md": "Be kind.\n", "CLAUDE.meta.yaml": EVALS})

    assert names(artifacts.everything(tmp_path)) == {"CLAUDE.md": ["dry"]}


def test_faults_of_a_sidecar_are_told_at_its_own_lines(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: BARE, SIDECAR: "metadata:\n  evals:\n    - {id: A, assertion: x y}\n"})

    survey = artifacts.everything(tmp_path)

    assert told(survey) == [("error", "schema/pattern", SIDECAR, 3)]
    assert survey.artifacts[0].evals == ()


@pytest.mark.parametrize(
    ("content", "rule", "line"),
    [
        ("metadata: {evals: x\n", "artifact/yaml-syntax", 2),
        ("- a\n", "artifact/sidecar", 1),
        ("a: 1\na: 2\n", "artifact/duplicate-key", 2),
    ],
)
def test_a_sidecar_that_cannot_be_read_is_an_error_of_its_suite(
    tmp_path: Path, content: str, rule: str, line: int
) -> None:
    write(tmp_path, {SKILL: BARE, SIDECAR: content})

    survey = artifacts.everything(tmp_path)

    assert told(survey) == [("error", rule, SIDECAR, line)]
    assert survey.artifacts[0].is_suite
    assert survey.problems == ()


def test_evals_in_two_places_are_never_merged(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: text(), SIDECAR: EVALS})

    survey = artifacts.everything(tmp_path)

    assert told(survey) == [("error", "artifact/declared-twice", SIDECAR, 1)]
    assert f"`{SKILL}`, line 2" in artifacts.problems(survey)[0].message
    assert survey.artifacts[0].evals == ()


def test_entries_for_nobody_are_errors(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: BARE, SIDECAR: KEYED.replace("mend", "bend")})
    write(tmp_path, {"skills/gone/SKILL.meta.yaml": EVALS})

    assert told(artifacts.everything(tmp_path)) == [
        ("error", "artifact/orphan", "skills/gone/SKILL.meta.yaml", 1),
        ("error", "artifact/orphan", SIDECAR, 1),
    ]


def test_a_collection_names_a_sidecar_for_many(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: BARE, "manni.config.yaml": CONFIG, "evals.yaml": KEYED})

    survey = artifacts.everything(tmp_path)

    assert names(survey) == {SKILL: ["dry"]}
    assert told(survey) == []
    assert survey.artifacts[0].evals[0].location.path == "evals.yaml"


def test_paths_in_a_collection_are_those_of_its_folder(tmp_path: Path) -> None:
    config = {"a/manni.config.yaml": CONFIG, "a/evals.yaml": KEYED}
    write(tmp_path, {f"a/{SKILL}": BARE, SKILL: BARE, **config})

    assert names(artifacts.everything(tmp_path, "a")) == {f"a/{SKILL}": ["dry"]}
    assert names(artifacts.everything(tmp_path)) == {SKILL: [], f"a/{SKILL}": []}


def test_entries_of_a_shared_sidecar_are_missed_only_when_everything_is_looked_at(
    tmp_path: Path,
) -> None:
    more = KEYED + KEYED.replace("mend", "gone")
    write(tmp_path, {SKILL: BARE, "manni.config.yaml": CONFIG, "evals.yaml": more})

    assert told(artifacts.everything(tmp_path)) == [("error", "artifact/orphan", "evals.yaml", 5)]
    some = reader.survey(tmp_path, [SKILL], explain=suites.explain)
    assert told(some) == []
    assert names(some) == {SKILL: ["dry"]}


def test_a_sidecar_of_a_collection_that_is_missing_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: BARE, "manni.config.yaml": CONFIG})

    assert told(artifacts.everything(tmp_path)) == [("error", "artifact/sidecar", SKILL, None)]


def test_two_collections_that_own_one_artifact_are_an_error(tmp_path: Path) -> None:
    second = CONFIG.replace("collections:\n", "").replace("agents", "more").replace("evals.yaml", "other.yaml")  # fmt: skip
    write(tmp_path, {SKILL: BARE, "manni.config.yaml": CONFIG + second, "evals.yaml": KEYED, "other.yaml": KEYED})  # fmt: skip

    assert told(artifacts.everything(tmp_path)) == [
        ("error", "artifact/declared-twice", "other.yaml", 2)
    ]


@pytest.mark.parametrize(
    ("change", "front", "owned"),
    [
        (("keys: [metadata]", "keys: [title]"), "", False),
        ((", keys: [metadata]", ""), "", False),
        ((", keys: [metadata]", ""), "$schema: manni:artifact-evals:1.1.0\n", True),
        ((CONFIG, CONFIG.replace(", keys: [metadata]", "") + "meta:\n  overrides:\n    - {collection: agents, schemas: ['manni:artifact-evals:1.0.0']}\n"), "", True),
        (("evals.yaml", "'{page}.evals.yaml'"), "", True),
        (("keys: [metadata]", "keys: [metadata], join: name"), "", True),
    ],
)  # fmt: skip
def test_who_owns_the_metadata_is_what_the_collection_says(
    tmp_path: Path,
    change: tuple[str, str],
    front: str,
    owned: bool,  # noqa: FBT001 -- a parameter
) -> None:
    joined = KEYED.replace(SKILL, "mend") if "join" in change[1] else KEYED
    sidecar = SKILL.replace("SKILL.md", "SKILL.evals.yaml") if "page" in change[1] else "evals.yaml"
    files = {SKILL: text(f"name: mend\n{front}"), sidecar: joined}
    write(tmp_path, {**files, "manni.config.yaml": CONFIG.replace(*change)})

    survey = artifacts.everything(tmp_path)

    assert names(survey) == {SKILL: ["dry"] if owned else []}
    assert told(survey) == []


def test_an_address_is_not_fetched(tmp_path: Path) -> None:
    config = CONFIG.replace("evals.yaml", "'https://example.com/evals.yaml'")
    write(tmp_path, {SKILL: BARE, "manni.config.yaml": config})

    assert told(artifacts.everything(tmp_path)) == [
        ("error", "artifact/sidecar-address", "manni.config.yaml", 5)
    ]


def test_a_collection_cannot_lead_out_of_the_repository(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, {"evals.yaml": KEYED})
    write(root, {SKILL: BARE, "manni.config.yaml": CONFIG.replace("evals.yaml", "../evals.yaml")})

    assert told(artifacts.everything(root)) == [("error", "artifact/unreadable", "../evals.yaml", None)]  # fmt: skip


def test_a_broken_configuration_of_collections_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: BARE, "manni.config.yaml": "collections: ["})

    [problem] = artifacts.everything(tmp_path).problems
    assert (problem.rule, problem.path) == ("artifact/yaml-syntax", "manni.config.yaml")


def test_any_shape_of_that_configuration_is_survived(tmp_path: Path) -> None:
    for content in ("", "3", "collections: 3", "collections: [3]", "collections: [{externalMetadata: [{}, 3, {file: 3}]}]", "collections: [{paths: 3, externalMetadata: 3}]\nmeta: {overrides: [{schemas: 3}]}"):  # fmt: skip
        write(tmp_path, {SKILL: text(), "manni.config.yaml": content})
        assert told(artifacts.everything(tmp_path)) == []


def test_two_artifacts_of_one_name_are_told_if_one_declares_evals(tmp_path: Path) -> None:
    other = ".github/skills/mend/SKILL.md"
    write(tmp_path, {SKILL: BARE, other: BARE, ".claude/agents/mend.md": text()})
    assert told(artifacts.everything(tmp_path)) == []

    write(tmp_path, {SKILL: text()})
    survey = artifacts.everything(tmp_path)

    assert told(survey) == [("warning", "artifact/same-name", other, None)]
    assert [len(each.evals) for each in survey.artifacts] == [1, 1, 0]


def test_a_command_and_a_skill_of_one_name_are_told(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: text(), ".claude/commands/mend.md": text(), ".claude/commands/other.md": text()})  # fmt: skip

    assert told(artifacts.everything(tmp_path)) == [("warning", "artifact/same-name", SKILL, None)]


def test_a_plugin_has_names_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"plugins/a/skills/mend/SKILL.md": text(), "plugins/b/skills/mend/SKILL.md": text(), SKILL: text()})  # fmt: skip

    assert told(artifacts.everything(tmp_path)) == []


def test_paths_that_differ_in_case_only_are_told(tmp_path: Path) -> None:
    write(tmp_path, {"skills/mend/SKILL.md": BARE, "skills/Mend/SKILL.md": BARE})

    assert told(artifacts.everything(tmp_path)) == [
        ("warning", "artifact/same-path", "skills/mend/SKILL.md", None)
    ]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("Read @notes/how.md first.\n", 1),
        ("One\n\n@./notes/how.md\n", 3),
        ("`@notes/how.md`\n", None),
        ("```\n@notes/how.md\n```\n", None),
        ("me@notes/how.md\n", None),
        ("@../notes/how.md\n", None),
        ("@notes/gone.md\n", None),
        ("@notes/plain.md\n", None),
    ],
)
def test_evals_of_an_imported_file_are_missed(tmp_path: Path, body: str, line: int | None) -> None:
    write(tmp_path, {"CLAUDE.md": body, "notes/how.md": text(), "notes/plain.md": "evals\n"})

    expected = [] if line is None else [("warning", "artifact/imported-evals", "CLAUDE.md", line)]
    assert told(artifacts.everything(tmp_path)) == expected


def test_an_imported_artifact_is_read_for_itself(tmp_path: Path) -> None:
    write(tmp_path, {"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": text()})

    survey = artifacts.everything(tmp_path)

    assert told(survey) == []
    assert names(survey) == {"AGENTS.md": ["dry"], "CLAUDE.md": []}


def test_what_cannot_be_read_is_one_message_and_the_rest_is_unharmed(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: text(), "big/AGENTS.md": "x" * (1024 * 1024 + 1), "b/AGENTS.md": ""})
    (tmp_path / "b/AGENTS.md").write_bytes(b"---\nname: \xff\n---\n")
    os.mkfifo(tmp_path / "CLAUDE.md")
    wanted = [
        SKILL,
        "big/AGENTS.md",
        "b/AGENTS.md",
        "CLAUDE.md",
        "gone/AGENTS.md",
        "big",
        "../x.md",
    ]

    survey = reader.survey(tmp_path, wanted, explain=suites.explain)

    assert paths(survey) == sorted(wanted)
    assert sorted((each.path or "", each.rule) for each in artifacts.problems(survey)) == [
        ("../x.md", "artifact/unreadable"),
        ("CLAUDE.md", "artifact/unreadable"),
        ("b/AGENTS.md", "artifact/encoding"),
        ("big", "artifact/unreadable"),
        ("big/AGENTS.md", "artifact/too-large"),
        ("gone/AGENTS.md", "artifact/unreadable"),
    ]
    assert names(survey)[SKILL] == ["dry"]


def test_files_elsewhere_are_read_by_whoever_may(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    write(root, {SKILL: text()})
    write(elsewhere, {"how.md": text()})
    named = str(elsewhere / "how.md")

    def read(path: str) -> bytes | Problem:
        return (root / path).read_bytes()

    survey = reader.survey(root, [SKILL, named], explain=suites.explain, read=read)

    assert names(survey) == {SKILL: ["dry"], named: ["dry"]}


def test_what_somebody_names_is_read_beside_what_is_found(tmp_path: Path) -> None:
    write(tmp_path, {SKILL: text(), "notes/how.md": text()})

    survey = reader.everything(tmp_path, explain=suites.explain, also=["notes/how.md", SKILL])

    assert paths(survey) == [SKILL, "notes/how.md"]
