"""What a schema has against a value: each fault once, at its node, in plain words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.text import Json, JsonObject
from mergebar.reading import schemas
from mergebar.reading.accepting import accepts
from mergebar.reading.explaining import explain
from mergebar.reading.schema_faults import SchemaFault


def document(item: Json, **root: Json) -> Json:
    return {"schemaVersion": "1.7.0", "items": [item], **root}


def only(value: Json, *, minor: int = 7) -> SchemaFault:
    schema = schemas.eval_document(minor)
    assert not accepts(schema)(value)
    [fault] = explain(schema, value)
    return fault


QUERY: dict[str, Json] = {"capability": "Email", "selector": "x"}
ITEM = ("items", 0)
OF_A_THREAD = "`name`, `description`, `turns`, `conversation_id`, `summary`, `extensions`"
OF_A_QUERY = "`capability`, `selector`, `includes`, `excludes`"

DOCUMENT_FAULTS: list[tuple[Json, tuple[str | int, ...], str, str, bool]] = [
    ([], (), "type", "the document must be an object, and is a list", False),
    (
        {"schemaVersion": "1.7.0"},
        (),
        "required",
        "`items` is missing: the document needs it",
        False,
    ),
    (
        {"schemaVersion": 1.7, "items": [{"prompt": "x"}]},
        ("schemaVersion",),
        "type",
        "`schemaVersion` must be a string, and is `1.7`",
        False,
    ),
    (
        {"schemaVersion": "1.7", "items": [{"prompt": "x"}]},
        ("schemaVersion",),
        "pattern",
        r"`schemaVersion` must match `^1\.\d+\.\d+$` (for example `1.7.0`), and is `1.7`",
        False,
    ),
    (
        {"schemaVersion": "1.7.0\n", "items": [{"prompt": "x"}]},
        ("schemaVersion",),
        "pattern",
        r"`schemaVersion` must match `^1\.\d+\.\d+$` (for example `1.7.0`), and is `1.7.0 `",
        False,
    ),
    (
        {"schemaVersion": "1.7.0", "items": []},
        ("items",),
        "length",
        "`items` must not be empty",
        False,
    ),
    (
        {"schemaVersion": "1.7.0", "items": {}},
        ("items",),
        "type",
        "`items` must be a list, and is an object",
        False,
    ),
    (document("x"), ITEM, "type", "entry 1 of `items` must be an object, and is the string `x`", False),
    (document(None), ITEM, "type", "entry 1 of `items` must be an object, and is `null`", False),
    (document({}), ITEM, "required", "`prompt` is missing: an item or turn needs it", False),
    (
        document({"prompt": ""}),
        (*ITEM, "prompt"),
        "length",
        "`prompt` must not be empty",
        False,
    ),
    (
        document({"prompt": "x", "expeceted_response": "y"}),
        (*ITEM, "expeceted_response"),
        "unknown-key",
        "`expeceted_response` is not a known key of an item or turn; did you mean `expected_response`?",
        True,
    ),
    (
        document({"promt": "x"}),
        (*ITEM, "promt"),
        "unknown-key",
        "`promt` is not a known key of an item or turn; did you mean `prompt`?",
        True,
    ),
    (
        document({"prompt": "x", "turns": [{"prompt": "y"}]}),
        (*ITEM, "prompt"),
        "unknown-key",
        f"`prompt` is not a known key of a thread; known are {OF_A_THREAD}",
        True,
    ),
    (
        document({"turns": [{"prompt": "y"}] * 21}),
        (*ITEM, "turns"),
        "length",
        "`turns` must have at most 20 entries, and has 21",
        False,
    ),
    (
        document({"prompt": "x", "evaluators_mode": "merge"}),
        (*ITEM, "evaluators_mode"),
        "enum",
        "`evaluators_mode` must be one of `extend`, `replace`, and is `merge`",
        False,
    ),
    (
        document({"prompt": "x", "evaluators_mode": "Extend"}),
        (*ITEM, "evaluators_mode"),
        "enum",
        "`evaluators_mode` must be one of `extend`, `replace`, and is `Extend`; did you mean `extend`?",
        False,
    ),
    (
        document({"prompt": "x", "evaluators": {"Relevance": {"threshold": 7}}}),
        (*ITEM, "evaluators", "Relevance", "threshold"),
        "range",
        "`threshold` must be at most 5, and is `7`",
        False,
    ),
    (
        document({"prompt": "x", "evaluators": {"Citations": {"threshold": 1.5}}}),
        (*ITEM, "evaluators", "Citations", "threshold"),
        "type",
        "`threshold` must be a whole number, and is `1.5`",
        False,
    ),
    (
        document({"prompt": "x", "evaluators": {"ExactMatch": {"case_sensitive": "no"}}}),
        (*ITEM, "evaluators", "ExactMatch", "case_sensitive"),
        "type",
        "`case_sensitive` must be `true` or `false`, and is the string `no`",
        False,
    ),
    (
        document({"prompt": "x", "evaluators": {"RetrievalQuery": {"selector": "x"}}}),
        (*ITEM, "evaluators", "RetrievalQuery"),
        "required",
        "`capability` is missing: RetrievalQuery needs it",
        False,
    ),
    (
        document({"prompt": "x", "evaluators": {"RetrievalQuery": {**QUERY, "threshold": 1}}}),
        (*ITEM, "evaluators", "RetrievalQuery", "threshold"),
        "unknown-key",
        f"`threshold` is not a known key of RetrievalQuery; known are {OF_A_QUERY}",
        True,
    ),
    (
        document({"prompt": "x", "evaluators": {"RetrievalResult": {"capability": "Email"}}}),
        (*ITEM, "evaluators", "RetrievalResult"),
        "required",
        "`expected_items` or `min_expected_count` is missing: RetrievalResult needs one of them",
        False,
    ),
    (
        document({"prompt": "x"}, default_evaluators={"1bad": {}}),
        ("default_evaluators", "1bad"),
        "pattern",
        "the key `1bad` must match `^[a-zA-Z][a-zA-Z0-9_]*$`",
        True,
    ),
    (
        document({"prompt": "x", "scores": {"relevance": {"result": "error"}}}),
        (*ITEM, "scores", "relevance"),
        "required",
        "`error` is missing: a failed evaluator's record needs it",
        False,
    ),
    (
        document({"prompt": "x", "scores": {"relevance": {"result": "ok", "score": 3, "threshold": 3}}}),
        (*ITEM, "scores", "relevance", "result"),
        "enum",
        "`result` must be one of `pass`, `fail`, and is `ok`",
        False,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("value", "pointer", "rule", "message", "on_key"), DOCUMENT_FAULTS)
def test_a_fault_of_a_document_is_told_once_and_in_plain_words(
    value: Json, pointer: tuple[str | int, ...], rule: str, message: str, *, on_key: bool
) -> None:
    assert only(value) == SchemaFault(
        pointer=pointer, rule=f"schema/{rule}", message=message, on_key=on_key
    )


def test_a_tool_call_score_is_held_to_its_result() -> None:
    score: Json = {"score": 0, "result": "pass", "threshold": 1, "reason": "x"}
    value = document({"prompt": "x", "scores": {"toolCallSelection": score}})
    assert only(value, minor=11).message == "`score` must be `1`, and is `0`"


def test_every_missing_key_and_every_unknown_key_is_told() -> None:
    value = document({"prompt": "x", "a": 1, "b": 2, "error": {}})
    faults = explain(schemas.eval_document(7), value)
    assert sorted(fault.message.split(":")[0].split(" of ")[0] for fault in faults) == [
        "`a` is not a known key",
        "`b` is not a known key",
        "`code` is missing",
        "`message` is missing",
    ]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 200])
def test_the_faults_of_a_list_are_the_same_however_long_it_is(size: int) -> None:
    entry: Json = {"$ref": "#/$defs/entry"}
    schema: JsonObject = {
        "type": "object",
        "properties": {"list": {"type": "array", "items": entry}},
        "$defs": {"entry": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    }
    wrong: list[Json] = [{"n": "x"}, 3]
    right: list[Json] = [{"n": index} for index in range(size)]

    found = explain(schema, {"list": [*right, *wrong, *right]})

    assert [fault.pointer for fault in found] == [("list", size, "n"), ("list", size + 1)]
    assert explain(schema, {"list": right}) == ()


def test_no_value_is_dumped_at_length() -> None:
    fault = only(document({"prompt": "x", "status": "long\n" * 1000}))
    assert "long long" in fault.message
    assert "\n" not in fault.message
    assert len(fault.message) < 150


def closed(title: str, **properties: Json) -> Json:
    return {
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "required": ["type"],
        "properties": properties,
    }


AGENTS: JsonObject = {
    "title": "an agent",
    "oneOf": [
        {"$ref": "#/$defs/command"},
        closed("a replay agent", type={"const": "replay"}, recordings={"type": "string"}),
    ],
    "$defs": {
        "command": closed("a command agent", type={"const": "command"}, command={"type": "array"})
    },
}
ALTERNATIVES: list[tuple[JsonObject, Json, tuple[str | int, ...], str, str]] = [
    (AGENTS, {"type": "command", "command": "x"}, ("command",), "type",
     "`command` must be a list, and is the string `x`"),
    (AGENTS, {"type": "replay", "command": []}, ("command",), "unknown-key",
     "`command` is not a known key of a replay agent; known are `type`, `recordings`"),
    (AGENTS, {"type": "comand"}, ("type",), "enum",
     "`type` must be one of `command`, `replay`, and is `comand`; did you mean `command`?"),
    (AGENTS, {"command": []}, (), "required",
     "`type` is missing: an agent needs it, one of `command`, `replay`"),
    (AGENTS, 5, (), "type", "an agent must be an object, and is `5`"),
    ({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, [1], (0,),
     "type", "entry 1 must be a string, and is `1`"),
    ({"anyOf": [{"type": "string"}, {"type": ["array", "null"]}]}, {}, (),
     "type", "the value must be a string, a list or `null`, and is an object"),
    ({"anyOf": [{"const": "always"}, {"enum": ["never", "changes"]}]}, "nevr", (), "enum",
     "the value must be one of `always`, `never`, `changes`, and is `nevr`; did you mean `never`?"),
    ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 1}, (), "not-allowed",
     "`a` and `b` are given together: this object may have only one of them"),
    ({"oneOf": [{"type": "number"}, {"minimum": 1}]}, 2, (), "not-allowed",
     "the value fits several alternatives, and must fit one"),
    ({"anyOf": [{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
                {"properties": {"a": {"type": "string"}}}]}, {"a": 1, "b": 1}, ("a",), "type",
     "`a` must be a string, and is `1`"),
    ({"properties": {"x": False}}, {"x": 1}, ("x",), "not-allowed",
     "`x` is not allowed here: this object can't have it"),
    ({"not": {"required": ["x"]}}, {"x": 1}, ("x",), "not-allowed",
     "`x` is not allowed here: this object can't have it"),
    ({"properties": {"a": {"not": {"const": 1}}}}, {"a": 1}, ("a",), "not-allowed",
     "`a` has a value that is not allowed here"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, (), "required",
     "`b` is missing: `a` needs it"),
    ({"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False},
     {"x": 1}, ("x",), "type", "`x` must be a string, and is `1`"),
    ({"additionalProperties": {"type": "string"}}, {"x": 1}, ("x",), "type",
     "`x` must be a string, and is `1`"),
    ({"items": {"uniqueItems": True}}, [[1, 1]], (0,), "unique",
     "entry 1 must not have an entry twice"),
    ({"contains": {"const": 1}}, [2], (), "contains",
     "the value doesn't satisfy `contains` of the schema"),
    ({"exclusiveMinimum": 0}, 0, (), "range", "the value must be more than 0, and is `0`"),
    ({"minProperties": 2}, {"a": 1}, (), "length",
     "the value must have at least 2 keys, and has 1"),
    ({"additionalProperties": False}, {"": 1}, ("",), "unknown-key",
     "an empty string is not a known key of this object"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "pointer", "rule", "message"), ALTERNATIVES)
def test_any_schema_is_explained_by_the_alternative_that_was_meant(
    schema: JsonObject, value: Json, pointer: tuple[str | int, ...], rule: str, message: str
) -> None:
    assert not accepts(schema)(value)
    [fault] = explain(schema, value)
    assert (fault.pointer, fault.rule, fault.message) == (pointer, f"schema/{rule}", message)


VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["a", "command", "replay", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "x", "type", "command"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.sampled_from([schema for schema, *_ in ALTERNATIVES]), VALUES)
def test_there_is_something_to_explain_exactly_where_the_quick_look_says_no(
    schema: JsonObject, value: Json
) -> None:
    assert accepts(schema)(value) == (explain(schema, value) == ())
