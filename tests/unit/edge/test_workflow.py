import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import settings
from mergebar.edge import workflow
from mergebar.model.reports import ReportWarning
from support import runner_files

DECLARED = [output.name for output in settings.OUTPUTS]


def outputs_of(tmp_path: Path, *, declared: list[str] = DECLARED, **values: str) -> dict[str, str]:
    file = tmp_path / "outputs"
    values = {name.replace("_", "-"): value for name, value in values.items()}
    assert workflow.write_outputs({"GITHUB_OUTPUT": str(file)}, values, declared=declared) is None
    return runner_files.outputs(file.read_bytes().decode())


def test_every_declared_output_is_written_empty_where_unset(tmp_path: Path) -> None:
    found = outputs_of(tmp_path, decision="passed", exit_code="0")
    assert found == {**dict.fromkeys(DECLARED, ""), "decision": "passed", "exit-code": "0"}


def test_writing_again_replaces_what_was_written_before(tmp_path: Path) -> None:
    outputs_of(tmp_path, decision="passed", comment_url="")
    found = outputs_of(tmp_path, decision="failed", comment_url="https://example.org/1")
    assert (found["decision"], found["comment-url"]) == ("failed", "https://example.org/1")


def test_a_line_without_end_before_ours_swallows_nothing(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("other=1", encoding="utf-8")
    found = outputs_of(tmp_path, declared=["decision"], decision="passed")
    assert found == {"other": "1", "decision": "passed"}


@given(value=st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n<=")))
def test_no_value_sets_another_output(value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("outputs")
    found = outputs_of(folder, declared=["a", "b"], a=value, b="b")
    assert list(found) == ["a", "b"]
    assert found["b"] == "b"
    assert found["a"] == value.replace("\0", "\ufffd")


def test_a_delimiter_that_the_value_contains_is_not_used(tmp_path: Path) -> None:
    file = tmp_path / "outputs"
    marks = iter(["one", "two", "three"])
    warning = workflow.write_outputs(
        {"GITHUB_OUTPUT": str(file)},
        {"a": "x\none\nb=forged\ntwo"},
        declared=["a"],
        choose_delimiter=lambda: next(marks),
    )
    assert warning is None
    assert file.read_text() == "a<<three\nx\none\nb=forged\ntwo\nthree\n"


def test_a_value_that_knows_every_delimiter_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "outputs"
    warning = workflow.write_outputs(
        {"GITHUB_OUTPUT": str(file)},
        {"a": "x\nalways\nb=forged"},
        declared=["a"],
        choose_delimiter=lambda: "always",
    )
    assert warning is not None
    assert not file.exists()


def test_delimiters_differ_each_time() -> None:
    assert len({workflow.delimiter() for _ in range(50)}) == 50


def test_an_output_that_is_not_declared_is_a_bug(tmp_path: Path) -> None:
    environ = {"GITHUB_OUTPUT": str(tmp_path / "outputs")}
    with pytest.raises(ValueError, match="not declared"):
        workflow.write_outputs(environ, {"decison": "x"}, declared=["decision"])
    with pytest.raises(ValueError, match="not declared"):
        workflow.write_outputs(environ, {}, declared=["a=b"])


def test_a_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    assert outputs_of(tmp_path, declared=["a"], a="x\udcffy") == {"a": "x?y"}


def test_a_huge_value_is_cut_at_a_character(tmp_path: Path) -> None:
    found = outputs_of(tmp_path, declared=["a"], a="\u20ac" * 200_000)
    assert set(found["a"]) == {"\u20ac"}
    assert len(found["a"].encode()) <= workflow.OUTPUT_LIMIT


def test_the_summary_is_appended_as_utf8(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    file.write_text("before", encoding="utf-8")
    assert workflow.append_summary({"GITHUB_STEP_SUMMARY": str(file)}, "# Grüße \U0001f44b") is None
    assert file.read_text(encoding="utf-8") == "before\n# Grüße \U0001f44b\n"


def test_a_summary_of_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    text = "x" * (workflow.SUMMARY_LIMIT - 1) + "\n"
    assert workflow.append_summary({"GITHUB_STEP_SUMMARY": str(file)}, text) is None
    assert file.stat().st_size == workflow.SUMMARY_LIMIT


@pytest.mark.parametrize("before", ["", "before", "x" * (1024 * 1024 - 10)])
def test_a_summary_over_the_limit_is_cut_at_a_line_and_says_so(tmp_path: Path, before: str) -> None:
    file = tmp_path / "summary"
    file.write_text(before)
    text = "\u20ac line\n" * 200_000
    warning = workflow.append_summary({"GITHUB_STEP_SUMMARY": str(file)}, text)
    assert warning == ReportWarning(
        message="the job summary is cut: a step may write 1 MiB at most"
    )
    assert file.stat().st_size <= workflow.SUMMARY_LIMIT
    written = file.read_text(encoding="utf-8")
    assert written == before or written.endswith("\u20ac line\n" + workflow._CUT)


@pytest.mark.parametrize("environ", [{}, {"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""}])
def test_a_missing_variable_is_a_warning(environ: dict[str, str]) -> None:
    summary = workflow.append_summary(environ, "x")
    outputs = workflow.write_outputs(environ, {}, declared=["a"])
    assert summary is not None
    assert outputs is not None
    assert summary.message == "the job summary can't be written: `GITHUB_STEP_SUMMARY` is not set"
    assert outputs.message == "the outputs can't be written: `GITHUB_OUTPUT` is not set"


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent" / "file", Path(os.devnull) / "x", "a\0b"):
        environ = {"GITHUB_OUTPUT": str(path), "GITHUB_STEP_SUMMARY": str(path)}
        assert workflow.append_summary(environ, "x") is not None
        assert workflow.write_outputs(environ, {}, declared=["a"]) is not None
