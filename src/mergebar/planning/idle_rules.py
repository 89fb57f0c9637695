"""The rules of a configuration and all of its suites in; the rules that match nothing out.

A rule with a typo raises nothing, and nobody would notice: what it was to protect isn't protected.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from mergebar import catalogue
from mergebar.catalogue import graders
from mergebar.model.artifacts import Artifact
from mergebar.model.configuration import Match, Rule
from mergebar.model.documents import Document
from mergebar.model.plans import CheckKind
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.planning import stakes
from mergebar.planning.placing import Placing
from mergebar.planning.stakes import Subject
from mergebar.reading.nearest import nearest

_KEYS = tuple(field.name for field in fields(Match))


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A suite. `subjects` are what rules see of its checks, `None` where that isn't known."""

    path: str
    kind: CheckKind
    agent: str | None = None
    subjects: tuple[Subject, ...] | None = None


def of_document(document: Document, placing: Placing) -> Suite:
    """Of one that is invalid it isn't known what it would have checked."""
    placement = placing.place(document)
    agent = placement.agent.name if placement.agent else None
    subjects = tuple(
        Subject(
            path=document.path,
            kind=CheckKind.EVALUATOR,
            agent=agent,
            tags=turn.tags,
            ids=tuple(filter(None, (case.key, turn.declared.id))),
            evaluator=use.name,
        )
        for case in document.cases
        for turn in case.turns
        for use in turn.evaluators
    )
    return of_subjects(document.path, agent=agent, subjects=subjects, problems=document.problems)


def of_subjects(
    path: str, *, agent: str | None, subjects: tuple[Subject, ...], problems: Iterable[Problem]
) -> Suite:
    """A document of which no more than that is known."""
    return Suite(
        path=path,
        kind=CheckKind.EVALUATOR,
        agent=agent,
        subjects=None if is_invalid(problems) else subjects,
    )


def of_artifact(artifact: Artifact, sessions: Sequence[str]) -> Suite:
    """`sessions` are the names of those that it is evaluated on."""
    subjects = tuple(
        Subject(
            path=artifact.path,
            kind=CheckKind.GRADER,
            agent=None,
            tags=(),
            ids=(declared.key, declared.name, *sessions),
            grader=declared.grader,
        )
        for declared in artifact.evals
    )
    broken = is_invalid(artifact.problems)
    return Suite(path=artifact.path, kind=CheckKind.GRADER, subjects=None if broken else subjects)


def find(
    rules: Sequence[Rule],
    suites: Sequence[Suite],
    *,
    prefix: str,
    brought: Collection[str] = (),
) -> tuple[Problem, ...]:
    """A warning for each; none where there is no suite at all, which is said elsewhere.

    `brought` are the graders of packages, which are no wrong names.
    """
    if not suites:
        return ()
    idle = (rule for rule in rules if not _applies(rule, suites, prefix))
    known = (*graders.GRADERS, *brought)
    told = (rule for rule in idle if not _is_unknown(rule.match, known))
    return tuple(_problem(rule, suites, prefix) for rule in told)


def _applies(rule: Rule, suites: Iterable[Suite], prefix: str) -> bool:
    compiled = stakes.compiled(rule)
    # Of what isn't known, the rest is taken to match.
    outer = Match(path=rule.match.path, kind=rule.match.kind, agent=rule.match.agent)
    around = stakes.compiled(replace(rule, match=outer))
    return any(
        suite.subjects is None
        or any(stakes.matches(compiled, one, prefix=prefix) for one in suite.subjects)
        for suite in suites
        if stakes.matches(around, _outside(suite), prefix=prefix)
    )


def _outside(suite: Suite) -> Subject:
    return Subject(path=suite.path, kind=suite.kind, agent=suite.agent, tags=(), ids=())


def _is_unknown(match: Match, known: Collection[str]) -> bool:
    """Whether a name is wrong that the configuration's own reading has told already."""
    if match.evaluator is not None and catalogue.find(match.evaluator) is None:
        return True
    grader = match.grader
    if grader is None or grader.startswith(graders.CHECKER_PREFIX):
        return False
    return grader not in known


def _problem(rule: Rule, suites: Sequence[Suite], prefix: str) -> Problem:
    said = [(key, value) for key in _KEYS if (value := getattr(rule.match, key)) is not None]
    alone = (
        _nothing(key, value, suites)
        for key, value in said
        if not _applies(replace(rule, match=Match(**{key: value})), suites, prefix)
    )
    why = next(alone, "no check matches all of its keys at once")
    at = rule.location
    return Problem(
        level=Level.WARNING,
        rule="config/rule-matches-nothing",
        message=f"this rule matches nothing: {why}; correct it, or remove it",
        path=at.path,
        line=at.line,
        column=at.column,
    )


def _nothing(key: str, value: str, suites: Sequence[Suite]) -> str:
    near = nearest(value, _known(key, suites))
    hint = f", did you mean `{near}`?" if near is not None else ""
    what = {
        "path": f"there is no suite at `{value}`",
        "kind": f"no check is of the kind `{value}`",
        "evaluator": f"no suite uses the evaluator `{value}`",
        "grader": f"no suite uses the grader `{value}`",
        "agent": f"no suite is answered by the agent `{value}`",
        "tag": f"nothing is tagged `{value}`",
        "id": f"no case and no eval is called `{value}`",
    }
    return f"{what[key]}{hint}"


def _known(key: str, suites: Sequence[Suite]) -> list[str]:
    """What there is, for a key that may be misspelt."""
    if key == "path":
        paths = [suite.path for suite in suites]
        return [*paths, *(f"{folder}/**" for path in paths for folder in _folders(path))]
    every = [one for suite in suites for one in suite.subjects or ()]
    if key == "tag":
        return [tag for one in every for tag in one.tags]
    if key == "id":
        return [name for one in every for name in one.ids]
    return [name for one in every if (name := getattr(one, key)) is not None]


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    yield from ("/".join(parts[: end + 1]) for end in range(len(parts)))
