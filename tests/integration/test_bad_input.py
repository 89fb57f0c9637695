"""Input that is wrong, through `run` and `check`: one message with place and remedy, and no crash."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import commands, gates
from support.gates import item, passing
from support.repositories import Repository

GOOD = gates.document(passing("fine"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """A document that is refused: where, by which rule, and a part of what is said."""

    data: bytes
    rule: str
    line: int | None
    column: int | None
    said: str


def text(value: str) -> bytes:
    return value.encode()


ITEMS = '{\n "schemaVersion": "1.7.0",\n "items": [\n  %s\n ]\n}\n'

REFUSED = {
    "syntax": Bad(
        data=text(ITEMS % '{"prompt": "a",}'),
        rule="document/json-syntax",
        line=4,
        column=17,
        said="a comma before `}`: remove it",
    ),
    "cut": Bad(
        data=text('{\n "schemaVersion": "1.7.0",\n "items": ['),
        rule="document/json-syntax",
        line=3,
        column=11,
        said="the file ends before the list that begins on line 3 is closed",
    ),
    "nan": Bad(
        data=text(ITEMS % '{"prompt": "a", "evaluators": {"Relevance": {"threshold": NaN}}}'),
        rule="document/non-finite-number",
        line=4,
        column=61,
        said="`NaN` is not a JSON number: write a finite one",
    ),
    "twice": Bad(
        data=text(ITEMS % '{"prompt": "a",\n   "prompt": "b"}'),
        rule="document/duplicate-key",
        line=5,
        column=4,
        said="`prompt` is given twice in one object, on line 4 and again on line 5: keep one",
    ),
    "utf16": Bad(
        data=GOOD.encode("utf-16"),
        rule="document/encoding",
        line=1,
        column=1,
        said="the file is UTF-16 (little endian): save it as UTF-8",
    ),
    "latin": Bad(
        data=text(ITEMS % '{"prompt": "caf@"}').replace(b"@", b"\xe9"),
        rule="document/encoding",
        line=4,
        column=18,
        said="the byte 0xE9 is not UTF-8 here",
    ),
    "empty": Bad(data=b"", rule="document/empty", line=1, column=1, said="the file is empty"),
    "blank": Bad(data=b"\n \n", rule="document/empty", line=1, column=1, said="empty"),
    "deep": Bad(
        data=text('{"schemaVersion": "1.7.0", "items": ' + "[" * 5000 + "]" * 5000 + "}"),
        rule="document/too-deep",
        line=1,
        column=None,
        said="more than 200 deep",
    ),
    "itemless": Bad(
        data=text('{\n "schemaVersion": "1.7.0"\n}\n'),
        rule="schema/required",
        line=1,
        column=1,
        said="`items` is missing",
    ),
    "no-items": Bad(
        data=text(ITEMS % ""), rule="schema/length", line=3, column=11, said="must not be empty"
    ),
    "evaluator": Bad(
        data=text(ITEMS % '{"prompt": "a", "evaluators": {"Relevence": {}}}'),
        rule="document/unknown-evaluator",
        line=4,
        column=34,
        said="did you mean `Relevance`?",
    ),
    "needs": Bad(
        data=text(ITEMS % '{"prompt": "a", "evaluators": {"ExactMatch": {}}}'),
        rule="document/missing-input",
        line=4,
        column=34,
        said="`ExactMatch` compares with `expected_response`, and there is none: add it",
    ),
    "number": Bad(
        data=b"42\n",
        rule="document/not-an-eval-document",
        line=1,
        column=1,
        said="not an eval document: it has to be an object",
    ),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> tuple[commands.Ended, commands.Ended]:
    """`check` and `run` over all of them at once, beside a document that is fine."""
    root = tmp_path_factory.mktemp("refused")
    here = gates.repository(root, passing("fine"))
    for name, bad in REFUSED.items():
        (here.path / f"evals/{name}.json").write_bytes(bad.data)
    checked = commands.inside("check", "--format", "json", cwd=here.path)
    return checked, commands.inside("run", cwd=here.path)


@pytest.mark.parametrize("name", REFUSED)
def test_a_document_that_is_refused_gets_its_place_and_a_sentence(
    name: str, refused: tuple[commands.Ended, commands.Ended]
) -> None:
    bad = REFUSED[name]
    checked, ran = refused

    for suites in (json.loads(checked.stdout)["suites"], ran.report()["suites"]):
        (suite,) = [one for one in suites if one["path"] == f"evals/{name}.json"]
        errors = [one for one in suite["problems"] if one["level"] == "error"]
        (error,) = errors
        assert error["rule"] == bad.rule
        assert (error["path"], error["line"]) == (f"evals/{name}.json", bad.line)
        assert bad.column is None or error["column"] == bad.column
        assert bad.said in error["message"]


def test_what_is_refused_stops_itself_alone(
    refused: tuple[commands.Ended, commands.Ended],
) -> None:
    checked, ran = refused
    report = ran.report()

    assert (checked.code, ran.code) == (2, 2)
    assert report["decision"]["outcome"] == "invalid"
    assert [check["outcome"] for check in report["checks"]] == ["pass"]
    assert list(commands.documents(ran.folder / ".mergebar")) == ["evals/desk.json"]
    for name, bad in REFUSED.items():
        place = f"evals/{name}.json:{bad.line}"
        assert place in ran.said


LEGACY = {
    "array": '[{"prompt": "say a", "expected_response": "a"}]',
    "parallel": '{"prompts": ["say a"], "expected_responses": ["a"]}',
    "versionless": '{"items": [{"prompt": "say a", "expected_response": "a"}]}',
}


def test_what_is_only_odd_is_said_and_run(tmp_path: Path) -> None:
    """A BOM, CRLF, and legacy shapes, named as such."""
    config = gates.CONFIG + "rules: []\n"
    here = gates.repository(tmp_path, config=config)
    (here.path / "evals").mkdir()
    (here.path / "evals/bom.json").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    (here.path / "evals/crlf.json").write_bytes(GOOD.replace("\n", "\r\n").encode())
    for name, legacy in LEGACY.items():
        (here.path / f"evals/{name}.json").write_text(legacy)

    ended = commands.inside("run", "--no-judge", cwd=here.path)

    problems = {
        Path(suite["path"]).stem: [(one["level"], one["rule"]) for one in suite["problems"]]
        for suite in ended.report()["suites"]
    }
    assert problems["bom"] == [("notice", "document/byte-order-mark")]
    assert problems["crlf"] == []
    for name in LEGACY:
        assert [level for level, _ in problems[name]] == ["warning"], problems[name]
    assert "legacy" in ended.said
    assert ended.code == 0
    assert {one["outcome"] for one in ended.report()["checks"] if one["name"] == "ExactMatch"} == {
        "pass"
    }


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)


def _nothing(_path: Path) -> None:
    """Leave it away."""


PATHS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (_nothing, "`missing.json` does not exist"),
    "folder": (lambda path: path.mkdir(), "no eval documents found"),
    "loop": (lambda path: path.symlink_to(path.name), "can't be read"),
    "broken-link": (lambda path: path.symlink_to("nowhere.json"), "is a symbolic link to nothing"),
    "huge": (_huge, "32 MiB"),
    "pipe": (os.mkfifo, "not a regular file"),
    "outside": (lambda path: path.symlink_to("/etc/hostname"), "leads out of the repository"),
}


@pytest.mark.parametrize("command", ["run", "check"])
def test_paths_that_are_no_documents_are_named_with_the_reason(
    tmp_path: Path, command: str
) -> None:
    here = gates.repository(tmp_path, passing())
    names = []
    for name, (make, _) in PATHS.items():
        make(here.path / f"{name}.json")
        names.append(f"{name}.json")

    ended = commands.inside(command, *names, cwd=here.path)

    assert ended.code == 2
    for name, (_, said) in PATHS.items():
        assert f"{name}.json" in ended.said
        assert said.lower() in ended.said.lower(), (name, ended.said)


AGENTS: dict[str, tuple[str, str, str]] = {
    "exit 1": (
        "unavailable",
        "exited with code 1; stderr: the agent says: it broke",
        "agentRequestFailed",
    ),
    "hang on": ("timeout", "gave no answer within 4 s (`timeout`)", "agentTimeout"),
    "garbage out": (
        "bad-response",
        "stdout must hold one line with one JSON object",
        "agentResponseUnparseable",
    ),
    "nothing at all": ("bad-response", "printed nothing", "agentResponseUnparseable"),
    "flood it": (
        "bad-response",
        "printed more than 1 MB (`output_limit`)",
        "agentResponseUnparseable",
    ),
    "declare too many": ("throttled", "reports: too many", "agentRateLimited"),
    "unknown verb": ("unavailable", "exited with code 1", "agentRequestFailed"),
}


def test_an_agent_that_misbehaves_gets_a_class_and_a_message_and_spoils_nothing_else(
    tmp_path: Path,
) -> None:
    config = gates.CONFIG.replace("timeout: 20s", "timeout: 4s")
    thread = {
        "name": "talk",
        "turns": [item("count a", "a after 0"), item("exit now", "x"), item("count c", "c")],
    }
    prompts = [item(prompt, "x") for prompt in AGENTS]
    written = gates.document(*prompts, passing(), thread, schemaVersion="1.9.0")
    here = gates.repository(tmp_path, config=config, **{"evals/desk.json": written})

    ended = commands.inside("run", cwd=here.path)

    assert ended.code == 3
    report = ended.report()
    found = {check["label"]: check for check in report["checks"]}
    for prompt, (kind, said, _) in AGENTS.items():
        check = found[prompt]
        assert (check["outcome"], check["score"]) == ("error", None)
        assert check["error"]["class"] == kind, prompt
        assert said in check["error"]["message"]
    assert found["say yes"]["outcome"] == "pass"
    talk = [check for check in report["checks"] if check["case"] == "talk"]
    assert [check["outcome"] for check in talk] == ["pass", "error", "error"]
    assert "turn 3 was not put: turn 2 failed" in talk[2]["error"]["message"]
    items = commands.documents(tmp_path / ".mergebar")["evals/desk.json"]["items"]
    for (_, _, code), filled in zip(AGENTS.values(), items, strict=False):
        assert filled["status"] == "error"
        assert filled["error"]["code"] == code
    assert [turn["status"] for turn in items[-1]["turns"]] == ["pass", "error", "error"]
    assert "count c" not in gates.calls(tmp_path)


def _without_program(config: str) -> str:
    return config.replace(json.dumps(sys.executable), "no-such-program")


@pytest.mark.parametrize(
    ("change", "code", "place", "said"),
    [
        (
            lambda config: config.replace("evals/*.json", "evals/*.jsn"),
            2,
            "mergebar.yml:9:13",
            "`evals/*.jsn` matches no file",
        ),
        (
            lambda config: config.replace("timeout:", "timout:"),
            2,
            "mergebar.yml:7:5",
            "did you mean `timeout`?",
        ),
        (
            lambda config: config.replace("agent: desk", "agent: dsk"),
            2,
            "mergebar.yml:10:12",
            "`desk`",
        ),
        (lambda config: config + "gate: [", 2, "mergebar.yml:11", ""),
        (
            lambda config: config + "custom_evaluators: mine\n",
            2,
            "mergebar.yml:11:1",
            "not available",
        ),
        (lambda _: "# later\n", 2, "mergebar.yml:1:1", "`version` is missing"),
        (_without_program, 3, "evals/desk.json", "there is no `no-such-program` on the PATH"),
    ],
)
def test_a_config_that_is_wrong_is_said_with_its_place_and_nothing_runs(
    tmp_path: Path, change: Callable[[str], str], code: int, place: str, said: str
) -> None:
    here = gates.repository(tmp_path, passing(), config=change(gates.CONFIG))

    ended = commands.inside("run", cwd=here.path)

    assert ended.code == code
    assert place in ended.said
    assert said in ended.said
    assert gates.calls(tmp_path) == []
    assert ended.report()["decision"]["exit_code"] == code


def test_all_problems_of_a_config_are_said_at_once(tmp_path: Path) -> None:
    config = gates.CONFIG.replace("timeout: 20s", "timeout: soon") + "gates: {}\nrules: 3\n"
    here = gates.repository(tmp_path, passing(), config=config)

    for ended in (commands.inside("run", cwd=here.path), commands.inside("check", cwd=here.path)):
        assert ended.code == 2
        for said in ("soon", "`gates`", "did you mean `gate`?", "rules"):
            assert said in ended.said


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_nothing, "does not exist"),
        (lambda path: path.mkdir(), "is a directory, and a file is wanted"),
        (lambda path: path.write_bytes(b"\xff\xfe\x00"), "UTF-16"),
        (lambda path: path.write_bytes(b"# x\n" * 400_000), "1 MiB"),
    ],
)
def test_a_named_config_that_is_none_is_said(
    tmp_path: Path, make: Callable[[Path], Any], said: str
) -> None:
    here: Repository = gates.repository(tmp_path, passing())
    make(here.path / "other.yml")

    ended = commands.inside("run", "--config", "other.yml", cwd=here.path)

    assert ended.code == 2
    assert "other.yml" in ended.said
    assert said in ended.said


def test_nothing_to_find_is_invalid_to_run_and_a_notice_to_check(tmp_path: Path) -> None:
    ran = commands.inside("run", cwd=tmp_path)
    assert ran.code == 2
    assert "no eval document was found" in ran.said
    assert ran.report()["decision"]["outcome"] == "invalid"

    checked = commands.inside("check", cwd=tmp_path)
    assert checked.code == 0
    assert "no eval documents found" in checked.said


def test_without_a_config_stored_answers_are_scored_and_the_others_need_an_agent(
    tmp_path: Path,
) -> None:
    (tmp_path / "evals").mkdir()
    stored = gates.document(item("Hi", "Hello", response="Hello"))
    (tmp_path / "evals/stored.json").write_text(stored)
    scored = commands.inside("run", cwd=tmp_path)
    assert (scored.code, scored.report()["checks"][0]["outcome"]) == (0, "pass")

    (tmp_path / "evals/bare.json").write_text(gates.document(item("Hi", "Hello")))
    ended = commands.inside("run", cwd=tmp_path)
    assert ended.code == 2
    assert "no agent is configured for this document" in ended.said
    assert [check["outcome"] for check in ended.report()["checks"]] == ["pass"]
