import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import settings
from mergebar.model.problems import Level, Problem
from mergebar.model.publishing import CommentMode
from mergebar.settings import Mode, Scope, Settings


def given_inputs(**inputs: str) -> dict[str, str]:
    """The runner's variables: every declared input is present, the undeclared ones as given."""
    environ = {settings.variable(entry.name): entry.default for entry in settings.INPUTS}
    environ["INPUT_GITHUB-TOKEN"] = "ghs_example"
    environ.update(
        {settings.variable(name.replace("_", "-")): text for name, text in inputs.items()}
    )
    return {"GITHUB_WORKSPACE": "/github/workspace", **environ}


def read(environ: dict[str, str]) -> Settings:
    found = settings.from_inputs(environ)
    assert isinstance(found, Settings), found
    return found


def refused(environ: dict[str, str]) -> list[str]:
    found = settings.from_inputs(environ)
    assert not isinstance(found, Settings), found
    return [problem.message for problem in found if problem.level is Level.ERROR]


def test_an_action_without_inputs_has_the_contracts_defaults() -> None:
    expected = Settings(github_token="ghs_example")  # noqa: S106 - not a real token
    assert read(given_inputs()) == expected
    assert read({}) == Settings()


def test_every_input_is_read() -> None:
    found = read(
        given_inputs(
            config="ci/mergebar.yml",
            mode="check",
            scope="all",
            paths="evals/a.json\n\n  evals/b c.json  \r\n",
            agent="support",
            base="main",
            check_name="safety gate",
            check_run="false",
            comment="changes",
            upload_artifact="false",
            retention_days="30",
            require_publish="true",
            working_directory="agents/support/",
        )
    )
    assert found == Settings(
        config="ci/mergebar.yml",
        mode=Mode.CHECK,
        scope=Scope.ALL,
        paths=("evals/a.json", "evals/b c.json"),
        agent="support",
        base="main",
        github_token="ghs_example",  # noqa: S106 - not a real token
        check_name="safety gate",
        check_run=False,
        comment=CommentMode.CHANGES,
        upload_artifact=False,
        retention_days=30,
        require_publish=True,
        working_directory="agents/support",
    )


def test_empty_is_unset() -> None:
    blank = {settings.variable(entry.name): " " for entry in settings.INPUTS}
    assert read(blank) == Settings()


def test_the_token_is_in_no_representation() -> None:
    assert "ghs_example" not in repr(read(given_inputs()))


def test_hyphens_stay_in_the_variables_name() -> None:
    assert settings.variable("check-name") == "INPUT_CHECK-NAME"
    assert settings.variable("two words") == "INPUT_TWO_WORDS"


def test_underscores_serve_where_a_shell_cannot_export_hyphens() -> None:
    assert read({"INPUT_CHECK_NAME": "safety", "INPUT_CHECK_RUN": "false"}) == Settings(
        check_name="safety", check_run=False
    )
    assert read({**given_inputs(), "INPUT_CHECK_NAME": "safety"}).check_name == "safety"


def test_two_spellings_that_differ_are_refused() -> None:
    environ = {**given_inputs(check_name="one"), "INPUT_CHECK_NAME": "two"}
    assert refused(environ) == [
        "the input `check-name` and `check_name` differ; keep `check-name` alone"
    ]


@pytest.mark.parametrize(
    ("text", "meant"), [("True", True), ("TRUE", True), ("False", False), ("FALSE", False)]
)
def test_a_flag_may_be_spelt_as_yaml_spells_it(text: str, *, meant: bool) -> None:
    assert read(given_inputs(check_run=text)).check_run is meant


@pytest.mark.parametrize("text", ["tRUE", "yes", "1", "on"])
def test_a_flag_is_true_or_false_and_nothing_else(text: str) -> None:
    assert refused(given_inputs(check_run=text)) == [
        f"the input `check-run` is `{text}`; use `true` or `false`"
    ]


def test_a_choice_that_is_almost_right_gets_the_nearest_name() -> None:
    assert refused(given_inputs(mode="chek", scope="everything", comment="allways")) == [
        "the input `mode` is `chek`; did you mean `check`?",
        "the input `scope` is `everything`; use `auto`, `affected`, `all`",
        "the input `comment` is `allways`; did you mean `always`?",
    ]


@pytest.mark.parametrize("text", ["0", "-1", "401", "ten", "1.5", "\uff19", "99999"])
def test_retention_is_a_number_of_days(text: str) -> None:
    assert refused(given_inputs(retention_days=text)) == [
        f"the input `retention-days` is `{text}`; use a number of days from 1 to 400"
    ]


@pytest.mark.parametrize("text", ["a\nb", "a --> b", "<b>", "a\x1b[0m", "x" * 101])
def test_a_check_name_fits_into_a_marker(text: str) -> None:
    assert len(refused(given_inputs(check_name=text))) == 1


def test_an_absolute_path_in_the_workspace_is_made_relative() -> None:
    found = read(
        given_inputs(
            working_directory="/github/workspace/agents",
            config="/github/workspace/mergebar.yml",
            paths="/github/workspace/agents/evals/a.json\n../shared/b.json",
        )
    )
    assert found.working_directory == "agents"
    assert found.config == "../mergebar.yml"
    assert found.paths == ("evals/a.json", "../shared/b.json")


@pytest.mark.parametrize(
    "path",
    ["..", "../x", "a/../../x", "/etc/passwd", "/github/workspace/../x", "/github/workspaces"],
)
@pytest.mark.parametrize("name", ["config", "paths", "working_directory"])
def test_a_path_outside_the_workspace_is_refused(name: str, path: str) -> None:
    messages = refused(given_inputs(**{name: path}))
    assert messages[0].startswith(f"the input `{name.replace('_', '-')}` is `{path}`, which ")


def test_all_problems_are_said_at_once() -> None:
    environ = given_inputs(mode="x", check_run="x", retention_days="x", working_directory="..")
    assert len(refused(environ)) == 4


def test_an_unknown_input_is_a_warning_with_the_nearest_name() -> None:
    environ = {**given_inputs(), "INPUT_CHEK-NAME": "x", "INPUT_FAIL-ON": "x"}
    first, second = read(environ).warnings
    assert first == Problem(
        level=Level.WARNING,
        rule="config/unknown-input",
        message="`chek-name` is not an input of mergebar and is ignored; did you mean `check-name`?",
    )
    assert "`fail-on` is not an input" in second.message


def test_what_the_runner_exports_for_itself_is_no_unknown_input() -> None:
    assert read({**given_inputs(), "INPUT_ARGS": "", "INPUT_ENTRYPOINT": ""}).warnings == ()


def test_warnings_are_told_beside_problems() -> None:
    found = settings.from_inputs({**given_inputs(mode="x"), "INPUT_OTHER": "x"})
    assert isinstance(found, tuple)
    assert [problem.level for problem in found] == [Level.ERROR, Level.WARNING]


NAMES = st.sampled_from([settings.variable(entry.name) for entry in settings.INPUTS])


@given(st.dictionaries(NAMES | st.text(max_size=6).map("INPUT_".__add__), st.text(max_size=12)))
def test_no_text_crashes_the_reader(environ: dict[str, str]) -> None:
    found = settings.from_inputs(environ)
    problems = found.warnings if isinstance(found, Settings) else found
    assert all(problem.message.isprintable() for problem in problems)


@pytest.mark.parametrize("name", ["check-name", "agent", "base", "mode", "check-run", "config"])
@pytest.mark.parametrize(
    ("mark", "said"),
    [("\n", "a line break"), ("\r", "a line break"), ("\x1b", "U+001B"), ("\u202e", "U+202E")],
)
def test_a_mark_that_cant_be_shown_is_named(name: str, mark: str, said: str) -> None:
    (problem,) = refused(given_inputs(**{name.replace("-", "_"): f"a{mark}b"}))
    assert f"(`\N{REPLACEMENT CHARACTER}` stands for {said})" in problem
    assert problem.isprintable()
