"""A case or a check in; why it isn't measured in this run out, `None` where it is."""

from mergebar.catalogue.graders import CHECKER_PREFIX
from mergebar.model.artifacts import Artifact, DeclaredEval
from mergebar.model.configuration import AgentConfig, Config
from mergebar.model.plans import NO_JUDGE, Skip, Withholding
from mergebar.planning.declaring import JUDGED
from mergebar.planning.options import PlanOptions

_NO_SECRETS = "secrets are not given to fork pull requests"
_COMMAND = "command"
_RUNS_REPOSITORY_CODE = frozenset({_COMMAND})


def of_case(
    agent: AgentConfig | None, *, config: Config, options: PlanOptions
) -> Withholding | None:
    """What keeps a case from being put to its agent."""
    if agent is None:
        return None
    if agent.type in _RUNS_REPOSITORY_CODE:
        refused = of_repository_code(config=config, options=options)
        if refused is not None:
            return refused
    if options.secrets_missing.get(agent.name) and not options.trusted:
        return _withheld(_NO_SECRETS)
    return None


def of_repository_code(*, config: Config, options: PlanOptions) -> Withholding | None:
    """What keeps code of the repository from running."""
    if not options.trusted:
        return _withheld("repository code does not run for untrusted events")
    if not config.repository_code:
        return _withheld("repository code does not run: `execution.repository_code` is `never`")
    return None


def of_eval(
    declared: DeclaredEval, artifact: Artifact, *, config: Config, options: PlanOptions
) -> Withholding | None:
    """What keeps an eval from being graded, whatever the session."""
    if artifact.skip:
        return Withholding(kind=Skip.DECLINED, reason="`eval-skip`: skipped by its author")
    if declared.skip:
        return Withholding(kind=Skip.DECLINED, reason="`skip`: skipped by its author")
    if declared.grader == _COMMAND or declared.grader.startswith(CHECKER_PREFIX):
        return of_repository_code(config=config, options=options)
    return of_check(judged=declared.grader == JUDGED, options=options)


def of_check(*, judged: bool, options: PlanOptions) -> Withholding | None:
    """What keeps a check from being scored although there is an answer."""
    if not judged:
        return None
    if not options.judge:
        return Withholding(kind=Skip.DECLINED, reason=NO_JUDGE)
    if options.judge_secrets_missing and not options.trusted:
        return _withheld(_NO_SECRETS)
    return None


def _withheld(reason: str) -> Withholding:
    return Withholding(kind=Skip.WITHHELD, reason=reason)
