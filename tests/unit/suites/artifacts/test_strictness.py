"""The strict form of the vocabulary: what it refuses beyond the open one."""

import pytest

from support import artifacts

HASH = "0" * 64


@pytest.mark.parametrize(
    "line",
    [
        "- {id: a, assertion: x y, provider: House}",
        "- {id: a, assertion: x y, model: a model}",
        "- {id: a, grader: command, command: [x], success-exit-codes: [0, 256]}",
        "- {id: a, grader: command, command: [x], success-exit-codes: [0, 0]}",
        f"- {{id: a, grader: command, command: [x], assertion: x y, generated-assertion-hash: '{HASH}'}}",
        f"- {{id: a, grader: command, command: [x], assertion: x y, generated-assertion-hash: SHA256-{HASH}}}",
    ],
)
def test_what_the_open_form_accepts_may_be_refused(line: str) -> None:
    front = f"metadata:\n  evals:\n    {line}\n"

    told = [problem.rule for problem in artifacts.read(front, strict=True).problems]

    assert told.count("artifact/strict") == 1
    assert "artifact/strict" not in [each.rule for each in artifacts.read(front).problems]


@pytest.mark.parametrize(
    "claim",
    [
        "{generated-by: a model, evals: [dry]}",
        "{generated-by: m, fields: [/a~b]}",
        "{generated-by: m, evals: [dry], confidence: {/a~b: 0.5}}",
    ],
)
def test_provenance_is_held_to_names_and_pointers(claim: str) -> None:
    front = f"{artifacts.EVALS}  meta-provenance: [{claim}]\n"

    assert "artifact/strict" in [each.rule for each in artifacts.read(front, strict=True).problems]


def test_what_is_right_passes() -> None:
    front = (
        "metadata:\n"
        "  evals:\n"
        "    - {id: a, assertion: x y, provider: house, model: 'org/judge:2@x', grader: ai}\n"
        "    - {id: b, grader: tool-order, options: {before: Read, after: Edit}}\n"
        "    - {id: c, grader: tool:prose}\n"
        "  meta-provenance: [{generated-by: 'C:\\m', fields: [/metadata/evals/0/id]}]\n"
    )

    told = artifacts.read(front, strict=True).problems

    assert [(each.level.value, each.rule) for each in told] == [("notice", "artifact/portable")]
    assert artifacts.read("metadata: {evals: One thing.}\n", strict=True).problems == ()
    assert artifacts.read(artifacts.EVALS, path="AGENTS.md", strict=True).problems == ()


@pytest.mark.parametrize(
    ("schema", "refused"),
    [
        ("manni:artifact-evals:1.0.0", True),
        ("[other, manni:artifact-evals:1.0.0]", True),
        ("manni:artifact-evals:1.1.0", False),
        ("something", False),
    ],
)
def test_the_version_that_is_named_decides_which_graders_it_has(
    schema: str, *, refused: bool
) -> None:
    front = (
        f"$schema: {schema}\n"
        "metadata: {evals: [{id: a, grader: tool-order, options: {before: A, after: B}}]}\n"
    )

    told = [each.rule for each in artifacts.read(front, strict=True).problems]

    assert ("artifact/strict" in told) is refused
    assert artifacts.read(front).problems == ()
