"""What a prompt says of artifacts, where there are none like that."""

from pathlib import Path

import pytest

from mergebar.commands import workspace
from mergebar.commands.artifacts import prompt_audiences
from mergebar.model.scenarios import Scenario
from support import artifacts

PROMPT = "sessions/leak.md"
SCENARIO = Scenario(key="leak", group=0, prompt=PROMPT, words="Mend.")


def told(root: Path, front: str) -> list[tuple[int | None, str]]:
    artifacts.write(root, {PROMPT: f"---\n{front}\n---\nMend.\n"})
    own = [artifacts.read(path=".claude/skills/mend/SKILL.md")]
    found = prompt_audiences.check(workspace.here(root), [SCENARIO], own)
    return [(one.line, one.message) for one in found]


@pytest.mark.parametrize(
    ("front", "line", "said"),
    [
        ("artifacts: [mnd]", 2, "`mnd` is no artifact of the group of this prompt: did you mean"),
        ("artifacts:\n  - mend\n  - nope", 4, "`nope` is no artifact"),
        ("artifacts: nope", 2, "`nope` is no artifact"),
        ("title: x\nartifact: [mend]", 3, "`artifact` is not read of a prompt: did you mean"),
        ("Artifacts: [mend]", 2, "`Artifacts` is not read of a prompt"),
    ],
)
def test_what_is_nobody_is_told_with_its_line(
    tmp_path: Path, front: str, line: int, said: str
) -> None:
    ((at, message),) = told(tmp_path, front)

    assert (at, message.startswith(said)) == (line, True)


@pytest.mark.parametrize(
    "front", ["artifacts: [mend]", "artifacts: ['**/SKILL.md']", "title: x", "artifacts: mend"]
)
def test_what_is_somebody_is_not(tmp_path: Path, front: str) -> None:
    assert told(tmp_path, front) == []
