"""Broken traces and hostile evals in one gate: a message for each, and the rest is measured."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support import commands, held, traces
from support.held import READS, SKILL

GOOD = held.recorded(held.session())
LINES = GOOD.splitlines(keepends=True)
BROKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "blank": (b"\n\n \n", "the file is empty"),
    "binary": (bytes(range(256)) * 9, "binary"),
    "utf-16": (GOOD.encode("utf-16"), "UTF-16"),
    "zip": (b"PK\x03\x04" + bytes(40), "ZIP"),
    "prose": (b"Dear agent,\nplease mend the leak.\n", ""),
    "other": (b'{"type": "session_meta", "payload": {"id": "x"}}\n' * 3, "Codex"),
    "nobody": (b'{"sessionId": "1", "parentUuid": null, "type": "summary"}\n', ""),
}
STRANGE: dict[str, bytes] = {
    "cut": GOOD.encode()[:-40],
    "half": "".join(line + "{'not': json}\n" for line in LINES).encode(),
    "crlf": GOOD.replace("\n", "\r\n").encode(),
    "bom": b"\xef\xbb\xbf" + GOOD.encode(),
    "long": GOOD.encode() + json.dumps({"type": "x", "pad": "y" * (24 << 20)}).encode() + b"\n",
}


def test_each_broken_trace_has_its_message_and_the_rest_is_graded(tmp_path: Path) -> None:
    here = held.repository(tmp_path, {SKILL: held.skill(READS), "traces/good.jsonl": GOOD})
    for name, (data, _) in BROKEN.items():
        (here.path / f"traces/{name}.jsonl").write_bytes(data)
    for name, data in STRANGE.items():
        (here.path / f"traces/{name}.jsonl").write_bytes(data)
    (here.path / "traces/loop").symlink_to(".")
    os.mkfifo(here.path / "traces/pipe.jsonl")

    ended = commands.inside("run", "--all", cwd=here.path)

    found = {one["case"]: one for one in ended.report()["checks"]}
    assert ended.code == 3
    assert {name for name, one in found.items() if one["outcome"] == "error"} == {
        f"{name}.jsonl" for name in BROKEN
    }
    for name, (_, said) in BROKEN.items():
        message = found[f"{name}.jsonl"]["error"]["message"]
        assert message.startswith(f"`traces/{name}.jsonl")
        assert said in message
        assert found[f"{name}.jsonl"]["error"]["class"] == "bad-response"
        place = found[f"{name}.jsonl"]["location"]
        assert place["path"] == (f"traces/{name}.jsonl" if f"{name}.jsonl:" in message else SKILL)
        assert message in {one["message"] for one in ended.report()["warnings"]}
    measured = {name for name, one in found.items() if one["outcome"] == "pass"}
    assert measured == {"good.jsonl", *(f"{name}.jsonl" for name in STRANGE)}
    assert found["binary.jsonl"]["location"] == {
        "path": "traces/binary.jsonl",
        "line": 1,
        "column": None,
    }
    assert "reply" not in ended.said
    assert "answer" not in ended.said
    warned = " ".join(one["message"] for one in ended.report()["warnings"])
    assert "traces/cut.jsonl" in warned
    assert "traces/half.jsonl" in warned


def test_hostile_evals_end_in_time_and_harm_no_other(tmp_path: Path) -> None:
    python = json.dumps(sys.executable)
    flood = "import os\nwhile 1: os.write(1, b'x' * 65536)"
    fork = "import os, time; os.fork() or time.sleep(99)"
    evals = [
        READS,
        "- {id: regex, grader: regex, options: {pattern: '(a+)+b'}}",
        "- {id: hangs, grader: command, timeout-ms: 500, command: [sleep, '60']}",
        f"- {{id: floods, grader: command, command: [{python}, -c, {json.dumps(flood)}]}}",
        f"- {{id: forks, grader: command, command: [{python}, -c, {json.dumps(fork)}]}}",
        "- {id: killed, grader: command, command: [sh, -c, 'exit 137']}",
        "- {id: absent, grader: command, command: [no-such-program]}",
    ]
    endless = traces.chained([
        traces.said("Mend."),
        traces.replied(traces.call("Skill", "t1", skill="mend")),
        traces.said([traces.result("t1")]),
        traces.replied(traces.call("Read", "t2", file_path=f"{traces.CWD}/pipes.txt")),
        traces.replied(traces.text("a" * 5000)),
    ])  # fmt: skip
    here = held.repository(
        tmp_path, {SKILL: held.skill(*evals), "traces/a.jsonl": held.recorded(endless)}
    )

    ended = commands.inside("run", "--all", cwd=here.path)

    found = {one["name"]: one for one in ended.report()["checks"]}
    errors = {name: one["error"]["class"] for name, one in found.items() if one["error"]}
    assert found["reads"]["outcome"] == "pass"
    assert errors == {
        "regex": "timeout",
        "hangs": "timeout",
        "floods": "evaluator",
        "absent": "config",
    }
    assert found["forks"]["outcome"] == "pass"
    assert found["killed"]["outcome"] == "fail"
    assert "out of memory" in found["killed"]["reason"]
    assert "(`timeout-ms`)" in found["hangs"]["error"]["message"]
    assert "raise `timeout`" not in ended.said


def test_a_failing_command_says_on_the_terminal_how_it_ended_and_what_it_printed_last(
    tmp_path: Path,
) -> None:
    noisy = "for n in $(seq 9999); do echo line $n; done; printf 'no \\033[31m<b>notes</b>'; exit 3"
    evals = f"- {{id: notes, grader: command, command: [sh, -c, {json.dumps(noisy)}]}}"
    here = held.repository(tmp_path, {SKILL: held.skill(evals), "traces/a.jsonl": GOOD})

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 1
    assert "`sh` exited with code 3; it printed: …" in ended.said
    assert "<b>notes</b>" in ended.said
    assert "\x1b" not in ended.stdout
    assert "line 1 " not in ended.said


def test_two_artifacts_of_one_name_are_told_apart(tmp_path: Path) -> None:
    plugin = "plugins/tools/skills/mend/SKILL.md"
    config = held.CONFIG.replace("[.claude/skills/**/SKILL.md]", "['**/SKILL.md']")
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill(READS),
            plugin: held.skill(READS),
            "traces/plugin.jsonl": held.recorded(held.session("tools:mend")),
        },
        config=config,
    )

    report = commands.inside("run", "--all", cwd=here.path).report()

    assert {one["suite"]: one["skip"] or one["outcome"] for one in report["checks"]} == {
        SKILL: "withheld",
        plugin: "pass",
    }


def test_an_artifact_that_is_no_text_is_invalid_and_the_others_are_measured(
    tmp_path: Path,
) -> None:
    here = held.repository(tmp_path, {SKILL: held.skill(READS), "traces/a.jsonl": GOOD})
    (here.path / held.OTHER).parent.mkdir(parents=True)
    (here.path / held.OTHER).write_bytes(b"---\nmetadata: {evals: [\xff\xfe]}\n---\n")

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 2
    assert held.checks(ended.report()) == {"a.jsonl::reads": "pass"}
    assert held.OTHER in ended.said


def test_a_large_session_takes_little_memory(tmp_path: Path) -> None:
    here = held.repository(tmp_path, {SKILL: held.skill(READS), "traces/a.jsonl": GOOD})
    words = "w" * 2000
    more = [traces.replied(traces.text(words)) for _ in range(40_000)]
    with (here.path / "traces/a.jsonl").open("ab") as file:
        file.write(traces.lines(traces.chained(more, start=100)))
    assert (here.path / "traces/a.jsonl").stat().st_size > 80 << 20

    # A process inherits the peak of the one that forks it, and this one's may be anything.
    script = (
        "import os, subprocess, sys; process = subprocess.Popen(sys.argv[1:]);"
        "_, status, used = os.wait4(process.pid, 0); print(status, used.ru_maxrss)"
    )
    done = subprocess.run(
        [
            *(sys.executable, "-I", "-c", script),
            *(sys.executable, "-I", "-m", "mergebar", "run", "--all", "--quiet"),
        ],
        cwd=here.path,
        env=commands.environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    status, peak = map(int, done.stdout.split()[-2:])
    assert status == 0
    assert peak < 200 << 10
