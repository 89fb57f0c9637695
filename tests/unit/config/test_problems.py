"""Bad configurations: each problem with its line, its column, and the words that name it."""

import pytest

from mergebar import config, plugins
from mergebar.model.problems import Level, Problem

START = "version: 1\n"
AGENT = "  a: {type: command, command: [run], sources: []"
AGENTS = f"agents:\n{AGENT}}}\n"
TWO = f"{AGENTS}  b: {{type: replay}}\n"


def agent(*lines: str) -> str:
    """A whole configuration with one agent, whose keys begin at line 4."""
    return START + "agents:\n  a:\n" + "".join(f"    {line}\n" for line in lines)


def command(*lines: str) -> str:
    """As `agent`, of the type `command`; the given keys begin at line 7."""
    return agent("type: command", "command: [run]", "sources: []", *lines)


def judge(*lines: str) -> str:
    """A judge; the given keys begin at line 5."""
    return START + "judge:\n  type: openai\n  model: m\n" + "".join(f"  {line}\n" for line in lines)


def rule(*lines: str) -> str:
    """One rule; the given keys begin at line 4."""
    return START + "rules:\n  - match: {}\n" + "".join(f"    {line}\n" for line in lines)


# What the file says; line and column of its only problem; its rule; what its message has to say.
BAD = [
    # The file as a whole
    ("agents: {}\n", 1, 1, "required", ["`version` is missing", "`version: 1`"]),
    ("version: 2\n", 1, 10, "enum", ["`version` must be `1`", "and is `2`"]),
    ('version: "1"\n', 1, 10, "enum", ["write `1` without quotes"]),
    ("version:\n", 1, 1, "required", ["`version` is missing"]),
    ("- version: 1\n", 1, 1, "type", ["must be an object, and is a list"]),
    ("just text\n", 1, 1, "type", ["must be an object", "`just text`"]),
    (START + "gates: {}\n", 2, 1, "unknown-key", ["`gates`", "did you mean `gate`?"]),
    (START + "xyzzy: 1\n", 2, 1, "unknown-key", ["`xyzzy`", "known are `version`, `agents`"]),
    # Agents
    (START + "agents: [a]\n", 2, 9, "type", ["`agents` must be an object, and is a list"]),
    (START + "agents:\n  a: run\n", 3, 6, "type", ["`a` must be an object"]),
    (agent("command: [run]"), 4, 5, "required", ["`type` is missing", "`replay` reads"]),
    (agent("type: comand"), 4, 11, "unknown-type", ["`comand`", "did you mean `command`?"]),
    (agent("type: command", "sources: []"), 4, 5, "required", ["`command` is missing"]),
    (
        agent("type: command", "command: [run]"),
        4,
        5,
        "required",
        ["`sources` is missing", "`[]` if nothing here does"],
    ),
    (
        agent("type: command", "command: [run]", "sources:"),
        4,
        5,
        "required",
        ["`sources` is missing"],
    ),
    (
        agent("type: command", "sources: []", "command: python3 agent.py"),
        6,
        14,
        "type",
        ["`command` must be a list", "no shell reads it"],
    ),
    (
        agent("type: command", "sources: []", "command: []"),
        6,
        14,
        "length",
        ["`command` must not be empty"],
    ),
    (
        agent("type: command", "sources: []", "command: [run, 5]"),
        6,
        20,
        "type",
        ["entry 2 of `command` must be a string"],
    ),
    (
        agent("type: command", "command: [run]", "sources: src/**"),
        6,
        14,
        "type",
        ["write a list: `[src/**]`"],
    ),
    (
        agent("type: command", "command: [run]", 'sources: "**/*.py"'),
        6,
        14,
        "type",
        ['write a list: `["**/*.py"]`'],
    ),
    (command("cdw: x"), 7, 5, "unknown-key", ["`cdw`", "did you mean `cwd`?"]),
    (command("url: x"), 7, 5, "unknown-key", ["`url` is not a known key of an agent of type"]),
    (command("cwd: 5"), 7, 10, "type", ["`cwd` must be a string"]),
    (command("timeout: 30"), 7, 14, "type", ["write it with a unit: `30s`"]),
    (command("timeout: 2 minutes"), 7, 14, "pattern", ["`2 minutes`", "such as `120s` or `15m`"]),
    (command("timeout: 0s"), 7, 14, "amount", ["`timeout` must be more than 0"]),
    (command("output_limit: 5 MB"), 7, 19, "pattern", ["`5 MB`", "such as `1MB`"]),
    (command("output_limit: 1000"), 7, 19, "type", ["write it with a unit: `1000B`"]),
    (command("output_limit: 0B"), 7, 19, "amount", ["`output_limit` must be more than 0"]),
    (command("concurrency: 0"), 7, 18, "range", ["`concurrency` must be at least 1"]),
    (command("concurrency: 1e300"), 7, 18, "range", ["`concurrency` must be at most 1000"]),
    (command("concurrency: many"), 7, 18, "type", ["`concurrency` must be a whole number"]),
    (command("attempts: 1.5"), 7, 15, "type", ["`attempts` must be a whole number"]),
    (command("cache: yes"), 7, 12, "type", ["write `true`"]),
    (command("env: KEY"), 7, 10, "type", ["write a list: `[KEY]`"]),
    (command("env: [KEY=value]"), 7, 11, "pattern", ["write the name alone: `KEY`"]),
    (command("env: [OK, '${KEY}']"), 7, 15, "pattern", ["write the name alone: `KEY`"]),
    (command("env: [GITHUB_TOKEN]"), 7, 11, "reference", ["`GITHUB_TOKEN` is refused"]),
    (command("env: [A, INPUT_MODE]"), 7, 14, "reference", ["`INPUT_MODE` is refused"]),
    (command('cwd: "${ACTIONS_X}"'), 7, 10, "reference", ["`${ACTIONS_X}` is refused"]),
    (command('cwd: "${A:-b}"'), 7, 10, "reference", ["has no defaults", "write `$${`"]),
    (command('cwd: "${A"'), 7, 10, "reference", ["`${A` has no `}`: close it"]),
    (
        agent("type: command", "command: [run]", 'sources: [a, "${DIR}/b"]'),
        6,
        18,
        "reference",
        ["`${NAME}` isn't read here"],
    ),
    (
        agent("type: command", "command: [run]", "sources: [../other/**]"),
        6,
        15,
        "pattern",
        ["`../other/**` leads out of the working directory"],
    ),
    # The judge
    (START + "judge: openai\n", 2, 8, "type", ["`judge` must be an object"]),
    (START + "judge: {model: m}\n", 2, 8, "required", ["`type` is missing"]),
    (
        START + "judge: {type: openai}\n",
        2,
        8,
        "required",
        ["`model` is missing", "part of the result"],
    ),
    (judge("runs: 0"), 5, 9, "range", ["`runs` must be at least 1"]),
    (judge("confirm_failures: -1"), 5, 21, "range", ["must be at least 0"]),
    (judge("recordings: x"), 5, 3, "unknown-key", ["of a judge of type `openai`"]),
    (judge("apikey: x"), 5, 3, "unknown-key", ["did you mean `api_key`?"]),
    (judge('api_key: "${GITHUB_TOKEN}"'), 5, 12, "reference", ["`${GITHUB_TOKEN}` is refused"]),
    # Documents
    (START + "documents: {paths: [x]}\n", 2, 12, "type", ["put `- ` before the first key"]),
    (START + "documents: [{}]\n", 2, 13, "required", ["`paths` is missing"]),
    (START + "documents: [{paths: []}]\n", 2, 21, "length", ["`paths` must not be empty"]),
    (START + "documents: [{paths: [x, '']}]\n", 2, 25, "length", ["entry 2 of `paths`"]),
    (START + "documents: [{paths: ['[a']}]\n", 2, 22, "pattern", ["has a `[` without its `]`"]),
    (START + "documents: [{paths: ['!a']}]\n", 2, 21, "pattern", ["`paths` selects nothing"]),
    (
        START + "documents: [{paths: [x, y]}, {paths: [y]}]\n",
        2,
        39,
        "duplicate-pattern",
        ["`y` stands in entry 1 of `documents` already"],
    ),
    (
        START + "documents: [{paths: [x], agent: b}]\n" + AGENTS,
        2,
        33,
        "unknown-agent",
        ["there is no agent `b`", "the agents are `a`"],
    ),
    (
        START + "documents: [{paths: [x], agent: suport}]\nagents: {support: {type: replay}}\n",
        2,
        33,
        "unknown-agent",
        ["did you mean `support`?"],
    ),
    (
        START + "documents: [{paths: [x], agent: a}]\n",
        2,
        33,
        "unknown-agent",
        ["no agents are configured"],
    ),
    (
        START + "documents: [{paths: [x]}]\n" + TWO,
        2,
        13,
        "agent-missing",
        ["doesn't say which agent answers", "`a`, `b`"],
    ),
    (START + "documents: [{paths: [x], min_pass_rate: 85}]\n", 2, 41, "range", ["means 0.85?"]),
    (START + "documents: [{paths: [x], min_pass_rate: 85%}]\n", 2, 41, "type", ["means 0.85?"]),
    (START + "documents: [{paths: [x], min_pass_rate: -1}]\n", 2, 41, "range", ["at least 0"]),
    (START + "documents: [{paths: [x], runs: 0}]\n", 2, 32, "range", ["`runs` must be at least"]),
    (START + "documents: [{path: [x]}]\n", 2, 14, "unknown-key", ["did you mean `paths`?"]),
    (
        START + 'documents: [{paths: ["${DIR}/*.json"]}]\n',
        2,
        22,
        "reference",
        ["only `agents` and `judge` read the environment"],
    ),
    # Rules
    (START + "rules: {match: {}}\n", 2, 8, "type", ["write a list"]),
    (START + "rules: [{severity: error}]\n", 2, 9, "required", ["`match` is missing"]),
    (rule("severity: critical"), 4, 15, "enum", ["`critical`"]),
    (rule("severity: eror"), 4, 15, "enum", ["did you mean `error`?"]),
    (rule("weight: 0"), 4, 13, "range", ["must be more than 0", "switched off silently"]),
    (rule("weight: -2"), 4, 13, "range", ["must be more than 0"]),
    (rule("must_pass: on"), 4, 16, "type", ["write `true`"]),
    (
        START + "rules: [{match: {evalutor: x}, weight: 2}]\n",
        2,
        18,
        "unknown-key",
        ["`evalutor` is not a known key of `match`", "did you mean `evaluator`?"],
    ),
    (START + "rules: [{match: {kind: x}, weight: 2}]\n", 2, 24, "enum", ["`evaluator`, `grader`"]),
    (START + "rules: [{match: {path: a//b}, weight: 2}]\n", 2, 24, "pattern", ["two slashes"]),
    (
        START + "rules: [{match: {agent: b}, weight: 2}]\n" + AGENTS,
        2,
        25,
        "unknown-agent",
        ["there is no agent `b`"],
    ),
    # Gate, execution, report
    (START + "gate: {mode: advice}\n", 2, 14, "enum", ["did you mean `advise`?"]),
    (START + "gate: {severty: error}\n", 2, 8, "unknown-key", ["did you mean `severity`?"]),
    (START + "gate: {unmeasured: 5}\n", 2, 20, "range", ["5 means 0.05?"]),
    (START + "gate: {reviews: allow}\n", 2, 17, "enum", ["`block`, `ignore`"]),
    (START + "execution: {repository_code: no}\n", 2, 30, "enum", ["`trusted`, `never`"]),
    (START + "report: {responses: all}\n", 2, 21, "enum", ["`none`, `artifact`, `everywhere`"]),
    (START + "budget: {agents_calls: 1}\n", 2, 10, "unknown-key", ["did you mean `agent_calls`?"]),
]

WARNINGS = [
    (judge("api_key: sk-0123456789abcdef"), 5, 12, "key-in-file", ["put it into a secret"]),
    (rule("enforce: true"), 3, 5, "rule-without-effect", ["this rule changes nothing"]),
    (
        rule("must_pass: true", "severity: warning"),
        5,
        15,
        "rule-contradicts-itself",
        ["`must_pass` makes it `error`"],
    ),
    (
        START + "rules: [{match: {evaluator: coherence}, weight: 2}]\n",
        2,
        29,
        "unknown-evaluator",
        ["this rule matches nothing", "did you mean `Coherence`?"],
    ),
    (START + "documents: []\n", 2, 12, "nothing-to-evaluate", ["nothing is ever evaluated"]),
]


def problems(text: str) -> list[Problem]:
    parsed = config.parse(text.encode(), path="conf/mergebar.yml", explain=plugins.explain)
    assert (parsed.config is None) is any(
        problem.level is Level.ERROR for problem in parsed.problems
    )
    return list(parsed.problems)


@pytest.mark.parametrize(("text", "line", "column", "rule", "fragments"), BAD)
def test_a_bad_configuration_is_told_where_and_how(
    text: str, line: int, column: int, rule: str, fragments: list[str]
) -> None:
    found = [problem for problem in problems(text) if problem.level is Level.ERROR]

    told = [problem for problem in found if problem.rule == f"config/{rule}"]
    assert [(problem.line, problem.column) for problem in told] == [(line, column)], found
    assert told[0].path == "conf/mergebar.yml"
    assert all(fragment in told[0].message for fragment in fragments), told[0].message
    assert all(
        problem.rule == "config/not-available-yet" for problem in found if problem not in told
    )


@pytest.mark.parametrize(("text", "line", "column", "rule", "fragments"), WARNINGS)
def test_what_is_only_odd_is_a_warning(
    text: str, line: int, column: int, rule: str, fragments: list[str]
) -> None:
    (problem,) = problems(text)

    assert problem.level is Level.WARNING
    assert problem.rule == f"config/{rule}"
    assert (problem.line, problem.column) == (line, column)
    assert all(fragment in problem.message for fragment in fragments), problem.message


def test_a_key_that_stands_in_the_file_is_never_repeated() -> None:
    (problem,) = problems(judge("api_key: sk-0123456789abcdef"))

    assert "0123456789abcdef" not in problem.message


def test_all_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    text = (
        "version: 3\n"
        "agents:\n"
        "  a: {type: command, command: run, sources: [../x]}\n"
        "judge: {type: openai}\n"
        "documents:\n"
        "  - {paths: [e/*.json], agent: z, runs: x}\n"
        "gate: {mood: advise}\n"
    )

    assert [(problem.line, problem.rule) for problem in problems(text)] == [
        (1, "config/enum"),
        (3, "config/type"),
        (3, "config/pattern"),
        (4, "config/required"),
        (6, "config/unknown-agent"),
        (6, "config/type"),
        (7, "config/unknown-key"),
    ]


def test_what_is_wrong_with_the_text_hides_nothing_that_is_wrong_with_what_it_says() -> None:
    text = (
        "version: 1\n"
        "agents:\n"
        "  a: {type: command, command: [run], sources: [], timeout: !!int soon}\n"
        "gate: {mood: advise, max_drop: .inf, mode: !x advise}\n"
        "version: 2\n"
        "1: 2\n"
        "rulez: []\n"
    )

    assert [(problem.line, problem.column, problem.rule) for problem in problems(text)] == [
        (3, 60, "config/tag"),
        (4, 8, "config/unknown-key"),
        (4, 32, "config/non-finite-number"),
        (4, 44, "config/tag"),
        (5, 1, "config/duplicate-key"),
        (6, 1, "config/non-string-key"),
        (7, 1, "config/unknown-key"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "gate: {mode: *x, severty: error}\n",
        "gate: {<<: [1], severty: error}\n",
        "gat: 1\ngate: {mode: [}\n",
        'gat: 1\nreport: {comment: "\\ud800"}\n',
    ],
)
def test_a_text_that_may_mean_anything_is_not_read_on(text: str) -> None:
    errors = [one.rule for one in problems(START + text) if one.level is Level.ERROR]

    assert len(errors) == 1
    assert errors[0] in {
        f"config/{r}" for r in ("alias", "merge-key", "yaml-syntax", "lone-surrogate")
    }


HINTS = [
    ("gate: {reviews: no}", "`no`", "write `false`"),
    ("execution: {repository_code: off}", "`off`", "write `false`"),
    ("cache: {max_size: -1}", "such as `1MB`", "`-1B`"),
    ("judge: {type: openai, model: m, timeout: 0}", "such as `120s`", "`0s`"),
    ("judge: {model: m}", "`azure`", "nothing"),
    ("artifacts: [{paths: [a], sessions: {command: [x], env: [a-b]}}]", "letters, digits", "^["),
    ("agents: [a]\ndocuments: [{paths: [e/*.json], agent: a}]", "is a list", "there is no agent"),
    ("rules: [{match: {}, severity: 0}]", "must be one of", "changes nothing"),
    (
        "artifacts: [{paths: [a], sessions: {command: [x, 1], prompts: [p]}}]",
        "entry 2 of `command` must be a string",
        "stands in no part",
    ),
]


@pytest.mark.parametrize(("text", "said", "unsaid"), HINTS)
def test_what_is_advised_would_be_accepted_and_nothing_follows_from_a_fault(
    text: str, said: str, unsaid: str
) -> None:
    told = " | ".join(problem.message for problem in problems(f"{START}{text}\n"))

    assert said in told
    assert unsaid not in told


def test_a_message_is_one_line_and_says_nothing_of_nulls_and_regular_expressions() -> None:
    texts = [text for text, *_ in BAD] + [f"{START}{text}\n" for text, *_ in HINTS]
    told = [problem.message for text in texts for problem in problems(text)]

    assert [message for message in told if "\n" in message] == []
    assert [message for message in told if "`null`" in message or "^[" in message] == []
