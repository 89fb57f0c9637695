"""The suites that a check has found in; the rules of the configuration that match none, out.

Loaded by name, and only where there are rules.
"""

from collections.abc import Iterator, Mapping, Sequence

from mergebar import plugins
from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact
from mergebar.model.configuration import Config
from mergebar.model.documents import Document
from mergebar.model.plans import CheckKind
from mergebar.model.problems import Problem
from mergebar.planning import idle_rules
from mergebar.planning.idle_rules import Suite
from mergebar.planning.placing import Placing
from mergebar.planning.stakes import Subject
from mergebar.suites import documents
from mergebar.suites.documents import Checked


def check(
    config: Config,
    place: Place,
    found: Mapping[str, Checked],
    artifacts: Sequence[Artifact] = (),
    sessions: Sequence[str] = (),
) -> tuple[Problem, ...]:
    """Documents are read again only where a rule asks for what a check doesn't look at."""
    placing = Placing(config, prefix=place.prefix)
    read = any(rule.match.tag or rule.match.id for rule in config.rules)
    of_documents = _read(place, found, placing) if read else _known(found, placing)
    of_artifacts = (idle_rules.of_artifact(one, sessions) for one in artifacts if one.is_suite)
    brought = plugins.graders_among(rule.match.grader for rule in config.rules)
    suites = [*of_documents, *of_artifacts]
    return idle_rules.find(config.rules, suites, prefix=place.prefix, brought=brought)


def _read(place: Place, found: Mapping[str, Checked], placing: Placing) -> Iterator[Suite]:
    for path in found:
        data = place.read(path)
        whole = (
            Document(path=path, version=None, cases=(), source={}, problems=(data,))
            if isinstance(data, Problem)
            else documents.read(data, path=path, explain=plugins.explain)
        )
        yield idle_rules.of_document(whole, placing)


def _known(found: Mapping[str, Checked], placing: Placing) -> Iterator[Suite]:
    for path, checked in found.items():
        agent = placing.find(path).agent
        name = agent.name if agent is not None else None
        subjects = tuple(
            Subject(
                path=path,
                kind=CheckKind.EVALUATOR,
                agent=name,
                tags=(),
                ids=(),
                evaluator=evaluator,
            )
            for evaluator in checked.evaluators
        )
        yield idle_rules.of_subjects(path, agent=name, subjects=subjects, problems=checked.problems)
