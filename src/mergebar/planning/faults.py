"""What makes a suite or the whole run invalid before anything runs, as problems."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from mergebar.model.configuration import AgentConfig, Config, JudgeConfig
from mergebar.model.documents import Case, Document, EvaluatorUse
from mergebar.model.problems import Level, Location, Problem
from mergebar.planning.document_cases import is_judged
from mergebar.planning.options import PlanOptions
from mergebar.planning.placing import Placement, selected


def without_agent(document: Document, placement: Placement) -> tuple[Problem, ...]:
    """A document needs an agent, unless every turn of it carries an answer to score again."""
    if placement.agent is not None or not document.cases:
        return ()
    turns = [turn for case in document.cases for turn in case.turns]
    bare = [turn for turn in turns if turn.stored is None]
    if not bare:
        return ()
    message = (
        f"no agent is configured for this document, and {len(bare)} of its {len(turns)} turns "
        "carry no `response` to score again: name an agent in its entry of `documents` in "
        "`mergebar.yml`, or add the responses"
    )
    return (_problem("config/no-agent", message, bare[0].location),)


def judged_uses(cases: Iterable[Case]) -> tuple[EvaluatorUse, ...]:
    """The evaluators that ask the judge."""
    return tuple(
        use for case in cases for turn in case.turns for use in turn.evaluators if is_judged(use)
    )


def unmet_needs(
    agents: Collection[str],
    uses: Sequence[EvaluatorUse],
    *,
    config: Config,
    options: PlanOptions,
) -> tuple[Problem, ...]:
    """What these agents and these judged evaluators need and don't have, each thing said once."""
    judged = uses if options.judge else ()
    return (
        *_without_judge(judged, config=config),
        *_unset_secrets(agents, judged=bool(judged), config=config, options=options),
        *_unfit_entries(agents, judged=bool(judged), config=config, options=options),
    )


def _without_judge(uses: Sequence[EvaluatorUse], *, config: Config) -> Iterator[Problem]:
    if not uses or config.judge is not None:
        return
    names = ", ".join(f"`{name}`" for name in sorted({use.name for use in uses}))
    message = (
        f"a judge is needed for {names}, and none is configured: add `judge` to `mergebar.yml`, "
        "or leave those checks out with `--no-judge`"
    )
    yield _problem("config/no-judge", message, uses[0].location)


def _unset_secrets(
    agents: Collection[str], *, judged: bool, config: Config, options: PlanOptions
) -> Iterator[Problem]:
    """Variables that an event which is given secrets should have set."""
    if not options.trusted:
        return
    for agent in config.agents:
        names = options.secrets_missing.get(agent.name)
        if agent.name in agents and names:
            yield from sorted(_unset(f"agent `{agent.name}`", names, agent), key=_line)
    if config.judge and judged and options.judge_secrets_missing:
        missing = _unset("the judge", options.judge_secrets_missing, config.judge)
        yield from sorted(missing, key=_line)


def _line(problem: Problem) -> int:
    return problem.line or 0


def _unfit_entries(
    agents: Collection[str], *, judged: bool, config: Config, options: PlanOptions
) -> Iterator[Problem]:
    """Entries that no call could be made with, now that the environment has its say."""
    for agent in config.agents:
        for message in options.unfit.get(agent.name, ()) if agent.name in agents else ():
            yield _problem("config/entry", message, _place(message, agent))
    if config.judge is not None and judged:
        for message in options.judge_unfit:
            yield _problem("config/entry", message, _place(message, config.judge))


def _place(message: str, entry: AgentConfig | JudgeConfig) -> Location:
    """Where the key stands that the message begins with; the entry, where it has no such key."""
    return entry.places.get(message.partition("`")[2].partition("`")[0], entry.location)


def of_the_run(
    documents: Sequence[Document], *, artifacts: int, config: Config, options: PlanOptions
) -> tuple[Problem, ...]:
    """What was configured or asked for, and doesn't exist. `artifacts` is how many there are."""
    return (
        *_unknown_agent(config, options),
        *_unknown_tag(documents, options),
        *(() if artifacts else _nothing_found(documents, config, options)),
    )


def _unknown_agent(config: Config, options: PlanOptions) -> Iterator[Problem]:
    names = [agent.name for agent in config.agents]
    if options.agent is None or options.agent in names:
        return
    known = ", ".join(f"`{name}`" for name in names) or "none"
    message = f"there is no agent `{options.agent}` to select suites by; configured: {known}"
    yield Problem(level=Level.ERROR, rule="config/unknown-agent", message=message)


def _unknown_tag(documents: Sequence[Document], options: PlanOptions) -> Iterator[Problem]:
    for tag in options.tags:
        if documents and not any(selected(each.cases, tags=(tag,)) for each in documents):
            message = f"no case is tagged `{tag}`: check the spelling, or leave `--tag` out"
            yield Problem(level=Level.ERROR, rule="config/unknown-tag", message=message)


def _nothing_found(
    documents: Sequence[Document], config: Config, options: PlanOptions
) -> Iterator[Problem]:
    """Without a configuration; a configured glob that matches nothing is `suites` to report."""
    implied = [group.implied for group in config.documents]
    implied += [group.implied for group in config.artifacts]
    configured = not all(implied)
    if documents or options.only or configured or not options.searched:
        return
    message = (
        "no eval document was found, and no artifact that declares evals: name yours in "
        "`mergebar.yml`, or start with `mergebar init`"
    )
    yield Problem(level=Level.ERROR, rule="config/nothing-found", message=message)


def _unset(what: str, names: Sequence[str], entry: AgentConfig | JudgeConfig) -> Iterator[Problem]:
    """At the key that needs them; what no key of the file needs is needed by the entry."""
    keys = dict.fromkeys(entry.needs.get(name) for name in names)
    for key in keys:
        missing = [name for name in names if entry.needs.get(name) == key]
        listed = ", ".join(f"`{name}`" for name in missing)
        verb = "is" if len(missing) == 1 else "are"
        where = "" if key is None else f" for `{key}`"
        message = (
            f"{what} needs {listed}{where}, which {verb} unset or empty: set it where mergebar runs"
        )
        location = entry.location if key is None else entry.places.get(key, entry.location)
        yield _problem("config/unset-variable", message, location)


def _problem(rule: str, message: str, location: Location) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule=rule,
        message=message,
        path=location.path,
        line=location.line,
        column=location.column,
    )
