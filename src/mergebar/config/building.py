"""A value that the schema and the rules accept in, the configuration out, every default filled."""

from typing import cast

from mergebar import identity
from mergebar.config import artifact_groups, entry_places, units, values
from mergebar.config.findings import Pointer, entries, mapping
from mergebar.config.values import Place
from mergebar.model.configuration import (
    AgentConfig,
    BaselineConfig,
    BaselineSource,
    BudgetConfig,
    CacheConfig,
    CommentMode,
    Config,
    DocumentGroup,
    GatePolicy,
    JudgeConfig,
    Match,
    Mode,
    Responses,
    Rule,
)
from mergebar.model.documents import Severity
from mergebar.model.problems import Location
from mergebar.model.text import Json, JsonObject

DEFAULT_DOCUMENTS = (
    "/evals/*.json",
    "/.evals/*.json",
    "/prompts.json",
    "/evals.json",
    "/tests.json",
)
"""Where documents are looked for as long as no group is configured."""

_AGENT_KEYS = ("type", "sources", "concurrency", "timeout", "attempts", "output_limit", "cache")
_JUDGE_KEYS = ("type", "model", "runs", "confirm_failures", "concurrency", "timeout", "attempts")


def build(value: JsonObject, schema: JsonObject, *, path: str | None, place: Place) -> Config:
    """Make the configuration. `place` knows where the key or entry at a pointer stands."""
    config = dict(value)
    definitions = mapping(dict(schema), "$defs")
    agents = tuple(
        _agent(pointer, agent, definitions, place) for pointer, agent in entries(config, "agents")
    )
    report = mapping(config, "report")
    return Config(
        path=path,
        digest=identity.digest(config),
        agents=agents,
        judge=_judge(config, definitions, place),
        documents=_groups(config, agents, definitions, place),
        artifacts=artifact_groups.build(config, definitions["artifact_group"], place),
        rules=tuple(_rule(rule, place(pointer)) for pointer, rule in entries(config, "rules")),
        gate=_gate(values.filled(mapping(config, "gate"), definitions["gate"])),
        responses=Responses(values.text(report.get("responses", "artifact"))),
        responses_said="responses" in report,
        comment=CommentMode(values.text(report.get("comment", "always"))),
        repository_code=mapping(config, "execution").get("repository_code") != "never",
        budget=_budget(values.filled(mapping(config, "budget"), _section(schema, "budget"))),
        baseline=_baseline(
            values.filled(mapping(config, "baseline"), _section(schema, "baseline"))
        ),
        cache=_cache(values.filled(mapping(config, "cache"), _section(schema, "cache"))),
    )


def _agent(
    pointer: Pointer, agent: dict[str, Json], definitions: dict[str, Json], place: Place
) -> AgentConfig:
    found = entry_places.find(agent, pointer, place)
    kind = values.text(agent["type"])
    filled = values.filled(agent, definitions.get(f"{kind}_agent", definitions["installed_agent"]))
    return AgentConfig(
        name=str(pointer[1]),
        type=kind,
        sources=values.texts(filled.get("sources")),
        concurrency=values.whole(filled["concurrency"]),
        timeout_s=values.seconds(filled["timeout"]),
        attempts=values.whole(filled["attempts"]),
        output_limit=cast("int", units.size(values.text(filled["output_limit"]))),
        cache=cast("bool", filled["cache"]),
        options={key: option for key, option in filled.items() if key not in _AGENT_KEYS},
        location=place(pointer),
        places=found.places,
        needs=found.needs,
    )


def _judge(
    config: dict[str, Json], definitions: dict[str, Json], place: Place
) -> JudgeConfig | None:
    if "judge" not in config:
        return None
    judge = mapping(config, "judge")
    found = entry_places.find(judge, ("judge",), place)
    kind = values.text(judge["type"])
    filled = values.filled(judge, definitions.get(f"{kind}_judge", definitions["installed_judge"]))
    if filled.get("auth") == "entra":
        filled.pop("api_key", None)  # its default would be a variable that has to be set
    return JudgeConfig(
        type=kind,
        model=cast("str | None", filled.get("model", filled.get("deployment"))),
        runs=values.whole(filled["runs"]),
        confirm_failures=values.whole(filled["confirm_failures"]),
        concurrency=values.whole(filled["concurrency"]),
        timeout_s=values.seconds(filled["timeout"]),
        attempts=values.whole(filled["attempts"]),
        options={key: option for key, option in filled.items() if key not in _JUDGE_KEYS},
        location=place(("judge",)),
        places=found.places,
        needs=found.needs,
    )


def _groups(
    config: dict[str, Json],
    agents: tuple[AgentConfig, ...],
    definitions: dict[str, Json],
    place: Place,
) -> tuple[DocumentGroup, ...]:
    """The configured groups, or the default places; a group without an agent has the only one."""
    only = agents[0].name if len(agents) == 1 else None
    if "documents" not in config:
        return (default_group(agent=only, location=place(())),)
    groups = []
    for pointer, group in entries(config, "documents"):
        filled = values.filled(group, definitions["document_group"])
        groups.append(
            DocumentGroup(
                paths=values.texts(filled["paths"]) or (),
                agent=cast("str | None", filled.get("agent", only)),
                runs=values.whole(filled["runs"]),
                min_pass_rate=values.number(filled.get("min_pass_rate")),
                location=place(pointer),
                places=entry_places.find(group, pointer, place).places,
            )
        )
    return tuple(groups)


def default_group(*, agent: str | None, location: Location) -> DocumentGroup:
    """The documents of who configures none: what looks like one at the usual places."""
    return DocumentGroup(
        paths=DEFAULT_DOCUMENTS,
        agent=agent,
        runs=1,
        min_pass_rate=None,
        location=location,
        implied=True,
    )


def _rule(rule: dict[str, Json], location: Location) -> Rule:
    match = cast("dict[str, str]", mapping(rule, "match"))
    must_pass = rule.get("must_pass") is True
    severity = "error" if must_pass else rule.get("severity")
    return Rule(
        match=Match(
            path=match.get("path"),
            kind=match.get("kind"),
            evaluator=match.get("evaluator"),
            grader=match.get("grader"),
            agent=match.get("agent"),
            tag=match.get("tag"),
            id=match.get("id"),
        ),
        severity=None if severity is None else Severity(values.text(severity)),
        weight=values.number(rule.get("weight")),
        must_pass=must_pass,
        enforce=rule.get("enforce") is True,
        location=location,
    )


def _baseline(baseline: dict[str, Json]) -> BaselineConfig:
    return BaselineConfig(
        source=BaselineSource(values.text(baseline["source"])),
        path=values.text(baseline["path"]),
    )


def _gate(gate: dict[str, Json]) -> GatePolicy:
    return GatePolicy(
        mode=Mode(values.text(gate["mode"])),
        severity=Severity(values.text(gate["severity"])),
        known_failures_block=gate["known_failures"] == "block",
        new_failures_block=gate["new_failures"] == "block",
        reviews_block=gate["reviews"] == "block",
        unmeasured=cast("float", values.number(gate["unmeasured"])),
        loosened_review=gate["loosened"] == "review",
        max_drop=values.number(gate.get("max_drop")),
    )


def _section(schema: JsonObject, name: str) -> Json:
    return mapping(mapping(dict(schema), "properties"), name)


def _budget(budget: dict[str, Json]) -> BudgetConfig:
    return BudgetConfig(
        agent_calls=values.whole(budget["agent_calls"]),
        judge_calls=values.whole(budget["judge_calls"]),
        minutes=cast("float", values.number(budget["minutes"])),
    )


def _cache(cache: dict[str, Json]) -> CacheConfig:
    return CacheConfig(
        path=values.text(cache["path"]),
        max_size=cast("int", units.size(values.text(cache["max_size"]))),
    )
