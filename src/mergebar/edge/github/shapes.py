"""Values of GitHub's replies as types: what isn't of its type is no reply, and goes no further."""

from pathlib import PurePosixPath
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints

Sha: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")]
"""A full commit id, or a blob's."""

Id: TypeAlias = Annotated[int, Field(gt=0, lt=2**63)]

_LONGEST_PATH = 4_096


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or "\0" in path or {"/", ".."} & {*parts} or len(path) > _LONGEST_PATH:
        raise ValueError("not a path inside of a repository")
    return path


RepositoryPath: TypeAlias = Annotated[str, AfterValidator(_inside)]
"""Posix, and relative to the top of the repository."""
