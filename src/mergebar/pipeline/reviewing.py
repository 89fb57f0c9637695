"""People's verdicts and the results in; what has to be seen of those that don't count out."""

from collections.abc import Iterator

from mergebar import reviews
from mergebar.model.problems import Problem
from mergebar.model.reports import ReportWarning
from mergebar.model.results import Results
from mergebar.pipeline.values import Inputs


def warnings(inputs: Inputs, results: Results) -> tuple[ReportWarning, ...]:
    """With paths, not all suites are known: then nothing is misnamed for being unknown."""
    return tuple(
        ReportWarning(message=one.message, path=one.path, line=one.line, column=one.column)
        for one in _problems(inputs, results)
    )


def _problems(inputs: Inputs, results: Results) -> Iterator[Problem]:
    if not inputs.options.only:
        known = {
            one.path: reviews.Names(
                evals=[declared.key for declared in one.artifact.evals],
                sessions=[scenario.key for scenario in one.scenarios],
            )
            for one in inputs.base.artifacts
        }
        yield from reviews.misnamed(inputs.reviews, known)
    yield from reviews.outdated(inputs.reviews, results.checks)
