"""`mergebar run` as a person starts it: exit codes, selection, what is printed and written."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from mergebar.commands import interrupts
from support import commands, gates
from support.commands import Ended
from support.gates import failing, item, judged, passing


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    """The outcomes by case and evaluator."""
    return {f"{one['label']}: {one['name']}": one["outcome"] for one in report["checks"]}


def decided(ended: Ended) -> tuple[int, str, int]:
    """What the process returned, and what its report says."""
    decision = ended.report()["decision"]
    return ended.code, decision["outcome"], decision["exit_code"]


def test_a_change_that_clears_the_bar_passes_and_leaves_its_reports(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing(), failing("maybe", severity="warning"))

    ended = commands.run("run", cwd=here.path)

    report = ended.report()
    assert decided(ended) == (0, "passed", 0)
    assert ended.stdout.rstrip().endswith("✓ passed: 2 checks measured")
    assert "doesn't block: severity `warning` is below `error`" in ended.said
    assert ended.stderr == "reports: .mergebar/\n"
    assert outcomes(report) == {"say yes: ExactMatch": "pass", "say maybe: ExactMatch": "fail"}
    assert report["totals"]["pass_rate"] == 1.0
    assert report["run"]["commit"] == here.head()
    assert report["run"]["complete"] is True
    written = {path.name for path in (tmp_path / ".mergebar").iterdir()}
    assert written == {"report.json", "comment.md", "summary.md", "report.html", "documents"}
    first, second = commands.documents(tmp_path / ".mergebar")["evals/desk.json"]["items"]
    assert (first["status"], second["status"]) == ("pass", "fail")
    assert first["response"] == "yes"
    assert here.git("status", "--porcelain") == ""


def test_a_failing_check_blocks_with_its_place_and_reason(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing(), failing("Berlin"))

    ended = commands.inside("run", cwd=here.path)

    assert decided(ended) == (1, "failed", 1)
    check = ended.report()["checks"][1]
    place = ":".join(str(check["location"][key]) for key in ("path", "line", "column"))
    lines = (here.path / "evals/desk.json").read_text().splitlines()
    assert '"ExactMatch"' in lines[check["location"]["line"] - 1]
    assert f"blocks {place} ExactMatch 0" in ended.said
    assert "✗ failed: 1 check blocks" in ended.stdout
    assert check["location"]["path"] in (here.path / ".mergebar/comment.md").read_text()


def test_an_agent_that_breaks_is_not_a_bad_answer(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, item("exit now", "x"), passing())

    ended = commands.run("run", cwd=here.path)

    assert decided(ended) == (3, "could-not-evaluate", 3)
    broken, fine = ended.report()["checks"]
    assert (broken["outcome"], broken["error"]["class"]) == ("error", "unavailable")
    assert "exited with code 1; stderr: the agent says: it broke" in broken["error"]["message"]
    assert fine["outcome"] == "pass"
    first, _ = commands.documents(tmp_path / ".mergebar")["evals/desk.json"]["items"]
    assert (first["status"], first["error"]["code"]) == ("error", "agentRequestFailed")


def test_quality_beats_infrastructure(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, item("exit now", "x"), failing())

    assert decided(commands.run("run", cwd=here.path)) == (1, "failed", 1)


def test_an_invalid_suite_stops_itself_alone_and_is_reported(tmp_path: Path) -> None:
    broken = gates.document(item("say a", "a", evaluators={"ExactMach": {}}))
    here = gates.repository(tmp_path, passing(), **{"evals/broken.json": broken})

    ended = commands.inside("run", cwd=here.path)

    assert decided(ended) == (2, "invalid", 2)
    report = ended.report()
    assert outcomes(report) == {"say yes: ExactMatch": "pass"}
    assert [suite["path"] for suite in report["suites"] if suite["problems"]] == [
        "evals/broken.json"
    ]
    assert "did you mean `ExactMatch`?" in ended.said
    assert (tmp_path / ".mergebar/comment.md").is_file()


def test_an_invalid_suite_that_the_change_does_not_affect_is_a_warning(tmp_path: Path) -> None:
    broken = gates.document(item("say a", "a", evaluators={"ExactMach": {}}))
    here = gates.repository(tmp_path, passing(), **{"evals/broken.json": broken})

    ended = commands.inside("run", "--changed", "evals/desk.json", cwd=here.path)

    assert decided(ended) == (0, "passed", 0)
    assert "warning evals/broken.json:8:5" in ended.said


@pytest.mark.parametrize(
    ("items", "outcome", "code"),
    [
        ([failing()], "failed", 1),
        ([item("exit now", "x")], "could-not-evaluate", 3),
    ],
)
def test_advice_states_the_decision_and_blocks_nothing(
    tmp_path: Path, items: list[dict[str, object]], outcome: str, code: int
) -> None:
    here = gates.repository(tmp_path, *items, config=gates.CONFIG + "gate: {mode: advise}\n")

    ended = commands.inside("run", cwd=here.path)

    assert decided(ended) == (0, outcome, code)
    assert ended.report()["run"]["mode"] == "advise"
    assert "blocks nothing" in ended.said


def test_advice_does_not_excuse_an_invalid_suite(tmp_path: Path) -> None:
    broken = item("say a", "a", evaluators={"ExactMach": {}})
    here = gates.repository(tmp_path, broken, config=gates.CONFIG + "gate: {mode: advise}\n")

    assert decided(commands.inside("run", cwd=here.path)) == (2, "invalid", 2)


def test_only_what_a_change_affects_is_run(tmp_path: Path) -> None:
    other = gates.document(passing("other"))
    here = gates.repository(tmp_path, passing("desk"), **{"evals/other.json": other})

    nothing = commands.inside("run", "--changed", ".gitignore", cwd=here.path)
    assert decided(nothing) == (0, "passed", 0)
    assert "nothing affected" in nothing.stdout
    assert nothing.report()["checks"] == []
    assert gates.calls(tmp_path) == []

    one = commands.inside("run", "--changed", "evals/other.json", ".gitignore", cwd=here.path)
    assert outcomes(one.report()) == {"say other: ExactMatch": "pass"}
    assert gates.calls(tmp_path) == ["say other"]

    here.write("prompts/new.md", "be kind\n")
    source = commands.inside("run", "--changed", "prompts/new.md", cwd=here.path)
    assert len(source.report()["checks"]) == 2
    assert {suite["reason"] for suite in source.report()["suites"]} == {
        "affected: `prompts/new.md` is a source of agent `desk`"
    }


def test_a_base_is_compared_with_the_files_as_they_are(tmp_path: Path) -> None:
    other = gates.document(passing("other"))
    here = gates.repository(tmp_path, passing("desk"), **{"evals/other.json": other})
    first = here.head()
    here.branch("change")

    same = commands.inside("run", "--base", "main", cwd=here.path)
    assert (same.report()["checks"], same.report()["run"]["base_commit"]) == ([], first)

    here.write("evals/other.json", gates.document(passing("edited")))
    edited = commands.inside("run", "--base", "main", cwd=here.path)
    assert outcomes(edited.report()) == {"say edited: ExactMatch": "pass"}

    here.commit(message="edit")
    committed = commands.inside("run", "--base", "main", "--all", cwd=here.path)
    assert len(committed.report()["checks"]) == 2
    assert committed.report()["run"]["scope"] == "all"

    unknown = commands.inside("run", "--base", "nowhere", cwd=here.path)
    assert decided(unknown) == (2, "invalid", 2)
    assert "can't compare with the base `nowhere`" in unknown.said


def test_what_a_run_has_written_affects_no_later_one(tmp_path: Path) -> None:
    config = gates.CONFIG.replace("[agent.py, prompts/**]", '["**"]')
    here = gates.repository(tmp_path, passing(), config=config, **{".gitignore": ".calls\n"})
    here.branch("change")
    commands.inside("run", "--record", cwd=here.path)

    recorded = commands.inside("run", "--base", "main", cwd=here.path)
    reason = recorded.report()["suites"][0]["reason"]
    assert "`.mergebar/recordings/evals/desk.json.json` is a source" in reason

    here.git("add", ".mergebar/recordings")
    here.git("commit", "--quiet", "--message", "record")
    here.git("branch", "--force", "main")
    later = commands.inside("run", "--base", "main", cwd=here.path)
    assert later.report()["checks"] == []


TWO_AGENTS = gates.CONFIG.replace(
    "documents:",
    "  other: {type: replay}\ndocuments:\n  - paths: [stored/*.json]\n    agent: other",
)


def test_paths_agents_and_tags_choose_what_runs(tmp_path: Path) -> None:
    tagged = {**item("say tagged", "tagged"), "tags": ["smoke"]}
    here = gates.repository(
        tmp_path,
        passing("desk"),
        config=TWO_AGENTS,
        **{
            "evals/deep.json": gates.document(tagged, passing("bare"), schemaVersion="1.9.0"),
            "stored/a.json": gates.document(item("Hi", "Hello", response="Hello")),
        },
    )

    def ran(*arguments: str) -> set[str]:
        ended = commands.inside("run", *arguments, cwd=here.path)
        assert ended.code == 0
        return set(outcomes(ended.report()))

    assert ran("evals/desk.json") == {"say desk: ExactMatch"}
    assert ran("stored", "evals/desk.json") == {"say desk: ExactMatch", "Hi: ExactMatch"}
    assert ran("--agent", "other") == {"Hi: ExactMatch"}
    assert ran("--tag", "smoke") == {"say tagged: ExactMatch"}

    wrong = commands.inside("run", "--agent", "nobody", "--tag", "nothing", cwd=here.path)
    assert decided(wrong) == (2, "invalid", 2)
    assert "there is no agent `nobody`" in wrong.said
    assert "no case is tagged `nothing`" in wrong.said
    gone = commands.inside("run", "evals/gone.json", cwd=here.path)
    assert decided(gone) == (2, "invalid", 2)
    assert "evals/gone.json" in gone.said


def test_repeats_pass_by_majority_and_say_when_they_were_flaky(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, item("once right", "right"), passing(runs=1))

    ended = commands.inside("run", "--runs", "3", cwd=here.path)

    check, other = ended.report()["checks"]
    assert (check["outcome"], check["flaky"]) == ("fail", True)
    assert sorted(run["outcome"] for run in check["runs"]) == ["fail", "fail", "pass"]
    assert (other["outcome"], other["flaky"], len(other["runs"])) == ("pass", False, 3)
    assert "flaky" in ended.said
    assert ended.code == 1


RULES = """\
rules:
  - match: {path: "evals/*"}
    severity: warning
    weight: 2
  - match: {id: vital}
    must_pass: true
  - match: {id: forced}
    severity: notice
    enforce: true
"""


def test_rules_and_what_documents_say_weigh_each_check(tmp_path: Path) -> None:
    here = gates.repository(
        tmp_path,
        failing("ruled"),
        failing("said", severity="error", weight=5, id="said"),
        failing("vital", id="vital", severity="warning"),
        failing("forced", id="forced", severity="error"),
        config=gates.CONFIG + RULES,
    )

    ended = commands.inside("run", cwd=here.path)

    found = {
        check["label"]: (
            check["severity"],
            check["weight"],
            check["must_pass"],
            check["gating"],
        )
        for check in ended.report()["checks"]
    }
    assert found == {
        "say ruled": ("warning", 2, False, False),
        "said": ("error", 5, False, True),
        "vital": ("error", 2, True, True),
        "forced": ("notice", 2, False, False),
    }
    assert ended.code == 1
    assert "2 checks block" in ended.stdout


def test_a_rated_group_may_miss_some(tmp_path: Path) -> None:
    config = gates.CONFIG.replace("    agent: desk\n", "    agent: desk\n    min_pass_rate: 0.6\n")
    here = gates.repository(tmp_path, passing("a"), passing("b"), failing("c"), config=config)

    assert decided(commands.inside("run", cwd=here.path)) == (0, "passed", 0)

    here.write("evals/desk.json", gates.document(passing("a"), failing("b"), failing("c")))
    below = commands.inside("run", cwd=here.path)
    assert decided(below) == (1, "failed", 1)
    assert "below its floor" in below.said


def test_a_share_may_go_unmeasured_where_the_gate_says_so(tmp_path: Path) -> None:
    config = gates.CONFIG + "gate: {unmeasured: 0.5}\n"
    here = gates.repository(tmp_path, passing(), item("exit now", "x"), config=config)

    assert decided(commands.inside("run", cwd=here.path)) == (0, "passed", 0)


def test_each_format_prints_the_same_decision(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing("fine"), failing())

    as_json = commands.inside("run", "--format", "json", "--output", "out/deep", cwd=here.path)
    assert json.loads(as_json.stdout) == as_json.report("out/deep")
    assert as_json.stderr == ""

    markdown = commands.inside("run", "--format", "markdown", cwd=here.path)
    assert markdown.stdout.rstrip() == (here.path / ".mergebar/comment.md").read_text().rstrip()
    assert markdown.stderr == ""

    quiet = commands.run("run", "-q", cwd=here.path)
    assert (quiet.stdout, quiet.stderr) == ("failed: 1 check blocks\n", "")

    assert "say fine" not in commands.inside("run", cwd=here.path).stdout
    verbose = commands.inside("run", "-v", cwd=here.path)
    assert "say fine" in verbose.stdout
    assert {as_json.code, markdown.code, quiet.code, verbose.code} == {1}


@pytest.mark.parametrize("variable", ["JUDGE_KEY", "OTHER_KEY"])
def test_a_quiet_run_says_which_setting_is_wrong(tmp_path: Path, variable: str) -> None:
    config = gates.CONFIG + gates.judge("http://127.0.0.1:9/v1").replace("JUDGE_KEY", variable)
    here = gates.repository(tmp_path, judged("a"), judged("b"), config=config)

    ended = commands.inside("run", "-q", "--all", cwd=here.path)

    headline, setting = ended.stdout.splitlines()
    assert (ended.code, headline) == (2, "invalid: the configuration is invalid: 1 problem")
    assert setting.startswith("  mergebar.yml:")
    assert variable in setting


def test_a_quiet_run_says_which_setting_kept_checks_from_being_measured(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing("a"), passing("b"))

    ended = commands.inside("run", "-q", "--all", "--replay", cwd=here.path)

    headline, *settings = ended.stdout.splitlines()
    assert ended.code == 3
    assert headline == "could-not-evaluate: 2 of 2 checks not measured: config"
    assert 1 <= len(settings) <= 3
    assert all("recording" in one and "--record" in one for one in settings)


def test_a_dry_run_is_the_plan_and_writes_nothing(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing(), passing("b"))

    dry = commands.inside("run", "--dry-run", cwd=here.path)

    assert (dry.code, dry.stdout) == (0, commands.inside("plan", cwd=here.path).stdout)
    assert not (here.path / ".mergebar").exists()
    assert gates.calls(here.path) == []


def test_an_output_folder_that_git_tracks_is_refused_before_anything_runs(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing(), **{"out/report.json": "{}"})

    ended = commands.inside("run", "--output", "out", cwd=here.path)

    assert ended.code == 2
    assert ended.stderr.startswith("mergebar: git tracks the output folder `out`")
    assert gates.calls(here.path) == []
    assert (here.path / "out/report.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--frobnicate"], "unknown option `--frobnicate`; see `mergebar run --help`"),
        (["--bsae=main", "x"], "unknown option `--bsae`; did you mean `--base`?"),
        (["--runs", "0"], "`0` is no number of runs"),
        (["--record", "--replay"], "choose one"),
        (["--all", "--affected"], "not allowed with"),
        (["--format", "xml"], "invalid choice: 'xml'"),
    ],
)
def test_a_wrong_command_line_exits_2_and_says_why(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    ended = commands.inside("run", *arguments, cwd=tmp_path)

    assert ended.code == 2
    assert said in ended.said
    assert list(tmp_path.iterdir()) == []


def wait_for(path: Path, process: "subprocess.Popen[bytes]") -> None:
    """Until the process has made the file."""
    deadline = time.monotonic() + 30
    while not path.exists() or not path.read_text():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(process: int) -> bool:
    """Whether it is there, and not only waiting to be buried."""
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False
    )
    return found.stdout.strip() not in {b"", b"Z", b"Z+", b"Zs"}


@pytest.mark.parametrize("number", interrupts.NUMBERS)
def test_an_interrupt_keeps_what_was_measured_and_leaves_nothing_running(
    tmp_path: Path, number: signal.Signals
) -> None:
    config = gates.CONFIG.replace("    timeout: 20s\n", "    timeout: 60s\n    concurrency: 1\n")
    here = gates.repository(tmp_path, passing(), item("hang on", "x"), passing("c"), config=config)

    process = commands.start("run", "--record", cwd=here.path)
    wait_for(here.path / ".hanging", process)
    process.send_signal(number)
    ended = commands.end(process, cwd=here.path)

    report = ended.report()
    assert decided(ended) == (130, "could-not-evaluate", 3)
    assert report["run"]["complete"] is False
    assert [check["outcome"] for check in report["checks"]] == ["pass", "error", "error"]
    assert "2 of 3 checks not measured: interrupted" in ended.stdout
    partial = "the run was interrupted with 1 of 3 checks measured"
    assert partial in ended.said
    assert partial in (here.path / ".mergebar/comment.md").read_text()
    items = commands.documents(here.path / ".mergebar")["evals/desk.json"]["items"]
    assert items[0]["status"] == "pass"
    assert "response" not in items[2]
    recording = json.loads((here.path / ".mergebar/recordings/evals/desk.json.json").read_text())
    assert [one["answer"]["response"] for one in recording["answers"]] == ["yes"]
    assert not is_running(int((here.path / ".hanging").read_text()))


def test_an_interrupted_run_that_fails_already_says_so(tmp_path: Path) -> None:
    config = gates.CONFIG.replace("    timeout: 20s\n", "    timeout: 60s\n    concurrency: 1\n")
    here = gates.repository(tmp_path, failing(), item("hang on", "x"), config=config)

    process = commands.start("run", cwd=here.path)
    wait_for(here.path / ".hanging", process)
    process.send_signal(signal.SIGINT)
    ended = commands.end(process, cwd=here.path)

    assert decided(ended) == (130, "failed", 1)
    assert ended.report()["run"]["complete"] is False
    assert "the run was interrupted with 1 of 2 checks measured" in ended.said
