"""Two configurations in; which agents, and whether the judge, measure otherwise than before out.

Where something is, and how patiently or how fast it is asked, measures nothing. The gate, rules,
reports and budgets decide, and measure nothing either.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mergebar.model.configuration import AgentConfig, ArtifactGroup, Config, JudgeConfig
from mergebar.model.problems import Location
from mergebar.planning.placing import Placement, Placing

_NOWHERE = Location(path="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `mergebar.yml` changed, as clauses.

    `every` reaches all suites, `agents` those of the agent, and `judge` what asks the judge.
    """

    every: str | None = None
    agents: Mapping[str, str] = field(default_factory=dict)
    judge: str | None = None
    before: Placing | None = None
    groups: tuple[ArtifactGroup, ...] = ()
    path: str = ""

    def of_group(self, path: str, placement: Placement) -> str | None:
        """Why a document is put to its agent otherwise than before."""
        if self.before is None:
            return None
        was = self.before.find(path)
        if was.settings is None:
            return f"`{self.path}` selects it now" if placement.settings is not None else None
        agent, now = was.settings.agent, placement.settings.agent if placement.settings else None
        return f"`{self.path}` gives it another agent" if agent != now else None

    def of_runs(self, path: str, placement: Placement) -> str | None:
        """Why cases that don't say it themselves are put more or less often than before."""
        was = self.before.find(path).settings if self.before is not None else None
        if was is None or placement.settings is None or was.runs == placement.settings.runs:
            return None
        return f"`{self.path}` changed `runs` of its group"

    def of_artifacts(self, group: ArtifactGroup) -> str | None:
        """Why an artifact is evaluated on other sessions than before."""
        if self.before is None or _bare(group) in self.groups:
            return None
        return f"`{self.path}` changed its group"


UNCHANGED = Settings()


def compare(config: Config, before: Config | None, *, prefix: str) -> Settings:
    """What an edit of the configuration affects; all of it where the base's isn't known."""
    path = config.path or "mergebar.yml"
    if before is None:
        changed = f"`{path}` changed, and it configures what measures this suite"
        return Settings(every=changed, path=path)
    old = {agent.name: _measuring(agent) for agent in before.agents}
    return Settings(
        agents={
            agent.name: f"`{path}` changed agent `{agent.name}`"
            for agent in config.agents
            if _measuring(agent) != old.get(agent.name)
        },
        judge=None
        if _judging(config.judge) == _judging(before.judge)
        else f"`{path}` changed the judge",
        before=Placing(before, prefix=prefix),
        groups=tuple(map(_bare, before.artifacts)),
        path=path,
    )


def _measuring(agent: AgentConfig) -> AgentConfig:
    return replace(agent, concurrency=0, attempts=0, cache=False, location=_NOWHERE)


def _judging(judge: JudgeConfig | None) -> JudgeConfig | None:
    if judge is None:
        return None
    return replace(judge, concurrency=0, attempts=0, timeout_s=0, location=_NOWHERE)


def _bare(group: ArtifactGroup) -> ArtifactGroup:
    sessions = group.sessions
    if sessions is not None:
        sessions = replace(sessions, concurrency=0, location=_NOWHERE)
    return replace(group, sessions=sessions, location=_NOWHERE)
