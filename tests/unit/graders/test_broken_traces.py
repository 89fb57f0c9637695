"""A verdict that rests on what wasn't seen needs a whole trace; one on what was seen stands."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mergebar.model.conversations import Failure
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


def changed(at: int, **block: object) -> bytes:
    """The session with another first block in one of its records; `None` takes a key away."""
    record = json.loads(LINES[at])
    first = record["message"]["content"][0] | block
    record["message"]["content"][0] = {k: v for k, v in first.items() if v is not None}
    return b"".join([*LINES[:at], json.dumps(record).encode() + b"\n", *LINES[at + 1 :]])


def with_record(at: int = 3, **keys: object) -> bytes:
    """The session with one more record, like the one there but for these keys."""
    return with_line(json.dumps(SESSION[at] | keys).encode() + b"\n", at)


CALLED = {"role": "assistant", "content": [traces.call("Bash", "b9", command="rm -r .")]}


def in_stream(*more: Record, at: int = -1, **result: object) -> bytes:
    """The stream with more records, and with something else in its result."""
    end = traces.streamed([traces.ended('{"dry": true}', **result)])
    return traces.lines([*STREAM[:at], *more, *STREAM[at:], *end])


# A call that was made, and of which too little is there to know it.
LOST: Mapping[str, Callable[[], bytes]] = {
    "a call without a name": lambda: with_line(
        changed(3, name=None).splitlines(keepends=True)[3].replace(b"00000004", b"x")
    ),
    "a call whose name is no text": lambda: with_record(
        uuid="x", message={"role": "assistant", "content": [{"type": "tool_use", "name": ["Edit"]}]}
    ),
    "a result of no call": lambda: with_record(
        uuid="x", type="user", message=traces.said([traces.result("gone")])["message"]
    ),
    "the identifier of another record": lambda: with_record(
        4, uuid=SESSION[2]["uuid"], message=CALLED
    ),
    "a call in a stream without a name": lambda: in_stream(
        traces.replied({"type": "tool_use", "id": "n", "input": {}})
    ),
    "a result of no call in a stream": lambda: in_stream(done("gone")),
    "a denied call that isn't in the stream": lambda: in_stream(
        permission_denials=[{"tool_name": "Edit", "tool_use_id": "gone", "tool_input": {}}]
    ),
    "a denied call in a stream without an identifier": lambda: in_stream(
        permission_denials=[{"tool_name": "Edit"}]
    ),
}
ENDED: Mapping[str, Callable[[], bytes]] = {
    "a prompt that nobody answered": lambda: traces.lines(
        traces.chained([*TALK, traces.said([traces.text("Now the roof.")])])
    ),
    "an error of the host": lambda: traces.lines(
        traces.chained([
            *TALK, traces.replied(traces.text("API Error: 529"), isApiErrorMessage=True),
        ])
    ),
    "a run that failed": lambda: in_stream(is_error=True),
    "a run that failed by its subtype": lambda: in_stream(subtype="error_during_execution"),
    "a run that was stopped": lambda: in_stream(subtype="error_max_turns", is_error=True),
    "a turn behind the last result": lambda: (
        in_stream() + traces.lines(traces.streamed([traces.replied(traces.text("And.")) ]))
    ),
}  # fmt: skip
CHATTED = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c", "type": "function", "function": {"name": "Edit", "arguments": "{}"}},
]}  # fmt: skip
# Two kinds of traces in one file, or two sessions.
MIXED: Mapping[str, Callable[[], bytes]] = {
    "chat messages behind a session": lambda: b"".join(LINES) + traces.lines([CHATTED]),
    "a stream behind a session": lambda: (
        b"".join(LINES)
        + traces.lines(traces.streamed([traces.init(), {"type": "assistant", "message": CALLED}]))
    ),
    "a second session": lambda: (
        b"".join(LINES)
        + traces.lines(
            {**each, "sessionId": "other", "uuid": f"o{each['uuid']}", "parentUuid": None}
            for each in SESSION[:2]
        )
    ),
    "chat messages behind a stream": lambda: in_stream() + traces.lines([CHATTED]),
    "a session behind a stream": lambda: in_stream() + b"".join(LINES[:3]),
    "a second stream": lambda: (
        in_stream()
        + traces.lines(
            {**each, "session_id": "other"}
            for each in [*STREAM, *traces.streamed([traces.ended('{"dry": true}')])]
        )
    ),
}
ODD: Mapping[str, Callable[[], bytes]] = {
    "a line of plain text": lambda: with_line("npm notice: neu – 12 Pakete\n".encode()),
    "a record of no known shape": lambda: with_line(
        json.dumps({**SESSION[1], "uuid": "x", "message": "?"}).encode() + b"\n"
    ),
    "a block of no known type": lambda: with_record(
        uuid="x", message={"role": "assistant", "content": [{"type": "tooluse", "name": "Edit"}]}
    ),
    "a block that is none": lambda: with_record(
        uuid="x", message={"role": "assistant", "content": ["?"]}
    ),
    "a prompt's block of no known type": lambda: with_record(
        uuid="x", type="user", message={"role": "user", "content": [{"type": "txt", "text": "?"}]}
    ),
    "a record of no known type with a message": lambda: with_record(
        uuid="x", type="assistent", message=CALLED
    ),
    "a record of no type with a message": lambda: with_record(uuid="x", type="", message=CALLED),
    "a call in what the host says": lambda: with_record(
        uuid="x", message=CALLED, isApiErrorMessage=True
    ),
    "a call in what nobody says": lambda: with_record(
        uuid="x", message={**CALLED, "model": "<synthetic>"}
    ),
    "a block of no known type in a stream": lambda: in_stream(
        traces.replied({"type": "tooluse", "name": "Edit"})
    ),
    "a record of no known type in a stream": lambda: in_stream(
        {"type": "assistent", "message": CALLED, "session_id": traces.SESSION_ID}
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


def summed(name: str) -> Mapping[str, tuple[str, str]]:
    """Without what a stream states itself, whatever else it lacks."""
    return {
        row: each
        for row, each in ROWS.items()
        if "maxTokens: 1000" not in row or "stream" not in name
    }


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


REFUSED = "Invalid API key · Please run /login"
NOTHING: Mapping[str, tuple[Callable[[], bytes], str]] = {
    "a prompt alone": (lambda: LINES[0], "bad-response"),
    "prompts alone": (
        lambda: traces.lines(traces.chained([traces.said("Go."), traces.said("Go on.")])),
        "bad-response",
    ),
    "interrupted at once": (
        lambda: traces.lines(
            traces.chained([traces.said("Go."), traces.said("[Request interrupted by user]")])
        ),
        "bad-response",
    ),
    "a bad key": (
        lambda: traces.lines(
            traces.chained([
                traces.said("Go."),
                traces.replied(traces.text("API Error: 401 Bad."), isApiErrorMessage=True),
            ])
        ),
        "auth",
    ),
    "too many requests": (
        lambda: traces.lines(
            traces.chained([
                traces.said("Go."),
                traces.replied(traces.text("API Error: 429 Later."), isApiErrorMessage=True),
            ])
        ),
        "throttled",
    ),
    "a bad key in a stream": (
        lambda: streamed(traces.replied(traces.text(REFUSED)), answer=REFUSED, is_error=True),
        "auth",
    ),
    "a bad key in a stream behind a word": (
        lambda: streamed(traces.replied(traces.text("x")), answer="Invalid API key", is_error=True),
        "auth",
    ),
    "a bad key in a stream by the host's own mark": (
        lambda: streamed(
            traces.replied(traces.text(REFUSED), error="authentication_failed"), answer=REFUSED
        ),
        "auth",
    ),
    "a bad key that the errors name": (
        lambda: streamed(
            answer=None, subtype="error_during_execution", errors=["authentication_error"]
        ),
        "auth",
    ),
    "a service that is overloaded": (
        lambda: streamed(answer="API Error: 529 overloaded_error", is_error=True),
        "unavailable",
    ),
    "a run that failed at once": (
        lambda: streamed(answer=None, subtype="error_during_execution", is_error=True),
        "bad-response",
    ),
    "a prompt in a stream": (
        lambda: traces.lines(traces.streamed([traces.init(), traces.said("Go.")])),
        "bad-response",
    ),
    "chat of a system and a user": (
        lambda: traces.lines([
            {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Go."},
        ]),
        "bad-response",
    ),
    "a chat message of a user": (
        lambda: traces.lines([{"role": "user", "content": "Go."}]), "bad-response",
    ),
    "YAML of a user's messages": (
        lambda: b"messages:\n  - role: user\n    content: Go.\n", "bad-response",
    ),
}  # fmt: skip


def streamed(*records: Record, answer: object, **result: object) -> bytes:
    end = traces.ended(answer, **result)
    return traces.lines(traces.streamed([traces.init(), *records, end]))


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("path", [graded.RULES, graded.SKILL])
def test_a_session_in_which_the_agent_did_nothing_measures_nothing(
    tmp_path: Path, name: str, path: str
) -> None:
    make, cause = NOTHING[name]
    rows = [row for table in (ROWS, LAST, SURE) for row in table]
    evals = "".join(f"- {{id: e{number}, {row}}}\n" for number, row in enumerate(rows))
    found = graded.grade(tmp_path, make(), evals, path=path, bench=Bench(judge=Arbiter()))

    assert {outcome(one) for one in found.values()} == {"error"}
    causes = {one.error_class.value for one in found.values() if isinstance(one, Failure)}
    assert causes == {cause}
    assert all("record the session again" in words(one) for one in found.values())


ONLY: Mapping[str, Callable[[], bytes]] = {
    "a result alone": lambda: traces.lines(traces.streamed([traces.ended('{"dry": true}')])),
    "a list and a result": lambda: streamed(answer='{"dry": true}'),
}


@pytest.mark.parametrize("name", ONLY)
def test_what_a_run_ended_with_alone_shows_nothing_of_what_was_done(
    tmp_path: Path, name: str
) -> None:
    known = {r: each for r, each in ROWS.items() if each[1] == "withheld" and "cost" not in r}
    found = of(tmp_path, ONLY[name](), known, LAST)

    assert {found[row] for row in known} == {"withheld"}
    assert {row: found[row] for row in LAST} == expected((LAST, 0))


def test_replies_of_which_the_figures_alone_are_there_have_a_cost_and_nothing_else(
    tmp_path: Path,
) -> None:
    bare = traces.replied(name="m1", usage=USAGE)
    bare["message"]["content"] = None
    known = {row: each for row, each in {**ROWS, **LAST}.items() if each[1] == "withheld"}
    found = of(tmp_path, traces.lines(traces.chained([bare])), known)

    assert found.pop("grader: cost, options: {maxTokens: 100000}") == "pass"
    assert set(found.values()) == {"withheld"}


@pytest.mark.parametrize("name", LOST)
def test_a_call_that_is_lost_may_have_been_any(tmp_path: Path, name: str) -> None:
    rows = summed(name)

    assert of(tmp_path, LOST[name](), rows, LAST, SURE) == expected((rows, 1), (LAST, 0), (SURE, 1))


@pytest.mark.parametrize("name", ENDED)
def test_a_session_that_ended_too_early_is_whole_only_up_to_there(
    tmp_path: Path, name: str
) -> None:
    known, sure = (
        {r: each for r, each in rows.items() if "turn" not in r} for rows in (ROWS, SURE)
    )

    assert of(tmp_path, ENDED[name](), known, LAST, sure) == expected(
        (known, 1), (LAST, 1), (sure, 1)
    )


@pytest.mark.parametrize("name", MIXED)
def test_of_two_sessions_in_one_file_the_first_is_graded_and_isn_t_whole(
    tmp_path: Path, name: str
) -> None:
    assert of(tmp_path, MIXED[name](), ROWS, LAST, SURE) == expected(
        (ROWS, 1), (LAST, 1), (SURE, 1)
    )
    assert "another session" in traces.read(tmp_path / "trace.jsonl").notes[0].message


@pytest.mark.parametrize("name", ODD)
def test_what_may_never_have_been_a_record_withholds_what_rests_on_absence(
    tmp_path: Path, name: str
) -> None:
    rows = summed(name)

    assert of(tmp_path, ODD[name](), rows, LAST, SURE) == expected((rows, 1), (LAST, 0), (SURE, 0))


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
    replied(traces.call("Agent", "a", subagent_type="porter", prompt="Help."), key="m9"),
    done("a"),
    *TALK[3:],
]
SIDE = traces.lines(
    traces.chained([traces.said("Help."), traces.replied(traces.text("Yes."))], start=90, side=True)
)

OTHER = SIDE.replace(b"Help.", b"Dance.")
BRIEFED = SIDE.splitlines(keepends=True)[0]


def helped(*records: Record) -> bytes:
    return traces.lines(traces.chained([traces.said("Help."), *records], start=90, side=True))


def stopped(record: Record, reason: str) -> Record:
    record["message"]["stop_reason"] = reason
    return record


WAITING = helped(
    stopped(replied(traces.call("Read", "x", file_path="c.txt"), key="m99"), "tool_use"), done("x")
)
FAILED = helped(traces.replied(traces.text("API Error: 500"), isApiErrorMessage=True))


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
        (SIDE, b"{", 0),
        (OTHER, b"{", 1),
        (b'{"type": "summary", "summary": "Help."}\n', b'{"toolUseId": "a"}', 1),
        (BRIEFED, b'{"toolUseId": "a"}', 1),
        (WAITING, b'{"toolUseId": "a"}', 1),
        (FAILED, b'{"toolUseId": "a"}', 1),
        (SIDE, b'{"toolUseId": "other"}', 1),
        (b"\x7fELF\x00", b'{"toolUseId": "a"}', 1),
    ],
    ids=[
        "whole",
        "missing",
        "cut",
        "holed",
        "told by its prompt",
        "told by nothing",
        "a summary",
        "a prompt alone",
        "cut behind a result",
        "an error alone",
        "of another call",
        "binary",
    ],
)
def test_a_sub_agent_that_is_not_all_there_counts_where_sub_agents_do(
    tmp_path: Path, side: bytes | None, meta: bytes, place: int
) -> None:
    if side is not None:
        beside(tmp_path, side, meta=meta)

    assert of(tmp_path, traces.lines(traces.chained(STARTED)), NESTED) == expected((NESTED, place))


@pytest.mark.parametrize(
    "refusal",
    [
        "The user doesn't want to proceed with this tool use.",
        "Agent type 'helpr' not found. Available agents: helper",
        "<tool_use_error>InputValidationError: prompt is missing</tool_use_error>",
    ],
)
def test_a_sub_agent_that_was_denied_did_nothing(tmp_path: Path, refusal: str) -> None:
    denied = traces.said([traces.result("a", refusal, error=True)])
    records = [denied if each == done("a") else each for each in STARTED]

    assert of(tmp_path, traces.lines(traces.chained(records)), NESTED) == expected((NESTED, 0))


def test_a_sub_agent_that_failed_may_have_done_something(tmp_path: Path) -> None:
    failed = traces.said([traces.result("a", "API Error: 529", error=True)])
    records = [failed if each == done("a") else each for each in STARTED]

    assert of(tmp_path, traces.lines(traces.chained(records)), NESTED) == expected((NESTED, 1))


def test_what_a_sub_agent_did_that_was_woken_up_again_is_in_its_one_file(tmp_path: Path) -> None:
    again = traces.call("Agent", "b9", subagent_type="porter", prompt="On.", resume="x1")
    woken = [replied(again, key="m10"), done("b9")]
    traces.write(tmp_path / "trace/subagents/agent-x1.jsonl", SIDE)
    traces.write(
        tmp_path / "trace/subagents/agent-x1.meta.json", [{"toolUseId": "a", "agentType": "porter"}]
    )
    whole = traces.lines(traces.chained([*STARTED[:5], *woken, *STARTED[5:]]))
    assert of(tmp_path, whole, NESTED) == expected((NESTED, 0))

    skill = traces.call("Skill", "k", skill="mend")
    late = [*STARTED[:5], replied(skill, key="m8"), done("k"), *woken, STARTED[-1]]
    (found,) = graded.grade(
        tmp_path,
        traces.lines(traces.chained(late)),
        "- {id: e, grader: file-access, options: {path: b.txt, expect: not-accessed}}",
        path=graded.SKILL,
    ).values()
    assert outcome(found) == "withheld"
    assert "what a sub-agent did isn't in the trace" in words(found)


def test_an_orphan_of_a_prompt_that_was_taken_back_withholds_nothing(tmp_path: Path) -> None:
    beside(tmp_path, SIDE)
    records = traces.chained([
        ROOT,
        traces.said("Wrong."),
        replied(traces.call("Agent", "a", subagent_type="porter", prompt="Help."), key="m0"),
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
