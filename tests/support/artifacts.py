"""Artifacts as a test writes them, in a folder of its own, read by the real reader."""

from pathlib import Path

from mergebar.model.artifacts import Artifact
from mergebar.model.problems import Problem
from mergebar.suites import artifacts
from mergebar.suites.artifacts import Survey
from support import suites

SKILL = ".claude/skills/mend/SKILL.md"
EVALS = "metadata:\n  evals:\n    - {id: dry, assertion: The pipe was dry.}\n"


def text(front: str = EVALS, body: str = "Mend the leak.\n") -> str:
    """A file with this front matter."""
    return f"---\n{front}---\n{body}"


def write(root: Path, files: dict[str, str]) -> None:
    """Write files by their paths below the root."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, encoding="utf-8")


def read(front: str = EVALS, *, path: str = SKILL, strict: bool = False) -> Artifact:
    """Read an artifact with this front matter."""
    data = text(front).encode()
    return artifacts.read(data, path=path, explain=suites.explain, strict=strict)


def everything(root: Path, folder: str = "") -> Survey:
    """All artifacts below a folder."""
    return artifacts.everything(root, explain=suites.explain, folder=folder)


def told(survey: Survey) -> list[tuple[str, str, str | None, int | None]]:
    """All problems: level, rule, path, line."""
    return [brief(problem) for problem in problems(survey)]


def problems(survey: Survey) -> tuple[Problem, ...]:
    """Those of no artifact first."""
    return (
        *survey.problems,
        *(problem for artifact in survey.artifacts for problem in artifact.problems),
    )


def brief(problem: Problem) -> tuple[str, str, str | None, int | None]:
    return problem.level.value, problem.rule, problem.path, problem.line


def paths(survey: Survey) -> list[str]:
    return [artifact.path for artifact in survey.artifacts]
