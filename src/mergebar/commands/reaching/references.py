"""A configuration and the environment in, its `${NAME}`s replaced and those missing out."""

from collections.abc import Mapping
from dataclasses import replace

from mergebar.config import interpolation
from mergebar.model.configuration import AgentConfig, Config, JudgeConfig
from mergebar.model.text import Json


class References:
    """The configuration with its `${NAME}`s replaced, as far as they are set."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self.agents_missing: dict[str, tuple[str, ...]] = {}
        self.judge_missing: tuple[str, ...] = ()
        self.secrets: set[str] = set()
        self.agents: dict[str, AgentConfig] = {}
        self.judge = config.judge
        for agent in config.agents:
            found = interpolation.resolve(
                dict(agent.options), environ, pointer=("agents", agent.name)
            )
            if isinstance(found, interpolation.Missing):
                self.agents_missing[agent.name] = found.names
            elif isinstance(found.value, dict):
                self.secrets |= found.secrets
                self.agents[agent.name] = replace(agent, options=found.value)
        if config.judge is not None:
            self._resolve_judge(config.judge, environ)

    def _resolve_judge(self, judge: JudgeConfig, environ: Mapping[str, str]) -> None:
        value: Json = {"model": judge.model, "options": dict(judge.options)}
        found = interpolation.resolve(value, environ, pointer=("judge",))
        if isinstance(found, interpolation.Missing):
            self.judge_missing = found.names
        elif isinstance(found.value, dict) and isinstance(found.value["options"], dict):
            self.secrets |= found.secrets
            model = found.value["model"]
            self.judge = replace(
                judge,
                model=model if isinstance(model, str) else None,
                options=found.value["options"],
            )
