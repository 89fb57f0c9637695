"""What a change affects, and the line that says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.changes import Change, Changes, Status
from mergebar.model.plans import PlannedSuite
from mergebar.model.text import JsonObject
from mergebar.planning import PlanOptions, plan
from support.builders import agent_config, config, document, group, judge_config, turn, use
from support.builders import case as a_case

COMMAND: JsonObject = {"command": ["python3", "bot/agent.py", "--prompt=bot/system.md"], "cwd": "."}
CONFIG = config(
    agents=[
        agent_config("support", sources=["prompts/support/*.md"], options=COMMAND),
        agent_config("billing", sources=[], options={"command": ["./run"], "cwd": "billing"}),
    ],
    documents=[
        group("evals/support/*.json", agent="support"),
        group("evals/billing/*.json", agent="billing"),
    ],
)
DOCUMENTS = [document("evals/support/a.json"), document("evals/billing/b.json")]


def changed(*paths: str) -> Changes:
    return Changes(files=tuple(Change(path=path) for path in paths))


def planned(changes: Changes, prefix: str = "") -> dict[str, PlannedSuite]:
    found = plan(DOCUMENTS, config=CONFIG, changes=changes, options=PlanOptions(prefix=prefix))
    return {suite.path.rpartition("/")[2]: suite for suite in found.suites}


def reasons(*paths: str) -> tuple[str, str]:
    suites = planned(changed(*paths))
    return suites["a.json"].reason, suites["b.json"].reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("evals/support/a.json", "`evals/support/a.json` changed"),
        ("prompts/support/tone.md", "`prompts/support/tone.md` is a source of agent `support`"),
        ("bot/agent.py", "`bot/agent.py` is in the command of agent `support`"),
        ("bot/system.md", "`bot/system.md` is in the command of agent `support`"),
        ("mergebar.yml", "`mergebar.yml` changed, and it configures what measures this suite"),
    ],
)
def test_a_change_that_reaches_a_suite_is_named(path: str, reason: str) -> None:
    assert reasons(path)[0] == f"affected: {reason}"


def test_the_folder_where_an_agent_runs_is_one_of_its_sources() -> None:
    support, billing = reasons("billing/lib/rates.py")
    assert billing == (
        "affected: `billing/lib/rates.py` is in the folder where agent `billing` runs"
    )
    assert support.startswith("not affected")


def test_a_file_in_the_command_is_found_from_the_folder_where_the_agent_runs() -> None:
    assert reasons("billing/run")[1].startswith("affected")
    assert reasons("run")[1].startswith("not affected")


def test_a_file_in_a_script_of_a_shell_is_in_the_command_too() -> None:
    shell: JsonObject = {"command": ["sh", "-c", "exec python3 bot/agent.py"]}
    made = config(
        agents=[agent_config("support", sources=[], options=shell)],
        documents=[group("evals/support/*.json", agent="support")],
    )

    found = plan(DOCUMENTS[:1], config=made, changes=changed("bot/agent.py"), options=PlanOptions())

    assert found.suites[0].affected


def test_what_nothing_reaches_is_not_run_and_says_why() -> None:
    suites = planned(changed("README.md", "prompts/billing/x.md", "evals/support/a.json.bak"))
    assert suites["a.json"].reason == (
        "not affected: neither `evals/support/a.json` nor a source of `support` changed"
    )
    assert all(not suite.affected and suite.cases == () for suite in suites.values())


def test_where_all_is_asked_for_all_is_affected() -> None:
    suites = planned(Changes(everything=True, reason="the base is unknown"))
    assert {suite.reason for suite in suites.values()} == {"affected: the base is unknown"}
    assert all(suite.cases for suite in suites.values())


def test_a_renamed_source_counts_under_its_old_path_too() -> None:
    change = Change(path="attic/tone.md", old_path="prompts/support/tone.md", status=Status.RENAMED)
    assert planned(Changes(files=(change,)))["a.json"].affected


def test_globs_are_relative_to_the_working_directory_and_paths_to_the_repository() -> None:
    documents = [document("bots/evals/support/a.json")]
    options = PlanOptions(prefix="bots")

    def reason(path: str) -> str:
        found = plan(documents, config=CONFIG, changes=changed(path), options=options)
        return found.suites[0].reason

    assert reason("bots/prompts/support/x.md").startswith("affected: `bots/prompts/support/x.md`")
    assert reason("bots/bot/agent.py").startswith("affected")
    assert reason("prompts/support/x.md").startswith("not affected")


def test_the_configuration_reaches_no_suite_that_neither_agent_nor_judge_measures() -> None:
    settings = config(agents=[], documents=[group("evals/*.json", agent=None)])
    stored = document("evals/a.json", a_case("k", turn(stored="Hold it.")))
    found = plan([stored], config=settings, changes=changed("mergebar.yml"), options=PlanOptions())
    assert found.suites[0].reason == "not affected: `evals/a.json` didn't change"


def test_recorded_answers_and_verdicts_reach_the_suite_that_they_are_of() -> None:
    settings = config(
        agents=[agent_config("old", "replay", sources=None, options={"recordings": "rec"})],
        judge=judge_config("replay"),
        documents=[group("evals/*.json", agent="old")],
    )
    judged = document("evals/a.json", a_case("k", turn(evaluators=[use("Relevance")])))
    plain = document("evals/b.json")

    def affected(path: str) -> list[str]:
        found = plan([judged, plain], config=settings, changes=changed(path), options=PlanOptions())
        return [suite.path for suite in found.suites if suite.affected]

    assert affected("rec/evals/b.json.json") == ["evals/b.json"]
    assert affected(".mergebar/recordings/evals/a.json.json") == ["evals/a.json"]
    assert affected(".mergebar/recordings/evals/b.json.json") == []


PATHS = st.sampled_from(
    [
        "evals/support/a.json",
        "evals/billing/b.json",
        "prompts/support/x.md",
        "billing/run",
        "bot/agent.py",
        "mergebar.yml",
        "README.md",
    ]
)


@given(st.lists(PATHS, max_size=4), st.lists(PATHS, max_size=4))
def test_two_changes_together_affect_what_either_affects(one: list[str], two: list[str]) -> None:
    def affected(paths: list[str]) -> set[str]:
        return {name for name, suite in planned(changed(*paths)).items() if suite.affected}

    assert affected([*one, *two]) == affected(one) | affected(two)
