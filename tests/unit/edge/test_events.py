import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.edge import events
from mergebar.edge.events import Event, EventScope, Work
from mergebar.model.problems import Problem
from mergebar.model.text import Json, JsonObject
from support import events as github
from support.github import description


def interpret(name: str, payload: JsonObject, **variables: str) -> Event:
    environ = {**github.environ(name), **variables}
    found = events.interpret(name, payload, environ)
    assert isinstance(found, Event), found
    return found


# One row per line of the contract's event table: name, payload, trusted, scope, base, baseline.
TABLE = [
    ("pull_request", github.pull_request(), True, "affected", github.BASE, None),
    (
        "pull_request",
        github.pull_request(head_repository="eve/agent"),
        False,
        "affected",
        github.BASE,
        None,
    ),
    (
        "pull_request",
        github.pull_request(head_repository=None),
        False,
        "affected",
        github.BASE,
        None,
    ),
    (
        "pull_request",
        github.pull_request(author="dependabot[bot]"),
        False,
        "affected",
        github.BASE,
        None,
    ),
    ("pull_request", github.pull_request(action="closed"), False, "nothing", github.BASE, None),
    ("merge_group", github.merge_group(), True, "affected", github.BASE, None),
    ("push", github.push(), True, "affected", github.BASE, "main"),
    ("push", github.push(branch="topic"), True, "affected", github.BASE, "topic"),
    ("schedule", github.schedule(), True, "all", None, "main"),
    ("workflow_dispatch", github.workflow_dispatch(), True, "all", None, "main"),
    ("workflow_run", github.workflow_run(), False, "publish", None, None),
    ("pull_request_target", github.pull_request(), False, "check", github.BASE, None),
    ("issue_comment", {"repository": github.repository()}, False, "all", None, None),
    ("release", {}, False, "all", None, None),
]


WEBHOOKS = {
    "pull-request-opened": github.pull_request(action="opened"),
    "pull-request-synchronize": github.pull_request(head_repository="eve/agent"),
    "pull-request-reopened": github.pull_request(action="reopened", author="dependabot[bot]"),
    "pull-request-closed": github.pull_request(action="closed"),
    "merge-group-checks-requested": github.merge_group(),
    "push": github.push(branch="topic", before=github.ZERO),
    "workflow-dispatch": github.workflow_dispatch(sha="a" * 40),
    "workflow-run-completed": github.workflow_run(),
}


@pytest.mark.parametrize("name", WEBHOOKS)
def test_the_events_of_tests_are_as_github_describes_them(name: str) -> None:
    assert description.webhook_faults(name, WEBHOOKS[name]) == []
    assert description.webhook_faults(name, {**WEBHOOKS[name], "repository": 1}) != []


def test_only_the_repository_of_a_deleted_fork_is_not_described() -> None:
    payload = github.pull_request(head_repository=None)
    (fault,) = description.webhook_faults("pull-request-synchronize", payload)
    assert "/pull_request/head/repo: null is not of type" in fault


@pytest.mark.parametrize(("name", "payload", "trusted", "scope", "base", "baseline"), TABLE)
def test_an_event_means_what_the_contracts_table_says(
    name: str,
    payload: JsonObject,
    *,
    trusted: bool,
    scope: str,
    base: str | None,
    baseline: str | None,
) -> None:
    event = interpret(name, payload)
    assert (event.trusted, event.scope, event.base) == (trusted, scope, base)
    assert event.baseline_branch == baseline
    assert bool(event.distrust) is not (trusted or bool(event.over))


def test_outside_github_actions_everything_is_trusted() -> None:
    assert events.read({}) == Event(name=None, trusted=True, scope=EventScope.AFFECTED)
    leftovers = {"GITHUB_EVENT_NAME": "push", "GITHUB_ACTIONS": "1"}
    assert events.read(leftovers) == Event(name=None, trusted=True, scope=EventScope.AFFECTED)


@pytest.mark.parametrize("variable", ["GITHUB_ACTOR", "GITHUB_TRIGGERING_ACTOR"])
def test_dependabot_as_actor_is_not_trusted(variable: str) -> None:
    event = interpret("pull_request", github.pull_request(), **{variable: "dependabot[bot]"})
    assert not event.trusted
    assert "Dependabot" in event.distrust


def test_a_fork_is_told_from_the_repository_by_its_whole_name() -> None:
    for name in ("acme/agent2", "eve/agent", "acme", ""):
        assert not interpret("pull_request", github.pull_request(head_repository=name)).trusted


def test_a_pull_request_without_a_repository_is_not_trusted() -> None:
    payload = {key: value for key, value in github.pull_request().items() if key != "repository"}
    assert interpret("pull_request", payload).trusted  # GITHUB_REPOSITORY says it as well
    assert not interpret("pull_request", payload, GITHUB_REPOSITORY="").trusted


def test_a_pull_request_has_its_commits_number_and_run() -> None:
    event = interpret("pull_request", github.pull_request())
    assert (event.base, event.head, event.tested) == (github.BASE, github.HEAD, github.MERGE)
    assert (event.pull_request, event.run_id, event.attempt) == (7, "4711", 2)
    assert (event.action, event.base_branch, event.repository) == (
        "synchronize",
        "main",
        "acme/agent",
    )


def test_a_merge_group_reports_on_its_own_head() -> None:
    assert interpret("merge_group", github.merge_group()).head == github.HEAD


def test_other_events_report_on_the_commit_that_is_tested() -> None:
    assert interpret("push", github.push()).head == github.MERGE
    assert interpret("schedule", github.schedule()).head == github.MERGE


def test_the_zeros_before_a_new_branch_are_no_commit() -> None:
    event = interpret("push", github.push(branch="new", before=github.ZERO))
    assert event.base is None


def test_only_a_push_to_the_default_branch_runs_all_without_a_baseline() -> None:
    assert interpret("push", github.push()).all_without_baseline
    assert not interpret("push", github.push(branch="topic")).all_without_baseline


def test_a_tag_becomes_no_baseline() -> None:
    payload = {**github.push(), "ref": "refs/tags/main"}
    event = interpret("push", payload, GITHUB_REF="refs/tags/main")
    assert event.baseline_branch is None
    assert not event.all_without_baseline


def test_a_repository_is_public_private_or_unknown() -> None:
    public = {"repository": github.repository(private=False)}
    assert interpret("release", public).public is True
    assert interpret("release", {"repository": github.repository()}).public is False
    assert interpret("release", {}).public is None


def test_a_pull_request_event_without_a_pull_request_is_a_problem() -> None:
    found = events.interpret("pull_request", {"repository": {}}, github.environ("pull_request"))
    assert isinstance(found, Problem)
    assert "names no pull request" in found.message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[" * 200_000, "not valid JSON"),
        (b"1" * 10_000, "not valid JSON"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
    ],
)
def test_a_bad_event_file_is_a_problem(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "event.json"
    file.write_bytes(content)
    environ = {**github.environ("push"), "GITHUB_EVENT_PATH": str(file)}
    found = events.read(environ)
    assert isinstance(found, Problem)
    assert words in found.message


def test_a_missing_event_file_is_a_problem(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.json", tmp_path):
        found = events.read({**github.environ("push"), "GITHUB_EVENT_PATH": str(path)})
        assert isinstance(found, Problem)
        assert "can't read the event file" in found.message


@pytest.mark.parametrize("name", ["GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH"])
def test_a_variable_that_is_not_set_is_named(tmp_path: Path, name: str) -> None:
    environ = github.environ("push", path=tmp_path / "event.json", payload=github.push())
    del environ[name]
    found = events.read(environ)
    assert isinstance(found, Problem)
    assert f"`{name}` is not set" in found.message


def test_an_event_file_is_read(tmp_path: Path) -> None:
    environ = github.environ("push", path=tmp_path / "event.json", payload=github.push())
    found = events.read(environ)
    assert isinstance(found, Event)
    assert found.base == github.BASE


@pytest.mark.parametrize(
    ("name", "mode", "expected"),
    [
        ("pull_request", "auto", Work.RUN),
        ("pull_request", "run", Work.RUN),
        ("pull_request", "check", Work.CHECK),
        ("push", "publish", Work.PUBLISH),
        ("workflow_run", "auto", Work.PUBLISH),
        ("workflow_run", "publish", Work.PUBLISH),
        ("workflow_run", "run", None),
        ("workflow_run", "check", None),
        ("pull_request_target", "check", Work.CHECK),
        ("pull_request_target", "auto", None),
        ("pull_request_target", "run", None),
        ("pull_request_target", "publish", None),
    ],
)
def test_an_event_refuses_what_its_secrets_would_pay_for(
    name: str, mode: str, expected: Work | None
) -> None:
    payload = github.workflow_run() if name == "workflow_run" else github.pull_request()
    answer = events.work(interpret(name, payload), mode=mode)
    if expected is None:
        assert isinstance(answer, Problem)
        assert f"refused on `{name}`" in answer.message
        assert "; use `mode: " in answer.message
    else:
        assert answer is expected


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
FIELDS = (
    "action number pull_request head base repo full_name sha ref user login repository private "
    "default_branch merge_group base_sha before"
)
KEYS = st.sampled_from(FIELDS.split())
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=12,
)
NAMES = st.sampled_from([row[0] for row in TABLE]) | st.text(max_size=8)


@given(
    NAMES,
    st.dictionaries(KEYS, JSON, max_size=8),
    st.dictionaries(st.just("GITHUB_SHA"), st.text()),
)
def test_no_payload_crashes_and_none_is_trusted_without_proof(
    name: str, payload: dict[str, Json], environ: Mapping[str, str]
) -> None:
    found = events.interpret(name, payload, environ)
    if isinstance(found, Event):
        json.dumps([found.base, found.head, found.pull_request])
        if found.trusted and name == "pull_request":
            pull = payload["pull_request"]
            assert isinstance(pull, dict)
            assert pull["head"]["repo"]["full_name"] == payload["repository"]["full_name"]  # type: ignore[call-overload, index]


def mutated(payload: Json, path: list[str], value: Json) -> Json:
    """The payload with one part replaced: a real event but for one surprise."""
    if not path or not isinstance(payload, dict) or not payload:
        return value
    key = path[0] if path[0] in payload else min(payload)
    return {**payload, key: mutated(payload[key], path[1:], value)}


# A closed pull request and Dependabot's differ from a trusted one in a word that may be replaced.
SETTLED = [row for row in TABLE if row[1:] not in (TABLE[3][1:], TABLE[4][1:])]


@given(st.sampled_from(SETTLED), st.lists(KEYS, max_size=4), JSON)
def test_one_surprise_in_a_real_event_crashes_nothing_and_earns_no_trust(
    row: tuple[str, dict[str, Json], bool, str, str | None, str | None],
    path: list[str],
    surprise: Json,
) -> None:
    payload = mutated(row[1], path, surprise)
    if isinstance(payload, dict):
        found = events.interpret(row[0], payload, github.environ(row[0]))
        if isinstance(found, Event):
            assert found.trusted <= row[2]
            assert found.name == row[0]
