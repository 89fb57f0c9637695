"""What `mergebar init` is made of: quoting, globs, the files it draws and how it writes them."""

import os
from pathlib import Path, PurePosixPath

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mergebar.commands.starting import covering, covers, drawing, looking, scalars, writing
from mergebar.commands.starting.looking import Found
from mergebar.commands.starting.writing import Act
from mergebar.commands.workspace import Place
from mergebar.patterns import GlobSet
from mergebar.reading import yaml_text
from mergebar.reading.yaml_text import YamlText

TEXTS = st.text(st.characters(codec="utf-8"))
SEGMENT = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=12)
PATHS = st.lists(SEGMENT.filter(lambda one: one not in {".", ".."}), min_size=1, max_size=3)
HOSTILE = (
    "a: b #c",
    'quo"te',
    "it's",
    "back\\slash",
    "line\nbreak: x",
    "tab\t",
    "\x85\u2028\ufeff\x7f\x00",
    "é日本🎉",
    "*alias",
    "!tag",
    "[x]",
    "{x}",
    "${HOME}",
    "$${HOME}",
    "${{ github.token }}",
    "- x",
    "~",
    "---",
    "%x",
    "@x",
    "<< found >>",
    "{% raw %}",
)


def place(root: Path, folder: str = "") -> Place:
    return Place(cwd=root / folder, top=root)


def write(root: Path, *paths: str, text: str = "{}") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def drawn(found: Found, root: Path) -> str:
    return drawing.config(found, covers.of(found, place(root)))


@given(TEXTS)
@example("\U0001f389\x85")
def test_a_quoted_text_is_one_line_of_yaml_that_means_that_text(text: str) -> None:
    quoted = scalars.yaml(text)

    read = yaml_text.parse(f"- {quoted}\n".encode(), path="x", prefix="config")
    assert isinstance(read, YamlText), read
    assert read.value == [text]
    assert quoted.isprintable()


@given(PATHS)
def test_the_glob_of_a_path_matches_that_path_and_reads_no_variable(parts: list[str]) -> None:
    path = "/".join(parts)
    pattern = scalars.glob(path)

    assert GlobSet((pattern,)).matches(path)
    assert not GlobSet((pattern,)).matches(f"other/{path}")
    assert "${" not in pattern


@pytest.mark.parametrize("text", ["${{ github.token }}", "$${{ x }}", "${{ '${{' }}", "${{${{"])
def test_a_text_holds_no_expression_of_its_own_in_a_workflow(text: str) -> None:
    safe = scalars.unevaluated(text)

    ours = "${{ '$' }}"
    assert "${{" not in safe.replace(ours, " ")
    assert safe.replace(ours, "$") == text


def test_a_folder_of_nothing_but_documents_is_one_glob(tmp_path: Path) -> None:
    write(tmp_path, "evals/a.json", "evals/deep/b.json")

    found = covering.cover(tmp_path, ["evals/a.json", "evals/deep/b.json"], covering.documents)
    assert found.globs == ("evals/**/*.json",)


def test_what_else_is_in_a_folder_for_evals_is_excepted(tmp_path: Path) -> None:
    write(tmp_path, "evals/a.json", "evals/deep/b.json", "evals/deep/settings.json", "top.json")
    paths = ["evals/a.json", "evals/deep/b.json", "top.json"]

    found = covering.cover(tmp_path, paths, covering.documents)
    assert found.globs == ("evals/**/*.json", "/top.json", "!evals/deep/settings.json")
    assert found.new == {"evals/**/*.json"}


def test_a_folder_that_holds_more_of_other_things_is_not_taken_whole(tmp_path: Path) -> None:
    write(tmp_path, "data/a.json", "data/b.json", "data/c.json")
    write(tmp_path, "evals/a.json", *(f"evals/settings/{n}.json" for n in range(40)))

    found = covering.cover(tmp_path, ["data/a.json", "evals/a.json"], covering.documents)
    assert found.globs == ("data/a.json", "evals/*.json")


def test_a_new_file_can_not_be_in_two_groups(tmp_path: Path) -> None:
    write(tmp_path, "evals/a.json", "evals/b.json", "evals/deep/c.json", "answers/d.json")

    asked = covering.cover(tmp_path, ["evals/a.json"], covering.documents)
    paths = ["evals/b.json", "evals/deep/c.json", "answers/d.json"]
    stored = covering.cover(tmp_path, paths, covering.documents, taken=asked.new)
    assert asked.globs == ("evals/**/*.json", "!evals/b.json", "!evals/deep/c.json")
    assert stored.globs == ("answers/*.json", "evals/b.json", "evals/deep/c.json")


def test_skills_of_one_host_are_one_glob_and_agents_of_one_folder_another(tmp_path: Path) -> None:
    paths = [".claude/skills/a/SKILL.md", ".claude/skills/b/SKILL.md", ".github/agents/x.agent.md"]
    bare = ".claude/skills/c/SKILL.md"
    write(tmp_path, *paths, bare, "docs/AGENTS.md", "docs/README.md")

    found = covering.cover(tmp_path, [*paths, "docs/AGENTS.md"], covering.artifacts, free=[bare])
    globs = (".claude/skills/*/SKILL.md", ".github/agents/*.agent.md", "docs/AGENTS.md")
    assert found.globs == globs


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3, unique=True))
def test_no_name_changes_the_configuration_around_it(tmp_path: Path, names: list[str]) -> None:
    paths = tuple(f"{name}.json" for name in names)
    found = Found(asked=paths, broken=paths, judged=True)

    read = yaml_text.parse(drawn(found, tmp_path).encode(), path="mergebar.yml", prefix="config")
    assert isinstance(read, YamlText), read
    assert isinstance(read.value, dict)
    assert list(read.value) == ["version", "agents", "judge", "documents", "gate"]
    expected = [scalars.glob(path) for path in sorted(paths)]
    assert read.value["documents"] == [{"paths": expected, "agent": "my-agent"}]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_of_a_folder_changes_the_workflow_around_it(tmp_path: Path, name: str) -> None:
    text = drawing.workflow(Found(), place(tmp_path, name))

    [job] = yaml.safe_load(text)["jobs"].values()
    folder = job["steps"][1]["with"]["working-directory"]
    assert folder.replace("${{ '$' }}", "$") == PurePosixPath(name).as_posix()
    assert "${{ github.token" not in text


@pytest.mark.parametrize(
    ("there", "added"),
    [
        ("", ".mergebar/*\n!.mergebar/recordings/\nmergebar-report/\n"),
        ("x", "\n.mergebar/*\n!.mergebar/recordings/\nmergebar-report/\n"),
        ("x\r\n", ".mergebar/*\r\n!.mergebar/recordings/\r\nmergebar-report/\r\n"),
        ("mergebar-report/\n", ".mergebar/*\n!.mergebar/recordings/\n"),
        (".mergebar/\n", "mergebar-report/\n"),
    ],
)
def test_gitignore_gets_the_lines_that_it_lacks(tmp_path: Path, there: str, added: str) -> None:
    file = tmp_path / ".gitignore"
    file.write_bytes(there.encode())

    draft = writing.ignoring(file, ".gitignore", drawing.IGNORED)
    assert writing.write(draft, top=tmp_path).act is Act.ADD
    assert file.read_bytes() == (there + added).encode()
    again = writing.ignoring(file, ".gitignore", drawing.IGNORED)
    assert again.act is Act.KEEP


def test_a_gitignore_that_is_a_link_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "profile"
    target.write_text("mine\n")
    (tmp_path / ".gitignore").symlink_to(target)

    draft = writing.ignoring(tmp_path / ".gitignore", ".gitignore", drawing.IGNORED)
    assert writing.write(draft, top=tmp_path).act is Act.KEEP
    assert target.read_text() == "mine\n"


def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    top.mkdir()
    outside.mkdir()
    (top / ".github").symlink_to(outside)

    path = top / drawing.WORKFLOW
    written = writing.write(writing.new(path, drawing.WORKFLOW, "name: x\n"), top=top)
    assert (written.act, written.note) == (Act.FAIL, "a link leads out of the repository")
    assert list(outside.iterdir()) == []


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    draft = writing.new(tmp_path / "mergebar.yml", "mergebar.yml", "version: 1\n")
    write(tmp_path, "mergebar.yml", text="mine")

    assert writing.write(draft, top=tmp_path).act is Act.FAIL
    assert (tmp_path / "mergebar.yml").read_text() == "mine"


@pytest.mark.parametrize(
    ("references", "branch"),
    [
        ({"refs/remotes/origin/HEAD": "ref: refs/remotes/origin/trunk\n"}, "trunk"),
        ({"HEAD": "ref: refs/heads/topic\n", "refs/heads/master": "0" * 40}, "master"),
        ({"HEAD": "ref: refs/heads/dev\n"}, "dev"),
        ({"HEAD": "ref: refs/heads/a]: ${{ x }}\n"}, "main"),
        ({"HEAD": "0" * 40 + "\n"}, "main"),
        ({}, "main"),
    ],
)
def test_the_branch_of_the_workflow_is_the_repositorys(
    tmp_path: Path, references: dict[str, str], branch: str
) -> None:
    for name, text in references.items():
        write(tmp_path, f".git/{name}", text=text)

    assert looking.look(place(tmp_path)).branch == branch


def test_a_name_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    name = os.fsencode(tmp_path / "evals") + b"/\xff.json"
    Path(os.fsdecode(name)).write_text('{"schemaVersion": "1.7.0", "items": [{"prompt": "Hi"}]}')

    found = looking.look(place(tmp_path))
    assert (found.asked, len(found.broken)) == ((), 1)
    assert b"\\udcff" in drawn(found, tmp_path).encode()
