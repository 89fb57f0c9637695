"""How long it takes to read many artifacts: a hook that runs on every commit has to be quick."""

import time
from pathlib import Path

from support import artifacts
from support.artifacts import text, write

FRONT = """\
name: mend
description: Mends what leaks, wherever it leaks. Use it when something is wet that should be dry.
allowed-tools: Read, Edit
metadata:
  evals:
    - The pipe was dry before the session ended.
    - id: looked-first
      grader: tool-usage
      options: {tool: Read, expect: used}
"""


def test_two_thousand_skills_are_read_in_less_than_three_seconds(tmp_path: Path) -> None:
    content = text(FRONT, "A line of instructions that an agent reads.\n" * 100)
    write(tmp_path, {f".claude/skills/mend-{number}/SKILL.md": content for number in range(2000)})
    before = time.process_time()

    survey = artifacts.everything(tmp_path)

    assert time.process_time() - before < 2.5
    assert len(survey.artifacts) == 2000
    assert all(len(artifact.evals) == 2 for artifact in survey.artifacts)
