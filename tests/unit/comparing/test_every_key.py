"""Every key of the configuration: which way round an edit of it lowers the bar."""

import json
from dataclasses import dataclass

import pytest
import yaml

from mergebar import comparing, config, plugins
from mergebar.comparing import Circumstances, Policies
from mergebar.comparing.policies import compare
from mergebar.model.configuration import Config
from mergebar.reading import schemas
from support.comparisons import check, report

START = """
version: 1
agents:
  desk: {type: command, command: [run], sources: [a/**, b/*.py]}
judge: {type: openai, model: m}
documents:
  - {paths: [evals/*.json, more/**/*.json], agent: desk}
artifacts:
  - paths: [skills/**/SKILL.md]
    sources: [lib/**]
    traces: [traces/*.jsonl]
    sessions: {command: [claude, "{prompt}"], prompts: [ask/*.md]}
rules: [{match: {evaluator: Relevance}, severity: warning}]
"""
NEUTRAL = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two values at a place; from the first to the second it is looser, if `says` anything."""

    key: str
    at: str
    first: object
    second: object
    says: str | None = NEUTRAL


def _row(key: str, at: str, first: object, second: object, says: str | None = NEUTRAL) -> Row:
    """Short, because there are many."""
    return Row(key=key, at=at, first=first, second=second, says=says)


AGENT, JUDGE, GROUP, HELD, RULE = "agents.desk", "judge", "documents.0", "artifacts.0", "rules.0"
HTTP = {"type": "http", "url": "http://a", "sources": ["a/**"]}
MODEL = {"type": "openai", "model": "m", "sources": ["a/**"]}
COMMAND = {"type": "command", "command": ["run"], "sources": ["a/**", "b/*.py"]}
REPLAY = {"type": "replay"}
AZURE = {"type": "azure", "endpoint": "https://a", "deployment": "d", "model": "m"}
PLAYED = {"type": "replay", "recordings": "a"}
MILD = {"match": {"evaluator": "Relevance"}, "severity": "warning"}
SESSIONS = {"command": ["claude", "{prompt}"], "prompts": ["ask/*.md"]}

ROWS = (
    _row("version", "version", 1, 1),
    # --- agents: what is measured comes from the change, and so does what it notices
    _row("agents.type", AGENT, COMMAND, REPLAY, "`agents.desk.type` `command` → `replay`"),
    _row("agents.type", AGENT, COMMAND, {**HTTP, "sources": ["a/**", "b/*.py"]}),
    _row("agents.sources", f"{AGENT}.sources", ["a/**", "b/*.py"], ["a/**"],
         "`agents.desk.sources` `a/**`, `b/*.py` → `a/**`"),
    _row("agents.sources", f"{AGENT}.sources", ["a/**"], [],
         "`agents.desk.sources` `a/**` → nothing"),
    _row("agents.sources", f"{AGENT}.sources", ["a/**"], ["a/**", "!a/docs/**"],
         "`agents.desk.sources` `a/**` → `a/**`, `!a/docs/**`"),
    _row("agents.sources", f"{AGENT}.sources", ["**"], ["a/**"],
         "`agents.desk.sources` `**` → `a/**`"),
    _row("agents.sources", f"{AGENT}.sources", ["a/**", "b/*.py"], ["b/*.py", "a/**"]),
    *(_row(f"agents.{key}", f"{AGENT}.{key}", one, two) for key, one, two in (
        ("command", ["run"], ["walk"]), ("cwd", ".", "a"), ("env", ["A"], []),
        ("persistent", True, False), ("concurrency", 4, 1), ("timeout", "9s", "1s"),
        ("attempts", 4, 1), ("output_limit", "1MB", "2MB"), ("cache", False, True),
    )),
    *(_row(f"agents.{key}", AGENT, {**whole, key: one}, {**whole, key: two})
      for whole, key, one, two in (
        (HTTP, "url", "http://a", "http://b"), (HTTP, "method", "POST", "GET"),
        (HTTP, "headers", {"A": "b"}, {}), (HTTP, "body", {"q": "{prompt}"}, {"p": "{prompt}"}),
        (HTTP, "select", {"response": "a"}, {"response": "b"}),
        (MODEL, "base_url", "http://a", "http://b"), (MODEL, "model", "m", "n"),
        (MODEL, "api_key", "${A_KEY}", "${B_KEY}"), (MODEL, "system", "a.md", "b.md"),
        (MODEL, "api", "chat", "responses"), (REPLAY, "recordings", "a", "b"),
    )),
    # --- judge
    _row("judge.type", JUDGE, {"type": "openai", "model": "m"}, {"type": "azure", **AZURE},
         "`judge.type` `openai` → `azure`"),
    _row("judge.model", f"{JUDGE}.model", "m", "n", "`judge.model` `m` → `n`"),
    _row("judge.runs", f"{JUDGE}.runs", 3, 1, "`judge.runs` 3 → 1"),
    _row("judge.confirm_failures", f"{JUDGE}.confirm_failures", 0, 2,
         "`judge.confirm_failures` 0 → 2"),
    _row("judge.base_url", f"{JUDGE}.base_url", "http://a", "http://b", "options of `judge`"),
    _row("judge.api_key", f"{JUDGE}.api_key", "${A_KEY}", "${B_KEY}", "options of `judge`"),
    *(_row(f"judge.{key}", JUDGE, {**AZURE, key: one}, {**AZURE, key: two}, "options of `judge`")
      for key, one, two in (
        ("endpoint", "https://a", "https://b"), ("deployment", "d", "e"),
        ("api_version", "1", "2"), ("auth", "key", "entra"),
    )),
    _row("judge.recordings", JUDGE, PLAYED, {**PLAYED, "recordings": "b"}, "options of `judge`"),
    _row("judge.concurrency", f"{JUDGE}.concurrency", 8, 1),
    _row("judge.timeout", f"{JUDGE}.timeout", "9s", "1s"),
    _row("judge.attempts", f"{JUDGE}.attempts", 5, 1),
    # --- documents
    _row("documents.paths", f"{GROUP}.paths", ["evals/*.json", "more/**"], ["evals/*.json"],
         "`documents` `evals/*.json`, `more/**` → `evals/*.json`"),
    _row("documents.paths", f"{GROUP}.paths", ["evals/**"], ["evals/**", "!evals/old/**"],
         "`paths` of `evals/**` `evals/**` → `evals/**`, `!evals/old/**`"),
    _row("documents.agent", f"{GROUP}.agent", "desk", None),
    _row("documents.runs", f"{GROUP}.runs", 5, 1, " 5 → 1"),
    _row("documents.min_pass_rate", f"{GROUP}.min_pass_rate", None, 0.9, " unset → 0.9"),
    _row("documents.min_pass_rate", f"{GROUP}.min_pass_rate", 0.9, 0.5, " 0.9 → 0.5"),
    # --- artifacts
    _row("artifacts.paths", f"{HELD}.paths", ["skills/**/SKILL.md", "AGENTS.md"], ["AGENTS.md"],
         "`artifacts` `skills/**/SKILL.md`, `AGENTS.md` → `AGENTS.md`"),
    _row("artifacts.sources", f"{HELD}.sources", ["lib/**"], [],
         "`sources` of `skills/**/SKILL.md` `lib/**` → nothing"),
    _row("artifacts.traces", f"{HELD}.traces", ["traces/a.jsonl", "traces/b.jsonl"],
         ["traces/a.jsonl"], "`traces` of `skills/**/SKILL.md`"),
    _row("artifacts.traces", f"{HELD}.traces", ["traces/*.jsonl"], None,
         "`traces` of `skills/**/SKILL.md` `traces/*.jsonl` → nothing"),
    _row("artifacts.stale", f"{HELD}.stale", "block", "warn",
         "`stale` of `skills/**/SKILL.md` block → warn"),
    _row("artifacts.sessions", f"{HELD}.sessions", SESSIONS, None,
         "`sessions` of `skills/**/SKILL.md` configured → nothing"),
    _row("artifacts.sessions", f"{HELD}.sessions.prompts", ["ask/*.md", "b/*.md"], ["b/*.md"],
         "`sessions.prompts` of `skills/**/SKILL.md`"),
    _row("artifacts.sessions", f"{HELD}.sessions.timeout", "9s", "1s"),
    # --- rules
    _row("rules.match", f"{RULE}.match", {"kind": "grader"}, {"kind": "evaluator"},
         "rule `kind: evaluator` no rule → severity warning"),
    _row("rules.severity", f"{RULE}.severity", "error", "notice",
         "severity error → severity notice"),
    _row("rules.weight", f"{RULE}.weight", 3, 1, "weight 3"),
    _row("rules.must_pass", RULE, {"match": {"grader": "ai"}, "must_pass": True},
         {"match": {"grader": "ai"}, "weight": 1}, "rule `grader: ai` severity error, must pass → weight 1"),
    _row("rules.enforce", RULE, {**MILD, "enforce": True}, MILD, "enforced → severity warning"),
    # --- gate
    _row("gate.mode", "gate.mode", "enforce", "advise", "`gate.mode` enforce → advise"),
    _row("gate.severity", "gate.severity", "notice", "error", "`gate.severity`"),
    _row("gate.known_failures", "gate.known_failures", "block", "allow", "`gate.known_failures`"),
    _row("gate.new_failures", "gate.new_failures", "block", "warn", "`gate.new_failures`"),
    _row("gate.reviews", "gate.reviews", "block", "ignore", "`gate.reviews` block → ignore"),
    _row("gate.unmeasured", "gate.unmeasured", 0, 0.1, "`gate.unmeasured` 0 → 0.1"),
    _row("gate.loosened", "gate.loosened", "review", "report", "`gate.loosened`"),
    _row("gate.max_drop", "gate.max_drop", 0.05, None, "`gate.max_drop` 0.05 → unset"),
    # --- what else there is
    _row("baseline", "baseline.source", "auto", "none", "`baseline.source` auto → none"),
    _row("baseline", "baseline.source", "auto", "file"),
    _row("baseline", "baseline.path", "a.json", "b.json", "`baseline.path` `a.json` → `b.json`"),
    _row("budget", "budget.agent_calls", 10, 1),
    _row("cache", "cache.path", "a", "b"),
    _row("execution", "execution.repository_code", "trusted", "never"),
    _row("report", "report.comment", "always", "never"),
)  # fmt: skip
EITHER_WAY = {"judge.type", "judge.model", "baseline"}
"""Another judge is neither stricter nor milder, and another baseline's file neither."""

UNAVAILABLE = {"agents.secret", "custom_evaluators"}
"""What no version has yet: the configuration is refused."""


def made(row: Row, value: object) -> Config:
    """The configuration with this value there; `None` takes the key away."""
    whole = yaml.safe_load(START)
    *parents, last = row.at.split(".")
    place = whole
    for step in parents:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    if isinstance(place, list):
        place[int(last)] = value
    elif value is None:
        place.pop(last, None)
    else:
        place[last] = value
    text = yaml.safe_dump(whole)
    found = config.parse(text.encode(), path="mergebar.yml", explain=plugins.explain)
    assert found.config is not None, found.problems
    return found.config


def told(base: Config, head: Config) -> list[str]:
    found = compare(Policies(base=base, head=head))
    return [f"{one.what} {one.was} → {one.now}" for one in found]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.at}: {row.first} → {row.second}")
def test_each_key_is_looser_stricter_or_neither(row: Row) -> None:
    first, second = made(row, row.first), made(row, row.second)

    forth, back = told(first, second), told(second, first)

    if row.says is NEUTRAL:
        assert forth == back == []
        return
    assert len(forth) == 1, forth
    assert row.says in forth[0]
    if row.says != "options of `judge`" and row.key not in EITHER_WAY | {"rules.match"}:
        assert back == []


def test_no_key_of_the_schema_is_left_out() -> None:
    schema = json.loads(json.dumps(schemas.load("config.v1.json")))
    names = {"agent": "agents", "judge": "judge", "document_group": "documents",
             "artifact_group": "artifacts", "rule": "rules", "gate": "gate"}  # fmt: skip
    keys = {
        f"{names[kind]}.{key}"
        for name, described in schema["$defs"].items()
        for kind in names
        if name == kind or name.endswith(f"_{kind}")
        for key in described["properties"]
    }
    keys |= set(schema["properties"]) - set(names.values())
    assert {row.key for row in ROWS} | UNAVAILABLE == keys


@pytest.mark.parametrize(
    ("at", "first", "second"),
    [
        (f"{GROUP}.paths", ["evals/*.json"], ["evals/**/*.json"]),
        (f"{GROUP}.paths", ["evals/a.json", "evals/b.json"], ["evals/*.json"]),
        (f"{HELD}.traces", ["traces/a/*.jsonl"], ["traces/**/*.jsonl"]),
        (f"{HELD}.traces", ["traces/*.jsonl"], ["traces/*.jsonl", "more/*.jsonl"]),
        (f"{AGENT}.sources", ["a/*.py", "a/*.md"], ["a/**"]),
        (f"{AGENT}.sources", ["a/**", "!a/x"], ["a/**"]),
    ],
)
def test_wider_globs_are_no_loosening(at: str, first: object, second: object) -> None:
    row = _row("", at, first, second)
    assert told(made(row, first), made(row, second)) == []
    assert len(told(made(row, second), made(row, first))) == 1


def test_suites_that_move_to_another_group_are_held_to_what_that_one_asks() -> None:
    row = _row("", "documents", None, None)
    one = [{"paths": ["a/*.json", "b/*.json"], "agent": "desk", "runs": 5}]
    two = [
        {"paths": ["a/*.json"], "agent": "desk", "runs": 5},
        {"paths": ["b/*.json"], "agent": "desk", "runs": 1, "min_pass_rate": 0.5},
    ]
    assert told(made(row, one), made(row, two)) == [
        "`min_pass_rate` of `a/*.json, b/*.json` unset → 0.5",
        "`runs` of `a/*.json, b/*.json` 5 → 1",
    ]


def test_a_first_configuration_drops_nothing_of_what_nobody_configured() -> None:
    row = _row("", "rules", [], [])
    assert told(config.default(), made(row, [])) == []


def test_what_is_no_longer_named_is_counted_once_with_and_without_a_baseline() -> None:
    row = next(row for row in ROWS if row.at == f"{HELD}.paths")
    policies = Policies(base=made(row, row.first), head=made(row, row.second), rules=False)
    there = Circumstances(policies=policies)
    kept, lost = check("a"), check("b", suite="skills/x/SKILL.md")

    alone = comparing.compare(None, report(kept), baseline=None, circumstances=there)
    against = comparing.compare(
        report(kept, lost), report(kept), baseline=None, circumstances=there
    )

    assert [one.what for one in alone.loosened] == ["`artifacts`"]
    assert len(against.loosened) == 1


@pytest.mark.parametrize("rules", [True, False])
def test_a_rule_that_no_longer_forces_is_told_with_and_without_a_baseline(*, rules: bool) -> None:
    row = next(row for row in ROWS if row.key == "rules.enforce")
    base, head = made(row, row.first), made(row, row.second)
    found = compare(Policies(base=base, head=head, rules=rules))
    assert len(found) == 1
    assert "enforced" in found[0].was


def test_rules_are_told_where_there_is_no_baseline_to_show_their_effect() -> None:
    row = next(row for row in ROWS if row.at == f"{RULE}.severity")
    policies = Policies(base=made(row, "error"), head=made(row, "notice"), rules=False)
    found = comparing.compare(
        None, report(check("a")), baseline=None, circumstances=Circumstances(policies=policies)
    )
    assert [one.now for one in found.loosened] == ["severity notice"]
