"""The sessions of an artifact group: what they are called, what belongs to them, whom they serve."""

from pathlib import Path

import pytest

from mergebar.commands import workspace
from mergebar.commands.artifacts import manifests, scenarios
from mergebar.model.configuration import ArtifactGroup, SessionsConfig, Stale
from mergebar.model.problems import Location
from mergebar.model.scenarios import Tie
from support import artifacts

ALL_OF_IT = """\
{"schema": "mergebar.manifest/2",
 "artifacts": {"a": {"body": "0", "folder": "1", "sources": "2"}}}
"""
NOWHERE = Location(path="mergebar.yml", line=3, column=5)


def group(*traces: str, prompts: tuple[str, ...] = ()) -> ArtifactGroup:
    sessions = SessionsConfig(
        command=("run", "{prompt}"),
        prompts=prompts,
        env=(),
        timeout_s=9,
        concurrency=1,
        location=NOWHERE,
    )
    return ArtifactGroup(
        paths=("AGENTS.md",),
        sources=(),
        traces=traces,
        stale=Stale.BLOCK,
        sessions=sessions if prompts else None,
        location=NOWHERE,
    )


def find(root: Path, files: dict[str, str], made: ArtifactGroup) -> scenarios.Found:
    artifacts.write(root, files)
    return scenarios.find(workspace.here(root), made, index=0)


def keys(found: scenarios.Found) -> dict[str, str]:
    return {one.key: one.path for one in found.scenarios}


ONE = '{"sessionId": "1", "type": "user"}\n'


@pytest.mark.parametrize("name", ["sessionId", "session_id"])
def test_the_copies_of_a_session_are_told(tmp_path: Path, name: str) -> None:
    one = ONE.replace("sessionId", name)
    files = {"t/a.jsonl": one, "t/b.jsonl": one, "t/c.jsonl": one.replace("1", "2")}

    found = find(tmp_path, files, group("t/*.jsonl"))

    (told,) = found.problems
    assert (told.path, "`t/a.jsonl`" in told.message) == ("t/b.jsonl", True)


@pytest.mark.parametrize(
    "files",
    [
        {"t/a.jsonl": "{}\n", "t/b.jsonl": "{}\n"},
        {"t/a.jsonl": ONE, "t/b.jsonl": ONE, "t/b/subagents/agent-1.jsonl": ONE},
        {"t/a.jsonl": "", "t/b.jsonl": ""},
    ],
    ids=["no name of a session", "sub-agents beside one", "empty"],
)
def test_traces_that_may_be_of_two_sessions_are_no_copies(
    tmp_path: Path, files: dict[str, str]
) -> None:
    found = find(tmp_path, files, group("t/*.jsonl"))

    assert set(keys(found)) == {"a.jsonl", "b.jsonl"}
    assert found.problems == ()


def test_a_trace_is_called_by_its_path_below_the_root_of_its_glob(tmp_path: Path) -> None:
    files = {"traces/a.jsonl": "x", "traces/deep/b.jsonl": "x", "c.json": "x"}

    found = find(tmp_path, files, group("traces/**/*.jsonl", "c.json"))

    assert keys(found) == {
        "a.jsonl": "traces/a.jsonl",
        "deep/b.jsonl": "traces/deep/b.jsonl",
        "c.json": "c.json",
    }
    assert found.problems == ()


def test_two_traces_of_one_name_are_told_apart(tmp_path: Path) -> None:
    found = find(tmp_path, {"x/a.jsonl": "1", "y/a.jsonl": "2"}, group("x/*", "y/*"))

    assert keys(found) == {"a.jsonl": "x/a.jsonl", "a.jsonl~2": "y/a.jsonl"}


def test_sub_agents_and_manifests_are_part_of_a_session(tmp_path: Path) -> None:
    files = {
        "traces/a.jsonl": "x",
        "traces/a.jsonl.manifest.json": '{"schema": "mergebar.manifest/1", "artifacts": {}}',
        "traces/a/subagents/agent-1.jsonl": "x",
        "traces/agent-2.jsonl": "x",
    }

    assert list(keys(find(tmp_path, files, group("traces/**")))) == ["a.jsonl"]


@pytest.mark.parametrize(
    "text", [ONE, '{"role": "user", "content": "Go."}\n', '{"messages": []}', "no JSON\n" + ONE]
)
def test_a_session_beside_others_may_be_called_like_a_sub_agents(tmp_path: Path, text: str) -> None:
    files = {
        "t/a.jsonl": ONE,
        "t/agent-refund.jsonl": text,
        "t/agent-1.jsonl": ONE.replace("}", ', "isSidechain": true}'),
        "t/agent-2.jsonl": ONE.replace("}", ', "agentId": "2"}'),
    }

    found = find(tmp_path, files, group("t/*"))

    assert list(keys(found)) == ["a.jsonl", "agent-refund.jsonl"]


def test_a_file_alone_may_be_called_like_a_sub_agents(tmp_path: Path) -> None:
    assert list(keys(find(tmp_path, {"t/agent-x.jsonl": "x"}, group("t/*")))) == ["agent-x.jsonl"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"artifacts": {}}',
        '{"schema": "mergebar.manifest/3", "artifacts": {}}',
        '{"schema": ["mergebar.manifest/2"], "artifacts": {}}',
        '{"schema": "mergebar.manifest/2"}',
        '{"schema": "mergebar.manifest/2", "artifacts": {"a": "0"}}',
        '{"schema": "mergebar.manifest/2", "artifacts": {"a": {}}}',
        '{"schema": "mergebar.manifest/2", "artifacts": {"a": {"folder": "0"}}}',
        '{"schema": "mergebar.manifest/2", "artifacts": {"a": {"body": 1}}}',
        '{"schema": "mergebar.manifest/2", "artifacts": {"a": {"body": "0", "folder": null}}}',
        '{"schema": "mergebar.manifest/2", "artifacts": {"a": {"body": "0", "foldr": "0"}}}',
        '{"schema": "mergebar.manifest/1", "artifacts": {"a": 1}}',
        '{"schema": "mergebar.manifest/1", "artifacts": []}',
        "[" * 5000,
    ],
)
def test_a_manifest_that_is_none_is_an_error(tmp_path: Path, text: str) -> None:
    files = {"t/a.jsonl": "x", "t/a.jsonl.manifest.json": text}

    found = find(tmp_path, files, group("t/*.jsonl"))

    (problem,) = found.spoiled
    assert (problem.rule, problem.path) == ("trace/manifest", "t/a.jsonl.manifest.json")
    assert found.scenarios[0].ties is None
    assert found.scenarios[0].fault == f"`t/a.jsonl.manifest.json`: {problem.message}"


@pytest.mark.parametrize(
    ("text", "tie"),
    [
        ('{"schema": "mergebar.manifest/1", "artifacts": {"a": "0"}}', Tie(body="0")),
        ('{"schema": "mergebar.manifest/2", "artifacts": {"a": {"body": "0"}}}', Tie(body="0")),
        (
            ALL_OF_IT,
            Tie(body="0", folder="1", sources="2"),
        ),
    ],
)
def test_a_manifest_says_what_a_session_was_recorded_with(
    tmp_path: Path, text: str, tie: Tie
) -> None:
    files = {"t/a.jsonl": "x", "t/a.jsonl.manifest.json": text}

    found = find(tmp_path, files, group("t/*.jsonl"))

    assert not found.problems
    assert found.scenarios[0].ties == {"a": tie}


def test_what_is_written_into_a_manifest_is_read_again(tmp_path: Path) -> None:
    ties = {"a": Tie(body="0"), "b": Tie(body="1", folder="2"), "c": Tie(body="3", sources="4")}
    text = manifests.dump(ties, prompt="p.md", commit=None).decode()

    found = find(tmp_path, {"t/a.jsonl": "x", "t/a.jsonl.manifest.json": text}, group("t/*.jsonl"))

    assert found.scenarios[0].ties == ties


def test_a_prompt_is_called_by_its_name_and_has_its_words(tmp_path: Path) -> None:
    files = {"s/leak.md": "---\nartifacts: mend\n---\n\nMend it.\n", "s/deep/x.md": "Do.\n"}

    found = find(tmp_path, files, group(prompts=("s/**/*.md",)))

    assert [(one.key, one.words, one.trace) for one in found.scenarios] == [
        ("deep/x", "Do.", None),
        ("leak", "Mend it.", None),
    ]


def test_a_prompt_serves_artifacts_by_name_or_by_path(tmp_path: Path) -> None:
    files = {
        "s/all.md": "Do.",
        "s/glob.md": "---\nartifacts: ['.claude/**']\n---\nDo.",
        "s/name.md": "---\nartifacts: [mend]\n---\nDo.",
        "s/other.md": "---\nartifacts: [paint]\n---\nDo.",
    }
    found = find(tmp_path, files, group(prompts=("s/*.md",)))

    assert [one.key for one in found.of(artifacts.read())] == ["all", "glob", "name"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("---\nartifacts: [x]\n---\n\n", "empty"),
        ("---\nartifacts: []\n---\nDo.", "list names"),
        ("---\nartifacts: [3]\n---\nDo.", "list names"),
        ("---\nartifacts: [\n---\nDo.", ""),
    ],
)
def test_a_prompt_that_says_nothing_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    found = find(tmp_path, {"s/a.md": text}, group(prompts=("s/*.md",)))

    (problem,) = found.spoiled
    (scenario,) = found.scenarios
    assert scenario.fault == f"`s/a.md`: {problem.message}"
    assert said in problem.message
    assert problem.path == "s/a.md"


def test_globs_that_match_nothing_are_errors_at_their_group(tmp_path: Path) -> None:
    found = find(tmp_path, {}, group("t/*.jsonl", prompts=("s/*.md",)))

    assert [(one.rule, one.line) for one in found.problems] == [("config/no-match", 3)] * 2
    assert "`artifacts[0].sessions.prompts`" in found.problems[1].message
