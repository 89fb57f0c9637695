"""`mergebar check` on real folders: what it says, in each format, and how it exits."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from mergebar.commands import check
from mergebar.model.problems import Level, Problem
from mergebar.report import problems
from mergebar.report.problems import CheckedSuite

GOOD = {"schemaVersion": "1.7.0", "items": [{"prompt": "Hello"}]}
Output: TypeAlias = dict[str, list[dict[str, Any]]]
"""What `--format json` prints."""

CONFIG = """\
version: 1
agents:
  desk: {type: replay}
judge: {type: replay, recordings: recordings}
documents:
  - paths: [evals/*.json]
    agent: desk
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository's folder, which is the working directory."""
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, bytes):
        path.write_bytes(value)
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))
    return path


def with_evaluators(**evaluators: Mapping[str, object]) -> dict[str, object]:
    return {**GOOD, "items": [{"prompt": "Hello", "evaluators": evaluators}]}


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Output]:
    code = check.main([*arguments, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def rules(output: Output) -> dict[str, list[str]]:
    """The rules by suite; those of no suite under an empty name."""
    found = {
        suite["path"]: [each["rule"] for each in suite["problems"]] for suite in output["suites"]
    }
    return {**found, "": [each["rule"] for each in output["problems"]]}


def test_a_valid_document_passes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(repository / "evals/desk.json", GOOD)

    assert check.main([]) == 0
    assert capsys.readouterr().out == "1 suite checked: no problems\n"


def test_each_problem_is_a_line_that_editors_understand(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "evals/desk.json", with_evaluators(Relevanse={}))

    assert check.main([]) == 2
    assert capsys.readouterr().out == (
        'evals/desk.json:7:9: error: item 1 ("Hello"): unknown evaluator `Relevanse`: '
        "did you mean `Relevance`? [document/unknown-evaluator]\n"
        "\n1 suite checked: 1 error\n"
    )


def test_json_has_the_shape_of_the_contract(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "evals/a.json", GOOD)
    write(repository / "evals/b.json", with_evaluators(Relevanse={}))

    code, output = told(capsys)

    assert code == 2
    assert output == {
        "suites": [
            {"path": "evals/a.json", "kind": "document", "problems": []},
            {
                "path": "evals/b.json",
                "kind": "document",
                "problems": [
                    {
                        "level": "error",
                        "rule": "document/unknown-evaluator",
                        "message": 'item 1 ("Hello"): unknown evaluator `Relevanse`: '
                        "did you mean `Relevance`?",
                        "path": "evals/b.json",
                        "line": 7,
                        "column": 9,
                    }
                ],
            },
        ],
        "problems": [],
    }


def test_github_gets_workflow_commands_with_errors_first(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "evals/a,b.json", {**with_evaluators(Nope={}), "default_evaluators": {}})

    assert check.main(["--format", "github"]) == 2
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith(
        "::error file=evals/a%2Cb.json,line=7,col=9,title=document/unknown-evaluator::item 1"
    )
    assert second.startswith("::warning file=evals/a%2Cb.json,line=")
    assert last == "1 suite checked: 1 error, 1 warning"


def test_a_prompt_cannot_issue_a_workflow_command(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    item = {"prompt": "x\n::add-mask::true\n##[error]x\x1b[2J", "evaluators": {"Nope": {}}}
    write(repository / "evals/desk.json", {**GOOD, "items": [item]})

    for form in ("text", "github", "json"):
        check.main(["--format", form])
        lines = capsys.readouterr().out.splitlines()
        assert not [line for line in lines if line.lstrip().startswith("::add-mask")]
        # The runner takes a line that is one command for no other: `##[` is text in it.
        assert not [line for line in lines if "##[" in line and not line.startswith("::error ")]
        assert "\x1b" not in "".join(lines)


def test_warnings_pass_and_strict_makes_them_errors(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "evals/desk.json", {**GOOD, "default_evaluators": {}})

    assert told(capsys)[0] == 0
    code, output = told(capsys, "--strict")
    assert code == 2
    assert '"level": "error"' in json.dumps(output)


def test_a_folder_means_every_document_below_it(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "suites/a.json", GOOD)
    write(repository / "suites/deep/er/b.json", GOOD)
    write(repository / "suites/package.json", {"name": "x"})
    write(repository / "elsewhere/c.json", GOOD)

    code, output = told(capsys, "suites")

    assert code == 0
    assert rules(output) == {"suites/a.json": [], "suites/deep/er/b.json": [], "": []}


def test_a_named_file_is_taken_at_its_word(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "package.json", {"name": "x"})
    write(repository / "evals.backup", GOOD)

    code, output = told(capsys, "package.json", "evals.backup")

    assert code == 2
    assert rules(output) == {
        "evals.backup": [],
        "package.json": ["document/not-an-eval-document"],
        "": [],
    }


def test_a_file_named_twice_is_checked_once(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(repository / "evals/a.json", GOOD)

    _, output = told(capsys, "evals/a.json", "./evals/../evals/a.json", str(file), "evals")

    assert rules(output) == {"evals/a.json": [], "": []}


def test_without_a_config_the_usual_places_are_looked_at(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in ("evals/a.json", ".evals/b.json", "prompts.json", "evals.json", "tests.json"):
        write(repository / path, GOOD)
    write(repository / "evals/data.json", {"rows": []})
    write(repository / "evals/deep/c.json", GOOD)
    write(repository / "sub/evals/d.json", GOOD)

    _, output = told(capsys)

    assert rules(output) == {
        ".evals/b.json": [],
        "evals.json": [],
        "evals/a.json": [],
        "prompts.json": [],
        "tests.json": [],
        "": [],
    }


def test_nothing_found_and_no_config_is_a_notice(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, output = told(capsys)

    assert code == 0
    assert output["suites"] == []
    assert '"level": "notice"' in json.dumps(output)


def test_an_empty_folder_is_a_notice(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "suites").mkdir()

    code, output = told(capsys, "suites")

    assert (code, rules(output)) == (0, {"": ["document/none-found"]})


def test_paths_are_those_of_the_repository_from_a_folder_in_it(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository / "desk/evals/a.json", {"items": []})
    write(repository / "other.json", GOOD)
    monkeypatch.chdir(repository / "desk")

    _, output = told(capsys, "evals/a.json", "../other.json")

    assert list(rules(output)) == ["desk/evals/a.json", "other.json", ""]
    assert '"path": "desk/evals/a.json", "line"' in json.dumps(output)


def test_a_file_outside_the_repository_is_checked_too(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = write(repository.parent / "outside.json", {"items": []})

    code, output = told(capsys, str(outside), "../absent.json")

    assert code == 2
    assert list(rules(output)) == ["../absent.json", str(outside), ""]


@pytest.mark.parametrize(
    ("content", "rule", "word"),
    [
        (b"", "document/empty", "empty"),
        (b"{", "document/json-syntax", "`}` is missing"),
        (b'{"a": NaN}', "document/non-finite-number", "NaN"),
        (b'{"a": 1, "a": 2}', "document/duplicate-key", "twice"),
        (b"\xff\xfe{\x00}\x00", "document/encoding", "UTF-16"),
        (b'{"a": "\xe9"}', "document/encoding", "UTF-8"),
        (b"[" * 100_000, "document/too-deep", "nested"),
    ],
)
def test_bad_input_gets_one_message_with_a_place(
    repository: Path, capsys: pytest.CaptureFixture[str], content: bytes, rule: str, word: str
) -> None:
    write(repository / "evals/bad.json", content)

    code, output = told(capsys, "evals/bad.json")

    assert code == 2
    assert rules(output)["evals/bad.json"][0] == rule
    (suite,) = output["suites"]
    assert word in suite["problems"][0]["message"]
    assert suite["problems"][0]["line"] == 1


def test_a_missing_file_is_an_error_with_the_nearest_name(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "evals/desk.json", GOOD)

    code, output = told(capsys, "evals/dekk.json")

    assert code == 2
    assert rules(output)["evals/dekk.json"] == ["document/unreadable"]
    assert "evals/desk.json" in json.dumps(output)


def test_a_huge_file_is_refused_without_being_read(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(repository / "evals/huge.json", b"")
    os.truncate(file, 100 * 1024 * 1024)

    code, output = told(capsys, "evals/huge.json")

    assert (code, rules(output)["evals/huge.json"]) == (2, ["document/too-large"])


def test_the_config_says_which_documents_there_are(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "mergebar.yml", CONFIG)
    write(repository / "evals/a.json", GOOD)
    write(repository / "evals/data.json", {"rows": []})
    write(repository / "prompts.json", GOOD)

    code, output = told(capsys)

    assert code == 2
    assert rules(output) == {
        "evals/a.json": [],
        "evals/data.json": ["document/not-an-eval-document"],
        "": ["document/not-configured"],
    }


def test_a_glob_that_matches_nothing_is_an_error(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "mergebar.yml", CONFIG.replace("evals/*.json", "evals/*.json, evlas/*"))
    write(repository / "evals/a.json", GOOD)

    code, output = told(capsys)

    assert (code, rules(output)[""]) == (2, ["config/no-match"])
    (problem,) = output["problems"]
    assert (problem["path"], problem["line"]) == ("mergebar.yml", 6)
    assert "`evlas/*`" in problem["message"]


def test_a_file_in_two_groups_is_an_error(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "mergebar.yml", CONFIG + "  - paths: [evals/a.json]\n    agent: desk\n")
    write(repository / "evals/a.json", GOOD)

    code, output = told(capsys)

    assert code == 2
    assert rules(output) == {"evals/a.json": [], "": ["config/two-groups"]}


def test_a_broken_config_is_told_beside_the_documents(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "mergebar.yml", CONFIG.replace("agents:", "agnets:"))
    write(repository / "evals/a.json", {"items": []})

    code, output = told(capsys, "evals/a.json")

    assert code == 2
    assert any("agnets" in problem["message"] for problem in output["problems"])
    assert rules(output)["evals/a.json"]


def test_another_config_can_be_named(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(repository / "mergebar.yml", "version: 99\n")
    write(repository / "ci/gate.yml", CONFIG.replace("evals/*.json", "suites/*.json"))
    write(repository / "suites/a.json", GOOD)

    code, output = told(capsys, "--config", "ci/gate.yml")

    assert (code, rules(output)) == (0, {"suites/a.json": [], "": []})


def test_a_missing_config_is_an_error(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = told(capsys, "--config", "absent.yml")

    assert (code, rules(output)[""]) == (2, ["config/unreadable"])


def test_a_config_that_is_named_as_a_path_is_checked(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository / "mergebar.yml", CONFIG)
    write(repository / "evals/a.json", GOOD)

    assert told(capsys, "mergebar.yml") == (0, {"suites": [], "problems": []})


def test_a_needed_judge_that_is_not_configured_is_a_warning(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = CONFIG.replace("judge: {type: replay, recordings: recordings}\n", "")
    write(repository / "mergebar.yml", config)
    file = write(repository / "evals/a.json", GOOD)

    code, output = told(capsys)
    assert (code, rules(output)[""]) == (0, ["config/no-judge"])

    file.write_text(json.dumps({**with_evaluators(), "default_evaluators": {"Citations": {}}}))
    assert rules(told(capsys)[1])[""] == []


def test_usage_errors_exit_2_and_help_exits_0(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check.main(["--format", "xml"]) == 2
    assert "`xml` is unknown: choose text, json, github or sarif" in capsys.readouterr().err
    assert check.main(["--help"]) == 0
    assert "mergebar check evals/" in capsys.readouterr().out


def test_accepting_a_document_loads_nothing_heavy(repository: Path) -> None:
    write(repository / "evals/a.json", GOOD)
    program = (
        "import sys; from mergebar import cli; code = cli.main(['check', 'evals/a.json']); "
        "heavy = {'jsonschema', 'pydantic', 'jinja2', 'asyncio', 'httpx', 'openai'}; "
        "print(sorted(heavy & set(sys.modules)), code)"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "[] 0"


def test_a_document_that_is_refused_is_explained_in_a_real_process(repository: Path) -> None:
    write(repository / "evals/a.json", {**GOOD, "items": [{"prompt": "Hello", "promt": 1}]})

    done = subprocess.run(
        [sys.executable, "-I", "-m", "mergebar", "check", "evals/a.json"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "evals/a.json:6:7: error:" in done.stdout
    assert done.stderr == ""


def test_colours_are_ours_and_those_of_a_message_are_spelled_out() -> None:
    problem = Problem(
        level=Level.ERROR,
        rule="document/x",
        message="\x1b[5mblink",
        path="a.json",
        line=1,
        column=2,
    )
    suites = [CheckedSuite(path="a.json", kind="document", problems=(problem,))]

    plain = problems.text(suites, [])
    coloured = problems.text(suites, [], coloured=True)

    assert plain.splitlines()[0] == "a.json:1:2: error: \\x1b[5mblink [document/x]"
    assert "\x1b[31merror:\x1b[0m" in coloured
    assert "\x1b[5m" not in coloured


def test_sarif_points_at_the_line_of_each_problem(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "evals").mkdir(exist_ok=True)
    (repository / "evals" / "wrong.json").write_text(
        '{"schemaVersion": "1.7.0",\n "items": [{"promt": "x"}]}', encoding="utf-8"
    )

    assert check.main(["evals/wrong.json", "--format", "sarif"]) == 2

    run = json.loads(capsys.readouterr().out)["runs"][0]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("evals/wrong.json")
    assert place["region"]["startLine"] == 2
    assert run["results"][0]["ruleId"] == "schema/unknown-key"
