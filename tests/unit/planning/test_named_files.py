"""Which files a command may name, however it names them."""

import pytest

from mergebar.planning import named_files


@pytest.mark.parametrize(
    "argv",
    [
        ["tools/check.py"],
        ["python3", "tools/check.py", "{trace}"],
        ["python3", "--config=tools/check.py"],
        ["sh", "-c", "python3 tools/check.py"],
        ["sh", "-c", "cd x && python3 'tools/check.py' --strict; echo done"],
        ["sh", "-c", "tools/check.py|tail"],
        ["sh", "-c", "out=$(tools/check.py) && echo $out"],
        ["bash", "-lc", 'exec python3 "tools/check.py" {trace}'],
        ["sh", "-c", "echo 'unclosed; tools/check.py"],
        ["sh", "-c", "python3 --config=tools/check.py"],
        ["env", "-S", "python3 tools/check.py"],
        ["python3", "-m", "tools.check"],
        ["sh", "-c", "python3 -m tools.check # why"],
    ],
)
def test_a_file_is_found_wherever_it_stands(argv: list[str]) -> None:
    assert "tools/check.py" in set(named_files.find(argv))


def test_a_package_is_what_is_run_of_it() -> None:
    assert "tools/__main__.py" in set(named_files.find(["python3", "-m", "tools"]))


def test_other_words_are_no_file_by_that_name() -> None:
    assert set(named_files.find(["echo", "a/b c.py"])) == {"echo", "a/b c.py", "a/b", "c.py"}
