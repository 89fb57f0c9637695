"""A report and what it is compared with in; the comparison out."""

from collections.abc import Iterator

from mergebar import comparing, planning, recordings
from mergebar.model.comparisons import Comparison
from mergebar.model.configuration import Config
from mergebar.model.reports import Report
from mergebar.pipeline import declaring
from mergebar.pipeline.preparing import Prepared
from mergebar.pipeline.values import Effects, Inputs

_REPLAY = "replay"


def compare(inputs: Inputs, prepared: Prepared, draft: Report, effects: Effects) -> Comparison:
    """Compare a report that has no decision yet; without a baseline there is less to say."""
    compared = inputs.compared
    touched = inputs.base.changes.files
    since = compared.since.changes.files if compared is not None and compared.since else touched
    return comparing.compare(
        compared.report if compared is not None else None,
        draft,
        baseline=compared.baseline if compared is not None else None,
        circumstances=comparing.Circumstances(
            files=since or touched,
            touched=touched,
            filtered=inputs.run.filtered,
            evidence=comparing.Evidence(
                prefix=inputs.options.prefix,
                traces=tuple(glob for group in inputs.config.artifacts for glob in group.traces),
                recordings=tuple(dict.fromkeys(_recordings(inputs.config))),
                baseline=inputs.config.baseline.path,
                responses=frozenset(_responses(inputs, prepared)),
            ),
            policies=inputs.policies,
            max_drop=inputs.config.gate.max_drop,
            excuses=compared is None or compared.excuses,
            declarations=declaring.declared(inputs, prepared, effects),
        ),
    )


def _recordings(config: Config) -> Iterator[str]:
    yield recordings.FOLDER
    for one in (*config.agents, config.judge):
        folder = one.options.get("recordings") if one is not None and one.type == _REPLAY else None
        if isinstance(folder, str):
            yield folder


def _responses(inputs: Inputs, prepared: Prepared) -> Iterator[str]:
    """The documents whose own responses are scored, and which this change edits."""
    live = {agent.name for agent in inputs.config.agents if agent.type != _REPLAY}
    touched = {change.path for change in inputs.base.changes.files}
    for suite in prepared.plan.suites:
        stored = any(case.agent not in live for case in suite.cases)
        if suite.document is None or suite.path not in touched or not stored:
            continue
        before = prepared.earlier.documents.get(suite.path)
        if planning.responses_differ(suite.document, before):
            yield suite.path
