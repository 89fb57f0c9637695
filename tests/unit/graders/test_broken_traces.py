"""A verdict that rests on what wasn't seen needs a whole trace; one on what was seen stands."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mergebar.traces.faults import LINE_LIMIT
from support import graded, traces
from support.graded import Arbiter, Bench, outcome, words
from support.traces import CWD, Record

USAGE = traces.usage(10, 5)


def done(*names: str) -> Record:
    return traces.said([traces.result(name) for name in names])


def replied(*blocks: Record, key: str) -> Record:
    return traces.replied(*blocks, name=key, usage=USAGE)


TALK = [
    traces.said("Please go."),
    replied(traces.text("I look."), traces.call("Read", "r", file_path=f"{CWD}/a.txt"), key="m1"),
    done("r"),
    replied(traces.call("Skill", "s", skill="mend"), key="m2"),
    done("s"),
    replied(traces.call("Bash", "b1", command="ls -l"), key="m3"),
    done("b1"),
    replied(traces.call("Bash", "b2", command="make"), key="m4"),
    done("b2"),
    replied(traces.call("Write", "w", file_path=f"{CWD}/out.txt"), key="m5"),
    done("w"),
    replied(traces.text('{"dry": true}'), key="m6"),
]
SESSION = traces.chained(TALK)
ROOT = {"type": "system", "content": "Welcome.", "uuid": "root"}
LINES = traces.lines(SESSION).splitlines(keepends=True)
STREAM = traces.streamed([traces.init(), *TALK])

WHEN = "grader: tool-usage, options: {tool: Bash, when: {%s}}"

# What each eval says of the whole session, and of one that has a gap on its chain.
ROWS: Mapping[str, tuple[str, str]] = {
    "grader: tool-usage, options: {tool: Bash}": ("pass", "pass"),
    "grader: tool-usage, options: {tool: Bash, expect: not-used}": ("fail", "fail"),
    "grader: tool-usage, options: {tool: Edit}": ("fail", "withheld"),
    "grader: tool-usage, options: {tool: Edit, expect: not-used}": ("pass", "withheld"),
    "grader: tool-usage, options: {tool: Edit, expect: not-used, includeSidechains: true}": (
        "pass",
        "withheld",
    ),
    "grader: tool-usage, options: {tool: Edit, min: 0}": ("pass", "pass"),
    "grader: tool-usage, options: {tool: Edit, max: 1}": ("fail", "withheld"),
    "grader: tool-usage, options: {tool: Bash, min: 2}": ("pass", "pass"),
    "grader: tool-usage, options: {tool: Bash, min: 3}": ("fail", "withheld"),
    "grader: tool-usage, options: {tool: Bash, max: 1}": ("fail", "fail"),
    "grader: tool-usage, options: {tool: Bash, max: 2}": ("pass", "withheld"),
    "grader: tool-usage, options: {tool: Bash, min: 1, max: 2}": ("pass", "withheld"),
    "grader: tool-usage, options: {tool: Bash, min: 3, max: 4}": ("fail", "withheld"),
    "grader: tool-order, options: {before: Read, after: Bash}": ("pass", "pass"),
    "grader: tool-order, options: {before: Bash, after: Read}": ("fail", "withheld"),
    "grader: tool-order, options: {before: Bash, after: Edit}": ("fail", "withheld"),
    "grader: tool-order, options: {before: Edit, after: Bash}": ("fail", "withheld"),
    "grader: tool-order, options: {before: Edit, after: Grep}": ("pass", "withheld"),
    "grader: tool-order, options: {before: Read, after: Bash, afterInputMatch: make}": (
        "pass",
        "pass",
    ),
    "grader: tool-order, options: {before: Read, after: Bash, afterInputMatch: rm}": (
        "fail",
        "withheld",
    ),
    "grader: skill-invoked, options: {skill: mend}": ("pass", "pass"),
    "grader: skill-invoked, options: {skill: mend, expect: not-used}": ("fail", "fail"),
    "grader: skill-invoked, options: {skill: paint}": ("fail", "withheld"),
    "grader: skill-invoked, options: {skill: paint, expect: not-used}": ("pass", "withheld"),
    "grader: file-access, options: {path: a.txt}": ("pass", "pass"),
    "grader: file-access, options: {path: a.txt, expect: not-accessed}": ("fail", "fail"),
    "grader: file-access, options: {path: a.txt, op: write}": ("fail", "withheld"),
    "grader: file-access, options: {path: a.txt, op: write, expect: not-accessed}": (
        "pass",
        "withheld",
    ),
    "grader: file-access, options: {path: b.txt}": ("fail", "withheld"),
    "grader: file-access, options: {path: b.txt, expect: not-accessed}": ("pass", "withheld"),
    "grader: turn-count, options: {min: 1}": ("pass", "pass"),
    "grader: turn-count, options: {min: 2}": ("fail", "withheld"),
    "grader: turn-count, options: {max: 1}": ("pass", "withheld"),
    "grader: turn-count, options: {max: 0}": ("fail", "fail"),
    "grader: turn-count, options: {min: 1, max: 2}": ("pass", "withheld"),
    "grader: cost, options: {maxTokens: 1}": ("fail", "fail"),
    "grader: cost, options: {maxTokens: 100000}": ("pass", "withheld"),
    "grader: regex, options: {pattern: look}": ("pass", "pass"),
    "grader: regex, options: {pattern: look, expect: no-match}": ("fail", "fail"),
    "grader: regex, options: {pattern: sorry}": ("fail", "withheld"),
    "grader: regex, options: {pattern: sorry, expect: no-match}": ("pass", "withheld"),
    "grader: regex, options: {pattern: Please, 'on': user}": ("pass", "pass"),
    "grader: regex, options: {pattern: sorry, 'on': user, expect: no-match}": ("pass", "withheld"),
    "grader: regex, options: {pattern: sorry, 'on': all, expect: no-match}": ("pass", "withheld"),
    "grader: regex, target: files, options: {pattern: out}": ("pass", "withheld"),
    "grader: regex, target: files, options: {pattern: '^$'}": ("fail", "withheld"),
    "grader: regex, target: files, options: {pattern: b.txt, expect: no-match}": (
        "pass",
        "withheld",
    ),
    "grader: regex, target: artifact, options: {pattern: '^never$'}": ("fail", "fail"),
    "grader: regex, target: {source: file, path: CLAUDE.md}, options: {pattern: leak}": (
        "pass",
        "pass",
    ),
    "grader: json-output, target: {source: file, path: data.json}, options: {schema: {type: object, required: [dry]}}": (
        "pass",
        "pass",
    ),
    "grader: command, command: ['true']": ("pass", "pass"),
    "grader: command, command: ['false']": ("fail", "fail"),
    "grader: human, assertion: It is nice.": ("needs-review", "needs-review"),
    WHEN % "tool-used: Bash": ("pass", "pass"),
    "grader: tool-usage, options: {tool: Edit, expect: not-used, when: {tool-used: Bash}}": (
        "pass",
        "withheld",
    ),
}  # fmt: skip
# The last message is known where only something before it is missing.
LAST: Mapping[str, tuple[str, str]] = {
    "grader: regex, target: last-message, options: {pattern: dry}": ("pass", "withheld"),
    "grader: regex, target: last-message, options: {pattern: dry, expect: no-match}": (
        "fail",
        "withheld",
    ),
    "grader: regex, target: last-message, options: {pattern: wet, expect: no-match}": (
        "pass",
        "withheld",
    ),
    "grader: json-output, options: {schema: {type: object, required: [dry]}}": ("pass", "withheld"),
    "grader: json-output, options: {schema: {type: array}}": ("fail", "withheld"),
    "assertion: It ends well., target: last-message": ("pass", "withheld"),
}
# What can't be judged, or isn't armed, is so only where it is sure that something is missing.
SURE: Mapping[str, tuple[str, str]] = {
    "assertion: It is nice.": ("pass", "withheld"),
    "assertion: It is nice., target: files": ("pass", "withheld"),
    WHEN % "tool-used: Edit": ("declined", "withheld"),
    WHEN % "file-access: b.txt": ("declined", "withheld"),
    WHEN % "prompt-matches: sorry": ("declined", "withheld"),
    WHEN % "command-matches: rm": ("declined", "withheld"),
    WHEN % "turn-count-above: 1": ("declined", "withheld"),
}


def ended_in_a_turn(**stop: str) -> bytes:
    last = replied(traces.text('{"dry": true}'), key="m6")
    last["message"] |= stop
    return traces.lines(traces.chained([*TALK[:-1], last]))


def with_line(line: bytes, at: int = 3) -> bytes:
    return b"".join([*LINES[:at], line, *LINES[at:]])


WHOLE: Mapping[str, Callable[[], bytes]] = {
    "session": lambda: b"".join(LINES),
    "session without its last end of line": lambda: b"".join(LINES).rstrip(b"\n"),
    "session that nobody ended": lambda: ended_in_a_turn(stop_reason="end_turn"),
    "session with a record from the future": lambda: with_line(b'{"type": "new", "uuid": "x"}\n'),
    "session with a prompt that was taken back": lambda: traces.lines(
        traces.chained([
            ROOT,
            traces.said("Wrong."),
            *({**each, "parentUuid": "root"} if each is TALK[0] else each for each in TALK),
        ])
    ),
    "stream": lambda: traces.lines([*STREAM, *traces.streamed([traces.ended('{"dry": true}')])]),
}  # fmt: skip
CUT: Mapping[str, Callable[[], bytes]] = {
    "in the middle of a line": lambda: b"".join(LINES) + LINES[-1][:40],
    "behind a tool's call": lambda: ended_in_a_turn(stop_reason="tool_use"),
    "a broken last line": lambda: b"".join(LINES) + LINES[-1][:40] + b"\n",
    "a stream without a result": lambda: traces.lines(STREAM),
}
HOLED: Mapping[str, Callable[[], bytes]] = {
    "half a record": lambda: with_line(LINES[1][:90] + b"\n"),
    "the other half": lambda: with_line(LINES[1][90:]),
    "a hole of NUL bytes": lambda: with_line(b"\0" * 99 + b"\n"),
    "bytes that are no text": lambda: with_line(b"\xff\xfe\x81\n"),
    "a line that is too long": lambda: with_line(b'{"a": "%s"}\n' % (b"a" * LINE_LIMIT)),
}
ODD: Mapping[str, Callable[[], bytes]] = {
    "a line of plain text": lambda: with_line("npm notice: neu – 12 Pakete\n".encode()),
    "a record of no known shape": lambda: with_line(
        json.dumps({**SESSION[1], "uuid": "x", "message": "?"}).encode() + b"\n"
    ),
}


def of(root: Path, data: bytes, *tables: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The outcome by what is declared."""
    (root / "data.json").write_text('{"dry": true}', encoding="utf-8")
    rows = [row for table in tables for row in table]
    evals = "".join(f"- {{id: e{number}, {row}}}\n" for number, row in enumerate(rows))
    found = graded.grade(root, data, evals, bench=Bench(judge=Arbiter()))
    return {row: outcome(one) for row, one in zip(rows, found.values(), strict=True)}


def expected(*tables: tuple[Mapping[str, tuple[str, str]], int]) -> dict[str, str]:
    return {row: each[place] for table, place in tables for row, each in table.items()}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_trace_has_a_verdict_on_everything(tmp_path: Path, name: str) -> None:
    assert of(tmp_path, WHOLE[name](), ROWS, LAST, SURE) == expected(
        (ROWS, 0), (LAST, 0), (SURE, 0)
    )


@pytest.mark.parametrize("name", CUT)
def test_a_trace_that_was_cut_has_a_verdict_on_what_was_seen_only(
    tmp_path: Path, name: str
) -> None:
    assert of(tmp_path, CUT[name](), ROWS, LAST, SURE) == expected((ROWS, 1), (LAST, 1), (SURE, 1))


@pytest.mark.parametrize("name", HOLED)
def test_a_hole_in_the_middle_leaves_the_last_message(tmp_path: Path, name: str) -> None:
    assert of(tmp_path, HOLED[name](), ROWS, LAST, SURE) == expected(
        (ROWS, 1), (LAST, 0), (SURE, 1)
    )


@pytest.mark.parametrize("name", ODD)
def test_what_may_never_have_been_a_record_withholds_what_rests_on_absence(
    tmp_path: Path, name: str
) -> None:
    assert of(tmp_path, ODD[name](), ROWS, LAST, SURE) == expected((ROWS, 1), (LAST, 0), (SURE, 0))


def test_what_came_before_is_missing_for_the_rules_and_not_for_a_skill(tmp_path: Path) -> None:
    first = {**SESSION[0], "parentUuid": "earlier"}
    data = traces.lines([first, *SESSION[1:]])
    quiet = "- {id: quiet, grader: tool-usage, options: {tool: Edit, expect: not-used}}"

    assert of(tmp_path, data, ROWS, LAST, SURE) == expected((ROWS, 1), (LAST, 0), (SURE, 1))
    (found,) = graded.grade(tmp_path, data, quiet, path=graded.SKILL).values()
    assert outcome(found) == "pass"


@pytest.mark.parametrize("one_value", [False, True])
def test_chat_messages_that_were_cut_withhold_too(tmp_path: Path, *, one_value: bool) -> None:
    messages = [
        {"role": "user", "content": "Please go."},
        {"role": "assistant", "content": "I look."},
        {"role": "assistant", "content": "It is dry."},
    ]
    data = json.dumps({"messages": messages}).encode() if one_value else traces.lines(messages)
    known = {
        row: each
        for row, each in {**ROWS, **LAST}.items()
        if ("tool: Edit" in row and "when" not in row)
        or "turn-count" in row
        or "sorry" in row
        or "last-message" in row
    }

    assert of(tmp_path, data, known) == expected((known, 0))
    assert of(tmp_path, data[:-14], known) == expected((known, 1))


def test_the_reason_names_what_is_missing(tmp_path: Path) -> None:
    quiet = "grader: tool-usage, options: {tool: Edit, expect: not-used}"

    found = graded.one(tmp_path, b"".join(LINES) + LINES[-1][:40], quiet)

    assert words(found) == (
        "`Edit` was never called in the session, as far as is recorded: the trace ends in the "
        "middle of line 13"
    )


def test_figures_that_some_replies_lack_decide_only_what_they_exceed(tmp_path: Path) -> None:
    bare = traces.lines(traces.chained([*TALK, traces.replied(traces.text("Dry."), name="m7")]))

    above = graded.one(tmp_path, bare, "grader: cost, options: {maxTokens: 1}")
    within = graded.one(tmp_path, bare, "grader: cost, options: {maxTokens: 1000}")

    assert (outcome(above), outcome(within)) == ("fail", "withheld")
    assert "some replies came without figures" in words(within)


def test_a_cost_without_tokens_is_no_count_of_tokens(tmp_path: Path) -> None:
    priced = traces.ended("Dry.", usage=None)
    priced["usage"] = None
    data = traces.lines(traces.streamed([traces.init(), traces.said("Go."), priced]))

    tokens = graded.one(tmp_path, data, "grader: cost, options: {maxTokens: 1000}")
    dollars = graded.one(tmp_path, data, "grader: cost, options: {maxUsd: 1}")

    assert (outcome(tokens), outcome(dollars)) == ("withheld", "pass")


# What a sub-agent did: whether it counts, by grader and option.
NESTED: Mapping[str, tuple[str, str]] = {
    "grader: tool-usage, options: {tool: Edit, expect: not-used}": ("pass", "pass"),
    "grader: tool-usage, options: {tool: Edit, expect: not-used, includeSidechains: true}": (
        "pass",
        "withheld",
    ),
    "grader: tool-usage, options: {tool: Agent, includeSidechains: true}": ("pass", "pass"),
    "grader: tool-order, options: {before: Edit, after: Grep}": ("pass", "pass"),
    "grader: tool-order, options: {before: Edit, after: Grep, includeSidechains: true}": (
        "pass",
        "withheld",
    ),
    "grader: skill-invoked, options: {skill: paint, expect: not-used}": ("pass", "withheld"),
    "grader: file-access, options: {path: a.txt}": ("pass", "pass"),
    "grader: file-access, options: {path: b.txt}": ("fail", "withheld"),
    "grader: file-access, options: {path: b.txt, expect: not-accessed}": ("pass", "withheld"),
    "grader: regex, options: {pattern: sorry, expect: no-match}": ("pass", "pass"),
    "grader: regex, target: files, options: {pattern: b.txt, expect: no-match}": (
        "pass",
        "withheld",
    ),
    "grader: turn-count, options: {max: 1}": ("pass", "pass"),
    "grader: cost, options: {maxTokens: 100000}": ("pass", "pass"),
    "assertion: It is nice.": ("pass", "pass"),
}
STARTED = [
    *TALK[:3],
    replied(traces.call("Agent", "a", subagent_type="helper", prompt="Help."), key="m9"),
    done("a"),
    *TALK[3:],
]
SIDE = traces.lines(
    traces.chained([traces.said("Help."), traces.replied(traces.text("Yes."))], start=90, side=True)
)


def beside(root: Path, data: bytes, *, meta: bytes = b'{"toolUseId": "a"}') -> None:
    folder = root / "trace" / "subagents"
    traces.write(folder / "agent-1.jsonl", data)
    traces.write(folder / "agent-1.meta.json", meta)


@pytest.mark.parametrize(
    ("side", "meta", "place"),
    [
        (SIDE, b'{"toolUseId": "a"}', 0),
        (None, b"", 1),
        (SIDE[:-30], b'{"toolUseId": "a"}', 1),
        (SIDE + b'{"type": "assis\n', b'{"toolUseId": "a"}', 1),
        (SIDE, b"{", 1),
        (SIDE, b'{"toolUseId": "other"}', 1),
        (b"\x7fELF\x00", b'{"toolUseId": "a"}', 1),
    ],
    ids=["whole", "missing", "cut", "holed", "no meta", "of another call", "binary"],
)
def test_a_sub_agent_that_is_not_all_there_counts_where_sub_agents_do(
    tmp_path: Path, side: bytes | None, meta: bytes, place: int
) -> None:
    if side is not None:
        beside(tmp_path, side, meta=meta)

    assert of(tmp_path, traces.lines(traces.chained(STARTED)), NESTED) == expected((NESTED, place))


def test_a_sub_agent_that_was_denied_did_nothing(tmp_path: Path) -> None:
    refusal = "The user doesn't want to proceed with this tool use."
    denied = traces.said([traces.result("a", refusal, error=True)])
    records = [denied if each == done("a") else each for each in STARTED]

    assert of(tmp_path, traces.lines(traces.chained(records)), NESTED) == expected((NESTED, 0))


def test_an_orphan_of_a_prompt_that_was_taken_back_withholds_nothing(tmp_path: Path) -> None:
    beside(tmp_path, SIDE)
    records = traces.chained([
        ROOT,
        traces.said("Wrong."),
        replied(traces.call("Agent", "a", subagent_type="helper", prompt="Help."), key="m0"),
        *({**each, "parentUuid": "root"} if each is TALK[0] else each for each in TALK),
    ])  # fmt: skip
    known = {row: each for row, each in NESTED.items() if "tool: Agent" not in row}

    assert of(tmp_path, traces.lines(records), known) == expected((known, 0))


@pytest.mark.parametrize(
    ("path", "expected_"), [(graded.SKILL, "pass"), (graded.RULES, "withheld")]
)
def test_a_sub_agent_that_a_skill_did_not_start_is_not_its_doing(
    tmp_path: Path, path: str, expected_: str
) -> None:
    quiet = "- {id: quiet, grader: file-access, options: {path: b.txt, expect: not-accessed}}"

    (found,) = graded.grade(tmp_path, traces.chained(STARTED), quiet, path=path).values()

    assert outcome(found) == expected_
