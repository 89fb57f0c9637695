"""A good configuration: every value resolved, every default filled, nothing interpolated."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mergebar import config, plugins
from mergebar.model.configuration import (
    BudgetConfig,
    CacheConfig,
    Config,
    GatePolicy,
    Match,
    Mode,
    Responses,
)
from mergebar.model.documents import Severity
from mergebar.model.problems import Level

FULL = """\
# yaml-language-server: $schema=schemas/config.v1.json
version: 1

agents:
  helper:
    type: command
    command: [python3, bot.py, "${MODE}"]
    sources: [bot.py, notes/**]
    concurrency: 2
    timeout: 1.5m
    attempts: 1
    output_limit: 64KiB
    cwd: bots
    env: [NOTES]
  stored:
    type: replay

judge:
  type: openai
  model: some-model
  base_url: ${JUDGE_URL}
  api_key: ${JUDGE_KEY}
  runs: 3
  confirm_failures: 2
  concurrency: 1
  timeout: 10s
  attempts: 2

documents:
  - paths: [checks/**/*.json, "!checks/old/"]
    agent: helper
    runs: 5
    min_pass_rate: 0.8
  - paths: [checks/old/*.json]
    agent: stored

rules:
  - match: {evaluator: Coherence, path: checks/**, kind: evaluator, agent: helper, tag: t, id: x*}
    severity: notice
    weight: 2.5
    enforce: true
  - match: {}
    must_pass: true

gate:
  mode: advise
  severity: warning
  reviews: ignore
  unmeasured: 0.1

execution: {repository_code: never}
report: {responses: everywhere}
"""


def read(text: str) -> Config:
    parsed = config.parse(text.encode(), path="mergebar.yml", explain=plugins.explain)
    assert parsed.problems == ()
    assert parsed.config is not None
    return parsed.config


def test_an_agent_has_its_amounts_in_units_and_its_own_keys_as_options() -> None:
    helper, stored = read(FULL).agents

    assert (helper.name, helper.type, helper.sources) == (
        "helper",
        "command",
        ("bot.py", "notes/**"),
    )
    assert (helper.concurrency, helper.timeout_s, helper.attempts) == (2, 90.0, 1)
    assert (helper.output_limit, helper.cache) == (65_536, False)
    assert helper.options == {
        "command": ["python3", "bot.py", "${MODE}"],
        "cwd": "bots",
        "env": ["NOTES"],
        "persistent": False,
    }
    assert (helper.location.path, helper.location.line, helper.location.column) == (
        "mergebar.yml",
        5,
        3,
    )
    assert (stored.type, stored.sources, stored.options) == ("replay", None, {})


def test_an_agents_defaults_are_those_of_the_contract() -> None:
    (agent,) = read("version: 1\nagents: {a: {type: command, command: [x], sources: []}}\n").agents

    assert (agent.concurrency, agent.timeout_s, agent.attempts) == (4, 120.0, 4)
    assert (agent.output_limit, agent.cache, agent.sources) == (1_000_000, False, ())
    assert agent.options == {"command": ["x"], "cwd": ".", "env": [], "persistent": False}


def test_a_judge_keeps_its_references_for_later() -> None:
    judge = read(FULL).judge

    assert judge is not None
    assert (judge.type, judge.model) == ("openai", "some-model")
    assert (judge.runs, judge.confirm_failures, judge.concurrency) == (3, 2, 1)
    assert (judge.timeout_s, judge.attempts) == (10.0, 2)
    assert judge.options == {"base_url": "${JUDGE_URL}", "api_key": "${JUDGE_KEY}"}


def test_a_judges_defaults_are_those_of_the_contract() -> None:
    judge = read("version: 1\njudge: {type: replay}\n").judge

    assert judge is not None
    assert (judge.model, judge.runs, judge.confirm_failures) == (None, 1, 0)
    assert (judge.concurrency, judge.timeout_s, judge.attempts) == (8, 60.0, 5)
    assert judge.options == {"recordings": ".mergebar/recordings"}


def test_budget_and_cache_have_the_defaults_of_the_contract_and_take_what_is_said() -> None:
    bare = read("version: 1\n")
    said = read(
        "version: 1\n"
        "budget: {agent_calls: 0, minutes: 0.5}\n"
        "cache: {path: ../kept, max_size: 2MiB}\n"
        "agents: {a: {type: command, command: [x], sources: [], cache: true}}\n"
    )

    assert bare.budget == BudgetConfig(agent_calls=2000, judge_calls=5000, minutes=60)
    assert bare.cache == CacheConfig(path=".mergebar/cache", max_size=500_000_000)
    assert said.budget == BudgetConfig(agent_calls=0, judge_calls=5000, minutes=0.5)
    assert said.cache == CacheConfig(path="../kept", max_size=2 * 1024**2)
    assert said.agents[0].cache


def test_groups_keep_their_order_and_say_where_they_stand() -> None:
    first, second = read(FULL).documents

    assert first.paths == ("checks/**/*.json", "!checks/old/")
    assert (first.agent, first.runs, first.min_pass_rate) == ("helper", 5, 0.8)
    assert (second.agent, second.runs, second.min_pass_rate) == ("stored", 1, None)
    assert (first.location.line, second.location.line) == (30, 34)
    assert not first.implied


def test_a_group_without_an_agent_has_the_only_one_there_is() -> None:
    one = "version: 1\nagents: {a: {type: replay}}\ndocuments: [{paths: [x.json]}]\n"
    none = "version: 1\ndocuments: [{paths: [x.json]}]\n"

    assert read(one).documents[0].agent == "a"
    assert read(none).documents[0].agent is None


def test_without_documents_the_usual_places_are_implied() -> None:
    (group,) = read("version: 1\nagents: {a: {type: replay}}\n").documents

    assert group.implied
    assert group.agent == "a"
    assert group.paths == config.default().documents[0].paths


def test_rules_say_what_they_match_and_must_pass_means_error() -> None:
    first, second = read(FULL).rules

    assert first.match == Match(
        path="checks/**", kind="evaluator", evaluator="Coherence", agent="helper", tag="t", id="x*"
    )
    assert (first.severity, first.weight) == (Severity.NOTICE, 2.5)
    assert (first.must_pass, first.enforce) == (False, True)
    assert second.match == Match()
    assert (second.severity, second.weight) == (Severity.ERROR, None)
    assert (second.must_pass, second.enforce) == (True, False)


def test_the_gate_is_read_and_its_defaults_block() -> None:
    assert read(FULL).gate == GatePolicy(
        mode=Mode.ADVISE, severity=Severity.WARNING, reviews_block=False, unmeasured=0.1
    )
    assert read("version: 1\n").gate == GatePolicy()


def test_what_may_run_and_where_responses_may_go() -> None:
    full, bare = read(FULL), read("version: 1\n")

    assert (full.repository_code, full.responses) == (False, Responses.EVERYWHERE)
    assert full.responses_said
    assert (bare.repository_code, bare.responses) == (True, Responses.ARTIFACT)
    assert not bare.responses_said


EMPTY = """\
version: 1
agents: {a: {type: command, command: [x], sources: [], timeout: , env: , cwd: , cache: }}
judge:
documents: [{paths: [x.json], agent: , runs: , min_pass_rate: }]
rules:
  - {match: {path: , id: }, severity: , weight: 2, must_pass: , enforce: }
gate: {mode: , severity: , known_failures: , unmeasured: , max_drop: }
artifacts:
baseline:
budget: {minutes: }
cache:
custom_evaluators:
execution:
report: {comment: , responses: }
"""


def test_an_empty_value_is_unset_everywhere() -> None:
    written = read(
        "version: 1\n"
        "agents: {a: {type: command, command: [x], sources: []}}\n"
        "documents: [{paths: [x.json]}]\n"
        "rules: [{match: {}, weight: 2}]\n"
    )
    empty = read(EMPTY)

    assert empty.agents[0].options == written.agents[0].options
    assert empty.agents[0].timeout_s == written.agents[0].timeout_s
    assert empty.judge is None
    assert empty.documents[0].agent == "a"
    assert empty.rules[0].match == Match()
    assert (empty.gate, empty.responses) == (written.gate, written.responses)


def test_the_digest_is_of_what_is_said_and_not_of_how() -> None:
    plain = read("version: 1\ngate: {mode: advise, reviews: ignore}\n")
    other = read('# why\n"gate":\n  reviews: ignore\n  mode: "advise"\n\nversion: 1\n')
    changed = read("version: 1\ngate: {mode: enforce, reviews: ignore}\n")

    assert plain.digest == other.digest
    assert plain.digest != changed.digest


@pytest.mark.parametrize("data", [b"", b"   \n", b"# only a comment\n", b"\xff\xfe", b"a: [", b"{"])
def test_what_is_no_configuration_is_a_problem_with_a_place(data: bytes) -> None:
    parsed = config.parse(data, path="mergebar.yml", explain=plugins.explain)

    assert parsed.config is None
    assert all(problem.rule.startswith("config/") for problem in parsed.problems)
    assert any(problem.level is Level.ERROR for problem in parsed.problems)


def test_a_key_that_stands_twice_names_both_lines() -> None:
    text = "version: 1\nagents:\n  a: {type: replay}\n  a: {type: replay}\n"

    parsed = config.parse(text.encode(), path="mergebar.yml", explain=plugins.explain)

    (problem,) = parsed.problems
    assert problem.rule == "config/duplicate-key"
    assert problem.line == 4
    assert "3" in problem.message


WORDS = [line.encode() + b"\n" for line in (FULL + EMPTY).splitlines()]


@given(
    st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(WORDS), max_size=12).map(b"".join))
)
def test_no_bytes_crash_it(data: bytes) -> None:
    parsed = config.parse(data, path="mergebar.yml", explain=plugins.explain)

    errors = [problem for problem in parsed.problems if problem.level is Level.ERROR]
    assert (parsed.config is None) is bool(errors)


KEYS = ["version", "agents", "judge", "documents", "rules", "gate", "type", "command", "sources"]
KEYS += ["paths", "agent", "match", "path", "env", "timeout", "weight", "report", "body", "a"]
TREES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 200),
        st.floats(allow_nan=False),
        st.text(max_size=4),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(KEYS), TREES, max_size=5))
def test_no_shape_crashes_it(tree: dict[str, object]) -> None:

    data = yaml.safe_dump({"version": 1, **tree}, allow_unicode=True).encode()

    parsed = config.parse(data, path="mergebar.yml", explain=plugins.explain)

    assert all(problem.line and problem.column for problem in parsed.problems)
    assert (parsed.config is None) is any(
        problem.level is Level.ERROR for problem in parsed.problems
    )


def test_accepting_loads_no_explainer(tmp_path: Path) -> None:
    (tmp_path / "mergebar.yml").write_text(FULL)
    script = (
        "import sys, pathlib; from mergebar import config, plugins;"
        "parsed = config.parse(pathlib.Path(sys.argv[1]).read_bytes(), path='mergebar.yml',"
        " explain=plugins.explain);"
        "assert parsed.config is not None;"
        "print(*sorted(sys.modules))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "mergebar.yml"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert {"jsonschema", "pydantic", "asyncio", "httpx", "openai"}.isdisjoint(loaded)


@pytest.mark.parametrize("key", [field.name for field in dataclasses.fields(Match)])
def test_every_key_of_a_match_narrows_the_rule(key: str) -> None:
    value = {"kind": "grader", "evaluator": "Coherence", "grader": "tool-usage"}.get(key, "desk")
    text = f"""
version: 1
agents: {{desk: {{type: replay}}}}
documents: [{{paths: ["evals/*.json"], agent: desk}}]
rules: [{{match: {{{key}: {value}}}, severity: warning}}]
"""
    assert read(text).rules[0].match == Match(**{key: value})
