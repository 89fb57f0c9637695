"""Options that look like patterns and aren't are told; names and globs as they should be aren't."""

import pytest

from support import artifacts

LOOKS = {
    "space": '" Bash "',
    "rule": '"Bash(rm:*)"',
    "star": '"mcp__*"',
    "alternatives": '"Bash|Read"',
    "list": '"Bash, Read"',
}
NAMES = {
    "tool-usage": "tool: {}",
    "tool-order": "before: {}, after: Edit",
    "skill-invoked": "skill: {}",
}


def told(grader: str, options: str) -> list[tuple[str, int | None]]:
    text = f"metadata:\n  evals:\n    - {{id: a, grader: {grader}, options: {{{options}}}}}\n"
    return [(one.rule, one.line) for one in artifacts.read(text).problems]


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("grader", NAMES)
def test_a_name_that_nothing_can_have(grader: str, name: str) -> None:
    options = NAMES[grader].format(LOOKS[name])

    assert ("artifact/literal", 4) in told(grader, options)


@pytest.mark.parametrize("name", LOOKS)
def test_also_in_a_trigger(name: str) -> None:
    assert told("tool-usage", f"tool: Read, when: {{tool-used: {LOOKS[name]}}}") == [
        ("artifact/literal", 4)
    ]


@pytest.mark.parametrize("glob", ["'*.{ts,js}'", "'[ab].ts'", "'docs/{a}/**'"])
def test_a_glob_in_another_dialect(glob: str) -> None:
    assert told("file-access", f"path: {glob}, expect: not-accessed") == [("artifact/literal", 4)]
    assert told("tool-usage", f"tool: Read, when: {{file-access: {glob}}}") == [
        ("artifact/literal", 4)
    ]


@pytest.mark.parametrize(
    "name", ["Bash", "mcp__a.b__x+y", "p:n", "run_shell_command", "a/b", "x#y"]
)
def test_names_of_tools_as_hosts_have_them(name: str) -> None:
    assert told("tool-usage", f"tool: '{name}', expect: not-used") == []
    assert told("file-access", "path: 'docs/**/?.md'") == []
