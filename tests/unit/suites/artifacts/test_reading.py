"""One artifact: what it declares, what identifies it, and what is told of it."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import identity
from mergebar.catalogue import defaults
from mergebar.model.artifacts import (
    CommandSpec,
    DeclaredEval,
    EvalType,
    Examples,
    JudgeWish,
    Scope,
    Target,
    TargetSource,
)
from mergebar.model.documents import Severity
from mergebar.model.problems import Location, is_invalid
from mergebar.planning import declaring
from mergebar.suites import artifacts as reader
from mergebar.suites.artifacts import hashes
from support import artifacts, suites
from support.artifacts import SKILL


def declared(*lines: str, front: str = "") -> tuple[DeclaredEval, ...]:
    """The evals of a list, that nothing is wrong with."""
    listed = "".join(f"    {line}\n" for line in lines)
    artifact = artifacts.read(f"{front}metadata:\n  evals:\n{listed}")
    assert not is_invalid(artifact.problems), artifact.problems
    return artifact.evals


def one(*lines: str) -> DeclaredEval:
    [eval_] = declared(*lines)
    return eval_


def test_a_text_is_an_assertion_for_the_judge() -> None:
    eval_ = one("- The pipe was dry.")

    assert eval_ == DeclaredEval(
        key=identity.digest("The pipe was dry.")[:12],
        name="eval-1",
        id=None,
        assertion="The pipe was dry.",
        grader="ai",
        location=Location(path=SKILL, line=4, column=7),
        definition=eval_.definition,
        question=eval_.question,
    )


def test_an_object_says_more() -> None:
    eval_ = one(
        "- id: dry",
        "  assertion: The pipe was dry.",
        "  provider: house",
        "  model: judge-2",
        "  runs: 5.0",
        "  type: capability",
        "  severity: warning",
        "  weight: 2",
        "  skip: true",
        "  evidence: The last message",
        "  target: {source: file, path: a.txt}",
        "  examples: {pass: a, fail: [b, c]}",
        "  options: {when: {tool-used: Edit}}",
    )

    assert eval_ == DeclaredEval(
        key="dry",
        name="dry",
        id="dry",
        assertion="The pipe was dry.",
        grader="ai",
        location=Location(path=SKILL, line=4, column=11),
        definition=eval_.definition,
        question=eval_.question,
        when={"tool-used": "Edit"},
        severity=Severity.WARNING,
        weight=2.0,
        type=EvalType.CAPABILITY,
        skip=True,
        judge=JudgeWish(provider="house", model="judge-2", runs=5),
        evidence="The last message",
        target=Target(source=TargetSource.FILE, path="a.txt"),
        examples=Examples(passing=("a",), failing=("b", "c")),
    )


def test_a_command_is_read_with_its_defaults() -> None:
    assert one("- {id: a, grader: command, command: [make, dry]}").command == CommandSpec(
        argv=("make", "dry")
    )
    written = "SHA256-" + "AB" * 32
    full = one(
        f"- {{id: a, grader: command, command: [x], assertion: y z, success-exit-codes: [0, 3.0], "
        f"timeout-ms: 1500, generated-assertion-hash: {written}}}"
    )
    assert full.command == CommandSpec(
        argv=("x",), success_exit_codes=(0, 3), timeout_s=1.5, assertion_hash="ab" * 32
    )


def test_the_graders_own_options_come_without_when_and_without_those_of_others() -> None:
    eval_ = one(
        "- {id: a, grader: tool-usage, options: {tool: Read, x-mine: 1, when: {tool-used: Edit}}}"
    )

    assert eval_.options == {"tool": "Read"}
    assert eval_.when == {"tool-used": "Edit"}


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("- {id: a, grader: command, assertion: x y}", "no `command` yet"),
        ("- {id: a, grader: tool-usage}", "needs `tool`"),
        ("- {id: a, grader: cost}", "needs `maxUsd` or `maxTokens`"),
        ("- {id: a, grader: command, command: [x], assertion: y z, generated-assertion-hash: abc}", "no sha256"),
        (f"- {{id: a, grader: command, command: [x], assertion: y z, generated-assertion-hash: {'a' * 64}}}", "has changed"),
    ],
)  # fmt: skip
def test_what_is_valid_and_cannot_be_measured_says_why(line: str, part: str) -> None:
    assert part in (one(line).fault or "")


def test_a_hash_of_the_assertion_is_no_fault() -> None:
    written = hashes.of("The pipe was dry.\n")
    line = f"generated-assertion-hash: sha256-{written}"

    eval_ = one("- id: a", "  grader: command", "  command: [x]", f"  {line}", "  assertion: |", "    The pipe was dry.")  # fmt: skip

    assert eval_.fault is None


def test_keys_never_depend_on_the_position() -> None:
    before = declared("- One thing.", "- Another.", "- One thing.")
    after = declared("- Another.", "- One thing.", "- One thing.")

    assert {each.key for each in before} == {each.key for each in after}
    assert len({each.key for each in before}) == 3
    assert before[0].key == after[1].key
    assert before[2].key == f"{before[0].key}~2"


def test_the_definition_covers_what_is_measured_and_nothing_else() -> None:
    base = one("- {id: a, assertion: The pipe was dry.}").definition

    for same in ("severity: notice", "weight: 3", "type: capability", "skip: true"):
        assert one(f"- {{id: b, assertion: The pipe was dry., {same}}}").definition == base
    assert one("- {id: a, assertion: The pipe was dry., grader: ai}").definition == base
    assert one("- The pipe was dry.").definition == base
    for other in (
        "evidence: x y",
        "runs: 4",
        "target: artifact",
        "options: {when: {tool-used: E}}",
    ):
        assert one(f"- {{id: a, assertion: The pipe was dry., {other}}}").definition != base
    assert one("- {id: a, assertion: The pipe was wet.}").definition != base


def body_digest(front: str, body: str = "Mend.\n") -> str:
    data = artifacts.text(front, body).encode()
    return reader.read(data, path=SKILL, explain=suites.explain).body_digest


def test_body_and_evals_are_told_apart() -> None:
    body = body_digest("name: x\nmetadata:\n  author: me\n  evals: One thing.\n")

    assert body_digest("name: x\nmetadata:\n  author: me\n  evals: Two things.\n") == body
    assert body_digest("name: x\nmetadata: {author: me}\n") == body
    assert body_digest("name: x\nmetadata: {author: me, eval-skip: true}\n") == body
    for other in (
        body_digest("name: y\nmetadata:\n  author: me\n  evals: One thing.\n"),
        body_digest("name: x\nmetadata:\n  author: you\n  evals: One thing.\n"),
        body_digest("name: x\nmetadata:\n  author: me\n  evals: One thing.\n", "Mend it.\n"),
    ):
        assert other != body


def test_how_a_body_is_written_down_does_not_change_it() -> None:
    body = body_digest("name: x\nmetadata: {evals: One thing.}\n")

    assert body_digest('# a remark\nmetadata:\n  evals: One thing.\nname: "x"\n') == body
    assert body_digest("name: x\n") == body
    data = artifacts.text("name: x\n", "Mend.\n").replace("\n", "\r\n").encode()
    assert reader.read(data, path=SKILL, explain=suites.explain).body_digest == body


def test_what_is_declared_in_front_of_a_broken_block_is_no_suite_unless_it_speaks_of_evals() -> (
    None
):
    assert artifacts.read("name: {\n").is_suite is False
    assert artifacts.read("metadata: {evals: x\n").is_suite is True
    assert artifacts.read("metadata: {eval-skip: true}\n").is_suite is False


def test_eval_skip_keeps_the_evals_in_sight() -> None:
    artifact = artifacts.read("metadata:\n  eval-skip: true\n  evals: One thing.\n")

    assert artifact.skip
    assert [each.name for each in artifact.evals] == ["eval-1"]


def test_a_broken_block_beats_eval_skip() -> None:
    artifact = artifacts.read("metadata:\n  eval-skip: true\n  evals: []\n")

    assert is_invalid(artifact.problems)
    assert artifact.evals == ()


def test_machine_written_evals_name_their_authors() -> None:
    artifact = artifacts.read(
        "metadata:\n"
        "  evals: [{id: a, assertion: One thing.}, {id: b, assertion: Another.}]\n"
        "  meta-provenance:\n"
        "    - {generated-by: writer-1, evals: [a]}\n"
        "    - {generated-by: writer-2, evals: [a]}\n"
    )

    assert [each.provenance for each in artifact.evals] == [("writer-1", "writer-2"), ()]
    [notice] = artifact.problems
    assert notice.level == "notice"
    assert "unreviewed machine-written eval" in notice.message
    assert notice.line == 3


@pytest.mark.parametrize(
    ("path", "front", "scope"),
    [
        (".cursor/rules/a.mdc", "globs: a/**, b/*.ts\n", Scope(always=False, globs=("a/**", "b/*.ts"))),
        (".cursor/rules/a.mdc", "alwaysApply: true\n", Scope(always=True)),
        (".cursor/rules/a.mdc", "description: x\n", Scope(always=False)),
        (".github/instructions/a.instructions.md", "applyTo: '**'\n", Scope(always=True, globs=("**",))),
        (".github/instructions/a.instructions.md", "applyTo: 'src/**'\n", Scope(always=False, globs=("src/**",))),
        (".kiro/steering/a.md", "name: x\n", Scope(always=True)),
        (".kiro/steering/a.md", "inclusion: fileMatch\nfileMatchPattern: [a, b]\n", Scope(always=False, globs=("a", "b"))),
        (".kiro/steering/a.md", "inclusion: manual\n", Scope(always=False)),
        (".claude/rules/a.md", "paths: [src/**]\n", Scope(always=False, globs=("src/**",))),
        (".claude/rules/a.md", "name: x\n", Scope(always=True)),
        (".cursor/rules/a.mdc", "globs: '*.{ts,tsx}, {a,{b,c}}/**'\n", Scope(always=False, globs=("*.{ts,tsx}", "{a,{b,c}}/**"))),
        (".github/instructions/a.instructions.md", "applyTo: 'src/*.{ts,tsx},x'\n", Scope(always=False, globs=("src/*.{ts,tsx}", "x"))),
        (".kiro/steering/a.md", "inclusion: fileMatch\nfileMatchPattern: '{a,b}.ts'\n", Scope(always=False, globs=("{a,b}.ts",))),
        (".claude/rules/a.md", "paths: '{a,b}.ts'\n", Scope(always=False, globs=("{a,b}.ts",))),
        (".claude/rules/a.md", "paths: '{a,b.ts'\n", Scope(always=False, globs=("{a", "b.ts"))),
        ("AGENTS.md", "globs: x\n", None),
    ],
)  # fmt: skip
def test_scoped_rules_say_for_which_files_they_are(
    path: str, front: str, scope: Scope | None
) -> None:
    assert artifacts.read(front, path=path).scope == scope


def test_a_format_without_front_matter_is_listed_only() -> None:
    data = b'prompt = "---"\n[metadata]\nevals = 3\n'

    artifact = reader.read(data, path=".gemini/commands/a.toml", explain=suites.explain)

    assert artifact.problems == ()
    assert not artifact.is_suite


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    for start in (b"", b"---\nmetadata:\n  evals:\n", b"+++\n[metadata]\nevals = "):
        whole = start + data + b"\n---\n"
        artifact = reader.read(whole, path=SKILL, explain=suites.explain)
        assert artifact.evals == () or not is_invalid(artifact.problems)


_SCALARS = st.sampled_from(
    ["x", "", "007", "no", "3.0", ".inf", "~", "[a]", "{a: b}", "'x'", "a: b"]
)
_NAMES = st.sampled_from(
    ["id", "assertion", "grader", "options", "runs", "weight", "target", "examples", "command", "x"]
)


@given(st.lists(st.dictionaries(_NAMES, _SCALARS, max_size=5), min_size=1, max_size=3))
def test_no_declaration_crashes_the_reader(entries: list[dict[str, str]]) -> None:
    listed = "".join(
        "    - z: 1\n" + "".join(f"      {name}: {value}\n" for name, value in entry.items())
        for entry in entries
    ).replace("z: 1\n      ", "")

    artifact = artifacts.read(f"metadata:\n  evals:\n{listed}", strict=True)

    assert artifact.problems or artifact.evals


GRADERS_DEFAULTS = [
    (grader, name, value)
    for grader, options in defaults.GRADERS.items()
    for name, value in options.items()
]
SAMPLE = {
    "tool-usage": {"tool": "Read"},
    "tool-order": {"before": "Read", "after": "Edit"},
    "skill-invoked": {"skill": "fix"},
    "file-access": {"path": "a.txt"},
    "regex": {"pattern": "x"},
}


@pytest.mark.parametrize(("grader", "name", "value"), GRADERS_DEFAULTS)
def test_a_default_that_is_written_out_measures_the_same(
    grader: str, name: str, value: object
) -> None:
    def said(options: Mapping[str, object]) -> DeclaredEval:
        return one(f"- {json.dumps({'id': 'a', 'grader': grader, 'options': options})}")

    plain = said(SAMPLE[grader])
    other = {"used": "not-used", "accessed": "not-accessed", "match": "no-match", False: True}
    changed = said({**SAMPLE[grader], name: other.get(value, "all" if name == "on" else "i")})

    assert said({**SAMPLE[grader], name: value}).definition == plain.definition
    assert changed.definition != plain.definition
    assert changed.question == plain.question


@pytest.mark.parametrize(("name", "value"), defaults.DECLARED.items())
def test_so_does_one_beside_the_options(name: str, value: object) -> None:
    grader = "command" if name in {"success-exit-codes", "timeout-ms"} else "ai"
    plain = {"id": "a", "grader": grader, "assertion": "It is dry."}
    if grader == "command":
        plain["command"] = ["make"]  # type: ignore[assignment]

    said = one(f"- {json.dumps({**plain, name: value})}")

    assert said.definition == one(f"- {json.dumps(plain)}").definition


def test_the_votes_of_an_eval_that_doesnt_say_are_its_default() -> None:
    assert defaults.DECLARED["runs"] == declaring.VOTES


@pytest.mark.parametrize("key", ["target", "severity", "weight", "skip", "assertion", "examples"])
def test_a_key_of_the_eval_among_the_options_is_told_where_it_belongs(key: str) -> None:
    options = json.dumps({"pattern": "done", key: "x"})
    listed = f"metadata:\n  evals:\n    - {{id: a, grader: regex, options: {options}}}\n"

    (problem,) = artifacts.read(listed).problems

    said = f"`{key}` is no option of `regex`: it belongs beside `options`, one level up"
    assert problem.message == f"eval `a`: {said}"
