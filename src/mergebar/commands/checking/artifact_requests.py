"""What `check` asks of the part that reads artifacts, and what that answers, as values.

Apart from both, since the one is loaded only where the other finds something to ask.
"""

from dataclasses import dataclass

from mergebar.model.artifacts import Artifact
from mergebar.model.configuration import ArtifactGroup
from mergebar.model.problems import Problem
from mergebar.report.problems import CheckedSuite


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which artifacts to check, by reported paths. The config's globs select the `configured`, of
    which only those are here that lie in a folder that was named, if one was.

    `folders` are looked through for others. `named` files are taken at their word. `strict` holds
    all to the strict form of the vocabulary. `groups` are the config's, where all of it is checked:
    what they say of sessions is looked at too.
    """

    configured: tuple[str, ...] = ()
    groups: tuple[ArtifactGroup, ...] = ()
    folders: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedArtifacts:
    """What came of that; `judged`: some of their evals ask a judge.

    `sessions` are the names of those that the config has for them.
    """

    suites: tuple[CheckedSuite, ...] = ()
    problems: tuple[Problem, ...] = ()
    judged: bool = False
    artifacts: tuple[Artifact, ...] = ()
    sessions: tuple[str, ...] = ()
