"""What a document becomes: cases, turns, evaluators, stored answers, places."""

import json

from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.conversations import Answer, Citation
from mergebar.model.documents import CaseKind, Declared, Origin, Severity
from mergebar.model.problems import Level
from mergebar.suites import documents
from mergebar.suites.faults import UNEXPLAINED
from support import suites as support
from support.suites import accept, read, rules

HELLO = {"prompt": "Hello"}
OWN = "io.github.mergebar"


def declaring(**settings: object) -> dict[str, object]:
    return {"extensions": {OWN: settings}}


def test_an_item_becomes_a_case_of_one_turn() -> None:
    item = {"prompt": "When?", "expected_response": "At nine.", "context": "Hours: 9 to 6"}

    (case,) = accept(item).cases

    assert (case.kind, case.index, case.label) == (CaseKind.SINGLE, 0, "When?")
    (turn,) = case.turns
    assert (turn.index, turn.prompt, turn.expected_response, turn.context) == (
        0,
        "When?",
        "At nine.",
        "Hours: 9 to 6",
    )
    assert turn.stored is None


def test_a_thread_becomes_a_case_with_its_turns_in_order() -> None:
    (case,) = accept({"name": "renewal", "turns": [HELLO, {"prompt": "And then?"}]}).cases

    assert (case.kind, case.key, case.label) == (CaseKind.THREAD, "renewal", "renewal")
    assert [(turn.index, turn.prompt) for turn in case.turns] == [(0, "Hello"), (1, "And then?")]


def test_the_key_of_a_case_does_not_depend_on_its_position() -> None:
    first = accept(HELLO, {"prompt": "Bye"})
    second = accept({"prompt": "Bye"}, HELLO)

    assert {case.key for case in first.cases} == {case.key for case in second.cases}
    assert first.cases[0].key == second.cases[1].key


def test_cases_with_one_prompt_are_numbered() -> None:
    keys = [case.key for case in accept(HELLO, HELLO, HELLO).cases]

    assert keys == [keys[0], f"{keys[0]}~2", f"{keys[0]}~3"]


def test_an_explicit_id_stays_as_it_is_beside_a_thread_of_that_name() -> None:
    thread = {"name": "greeting", "turns": [HELLO]}

    keys = [case.key for case in accept(thread, {**HELLO, **declaring(id="greeting")}).cases]

    assert keys == ["greeting~2", "greeting"]


def test_a_long_prompt_is_shortened_to_a_label_on_one_line() -> None:
    (case,) = accept({"prompt": "Tell me\n" + "everything " * 1000}).cases

    assert len(case.label) <= 60
    assert "\n" not in case.label


def test_without_evaluators_a_turn_gets_those_of_the_system() -> None:
    (case,) = accept(HELLO).cases

    uses = case.turns[0].evaluators
    assert [(use.name, use.threshold, use.origin) for use in uses] == [
        ("Relevance", 3, Origin.SYSTEM),
        ("Coherence", 3, Origin.SYSTEM),
    ]


def test_an_empty_map_of_defaults_means_those_of_the_system() -> None:
    (case,) = accept(HELLO, default_evaluators={}).cases

    assert [use.origin for use in case.turns[0].evaluators] == [Origin.SYSTEM, Origin.SYSTEM]


def test_extend_is_the_mode_that_is_not_written() -> None:
    item = {**HELLO, "evaluators": {"Citations": {}}}

    (case,) = accept(item, default_evaluators={"Relevance": {}}).cases

    uses = case.turns[0].evaluators
    assert [(use.name, use.origin) for use in uses] == [
        ("Relevance", Origin.DEFAULT),
        ("Citations", Origin.ITEM),
    ]


def test_replace_leaves_only_what_the_item_names() -> None:
    item = {**HELLO, "evaluators": {"Citations": {}}, "evaluators_mode": "replace"}

    (case,) = accept(item, default_evaluators={"Relevance": {}}).cases

    assert [use.name for use in case.turns[0].evaluators] == ["Citations"]


def test_an_entry_of_an_item_replaces_the_default_as_a_whole() -> None:
    item = {**HELLO, "evaluators": {"Citations": {"threshold": 1}}}
    defaults = {"Citations": {"threshold": 2, "citation_format": "bracket"}}

    document = accept(item, default_evaluators=defaults)

    (use,) = document.cases[0].turns[0].evaluators
    assert (use.options, use.threshold, use.origin) == ({}, 1, Origin.ITEM)
    assert rules(document) == ["document/override-drops-option"]


def test_options_come_without_the_threshold() -> None:
    options = {"capability": "Catalogue", "selector": "hours"}
    item = {
        **HELLO,
        "expected_response": "Hi",
        "evaluators": {
            "PartialMatch": {"threshold": 0.7, "case_sensitive": True},
            "RetrievalQuery": options,
            "ExactMatch": {},
        },
        "evaluators_mode": "replace",
    }

    partial, query, exact = accept(item).cases[0].turns[0].evaluators

    assert (partial.options, partial.threshold) == ({"case_sensitive": True}, 0.7)
    assert (query.options, query.threshold) == (options, None)
    assert exact.threshold is None


def test_the_format_inline_is_read_as_mixed() -> None:
    item = {**HELLO, "evaluators": {"Citations": {"citation_format": "inline"}}}

    document = accept(item)

    assert document.cases[0].turns[0].evaluators[-1].options == {"citation_format": "mixed"}
    assert rules(document) == ["document/citation-format"]


def test_a_turn_says_more_than_its_thread_and_that_more_than_the_document() -> None:
    thread = {
        "turns": [HELLO, {**HELLO, **declaring(weight=3)}],
        **declaring(severity="notice", weight=2, id="greeting"),
    }

    (case,) = accept(thread, metadata=declaring(severity="warning", weight=1.5, runs=4)).cases

    assert case.runs == 4
    assert [turn.declared for turn in case.turns] == [
        Declared(id="greeting", severity=Severity.NOTICE, weight=2, runs=4),
        Declared(id="greeting", severity=Severity.NOTICE, weight=3, runs=4),
    ]


def test_what_nobody_declares_stays_unsaid() -> None:
    (case,) = accept({**HELLO, "extensions": {"com.example": {"severity": "low"}}}).cases

    assert case.turns[0].declared == Declared()
    assert case.runs is None


def test_an_id_for_a_whole_document_is_passed_over() -> None:
    document = accept(HELLO, {"prompt": "Bye"}, metadata=declaring(id="all"))

    assert "all" not in {case.key for case in document.cases}
    assert rules(document) == ["document/extension"]


def test_tags_of_document_thread_and_turn_add_up() -> None:
    thread = {"turns": [{**HELLO, "tags": ["turn", "all"]}, HELLO], "tags": ["thread"]}

    document = accept(thread, schemaVersion="1.9.0", metadata={"tags": ["all"]})

    assert [turn.tags for turn in document.cases[0].turns] == [
        ("all", "thread", "turn"),
        ("all", "thread"),
    ]


def test_a_stored_response_becomes_an_answer() -> None:
    item = {
        **HELLO,
        "response": "Hi [^1^]",
        "citations": [{"index": 1, "text": "Greeting", "source": "hi.md"}, {"index": 2}],
        "diagnostics": {"retrieval_executions": []},
    }

    (case,) = accept(item).cases

    assert case.turns[0].stored == Answer(
        response="Hi [^1^]",
        citations=(Citation(index=1, text="Greeting", source="hi.md"), Citation(index=2)),
        diagnostics={"retrieval_executions": []},
    )


def test_a_stored_answer_of_a_thread_knows_its_conversation() -> None:
    thread = {"turns": [{**HELLO, "response": "Hi"}], "conversation_id": "c-1"}

    (case,) = accept(thread).cases

    assert case.turns[0].stored == Answer(response="Hi", conversation_id="c-1")


def test_a_blank_response_is_stored_unless_asking_had_failed() -> None:
    failed = {"status": "error", "error": {"code": "agentRequestFailed", "message": "away"}}

    blank, errored = accept({**HELLO, "response": " "}, {**HELLO, "response": "", **failed}).cases

    assert blank.turns[0].stored == Answer(response=" ")
    assert errored.turns[0].stored is None


def test_places_are_those_of_the_item_and_of_its_own_evaluators() -> None:
    text = """{
  "schemaVersion": "1.7.0",
  "default_evaluators": {"Relevance": {}},
  "items": [
    {"prompt": "Hello"},
    {
      "turns": [
        {"prompt": "Hello"},
        {"prompt": "Bye", "evaluators": {
          "Citations": {}
        }}
      ]
    }
  ]
}"""

    first, second = read(text).cases

    assert (first.location.line, first.location.column) == (5, 5)
    assert first.turns[0].evaluators[0].location == first.location
    assert second.location.line == 6
    assert second.turns[1].location.line == 9
    inherited, own = second.turns[1].evaluators
    assert inherited.location == second.turns[1].location
    assert (own.location.line, own.location.column) == (10, 11)
    assert own.location.path == support.PATH


def test_the_source_is_the_document_itself() -> None:
    item = {**HELLO, "extensions": {"com.example": 1}}

    document = accept(item, description="kept")

    assert document.source == {
        "schemaVersion": "1.7.0",
        "description": "kept",
        "items": [item],
    }


def test_a_legacy_shape_is_brought_to_the_current_one_in_memory() -> None:
    document = read(
        {"prompts": ["Hello", "Bye"], "expected_responses": ["Hi", "See you"], "owner": "desk"}
    )

    assert document.version is None
    assert document.source == {
        "schemaVersion": "1.7.0",
        "owner": "desk",
        "items": [
            {"prompt": "Hello", "expected_response": "Hi"},
            {"prompt": "Bye", "expected_response": "See you"},
        ],
    }
    assert [case.turns[0].expected_response for case in document.cases] == ["Hi", "See you"]
    assert [(problem.level, problem.rule) for problem in document.problems] == [
        (Level.WARNING, "document/legacy-shape")
    ]


def test_a_legacy_source_declares_the_version_that_its_keys_need() -> None:
    document = read([{**HELLO, "allowed_tools": ["desk_search"]}])

    assert document.source["schemaVersion"] == "1.11.0"
    assert [problem.level for problem in document.problems] == [Level.WARNING]


def test_items_of_a_legacy_shape_have_their_real_lines() -> None:
    document = read('{\n "prompts": [\n  "Hello",\n  "Bye"\n ]\n}')

    assert [case.location.line for case in document.cases] == [3, 4]


def test_one_broken_item_does_not_hide_the_others() -> None:
    document = read(
        {"schemaVersion": "1.7.0", "items": [{"prompt": 7}, {**HELLO, "evaluators": {"Nope": {}}}]}
    )

    assert [case.index for case in document.cases] == [1]
    assert {problem.rule.split("/")[0] for problem in document.problems} == {"schema", "document"}


def test_problems_come_in_the_order_of_the_file() -> None:
    items = [{**HELLO, "evaluators": {"Nope": {}}}, {"prompt": ""}, {**HELLO, "testId": 1}]

    lines = [problem.line for problem in read({"schemaVersion": "1.7.0", "items": items}).problems]

    assert lines == sorted(line or 0 for line in lines)
    assert len(lines) == 3


def test_broken_defaults_do_not_stop_the_items_from_being_read() -> None:
    document = read(
        {"schemaVersion": "1.7.0", "default_evaluators": {"Relevance": 3}, "items": [HELLO]}
    )

    assert len(document.cases) == 1
    assert [problem.level for problem in document.problems] == [Level.ERROR]


def test_a_version_with_thousands_of_digits_is_only_a_newer_one() -> None:
    document = read({"schemaVersion": f"1.{'9' * 5000}.0", "items": [HELLO]})

    assert rules(document) == ["document/newer-minor"]


def test_a_weight_too_large_for_any_computer_is_refused() -> None:
    document = read(
        '{"schemaVersion": "1.7.0", "items": [{"prompt": "Hello", "extensions": '
        '{"io.github.mergebar": {"weight": 1' + "0" * 300 + "}}}]}"
    )

    assert rules(document) in ([], ["document/extension"])


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    document = read(data)

    assert document.problems


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
KEYS = st.sampled_from(
    ["schemaVersion", "items", "prompt", "prompts", "expected_responses", "turns", "evaluators",
     "evaluators_mode", "default_evaluators", "extensions", OWN, "metadata", "tags", "Relevance",
     "Citations", "citation_format", "threshold", "scores", "relevance", "response", "citations"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS | st.sampled_from(["1.7.0", "1.4.0", "1.99.0", "replace", "inline", "error"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@given(VALUES, st.sampled_from(["1.0.0", "1.7.0", "1.11.0", "2.0.0", None]))
def test_no_value_crashes_the_reader(value: object, version: str | None) -> None:
    if isinstance(value, dict) and version is not None:
        value = {**value, "schemaVersion": version}
    document = documents.read(
        json.dumps(value).encode("utf-8", "surrogatepass"),
        path="evals/any.json",
        explain=support.explain,
    )

    assert document.cases or any(problem.level is Level.ERROR for problem in document.problems)
    assert UNEXPLAINED not in rules(document)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
TURNS = st.fixed_dictionaries(
    {"prompt": TEXTS},
    optional={
        "expected_response": TEXTS,
        "context": TEXTS,
        "response": TEXTS,
        "evaluators": st.dictionaries(
            st.sampled_from(["Relevance", "Coherence", "Groundedness"]),
            st.fixed_dictionaries({}, optional={"threshold": st.integers(1, 5)}),
        ),
        "extensions": st.dictionaries(TEXTS, VALUES, max_size=2),
    },
)
ITEMS = TURNS | st.fixed_dictionaries(
    {"turns": st.lists(TURNS, min_size=1, max_size=3)}, optional={"name": TEXTS}
)


@given(st.lists(ITEMS, min_size=1, max_size=5))
def test_every_item_that_the_schema_accepts_becomes_a_case_of_its_own_key(
    items: list[dict[str, object]],
) -> None:
    cases = accept(*items).cases

    assert [case.index for case in cases] == list(range(len(items)))
    assert len({case.key for case in cases}) == len(items)
    for case, item in zip(cases, items, strict=True):
        turns = item.get("turns", [item])
        assert isinstance(turns, list)
        assert [turn.prompt for turn in case.turns] == [turn["prompt"] for turn in turns]
        assert all(turn.evaluators for turn in case.turns)
        assert case.location.line
