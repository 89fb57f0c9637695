"""Diagnostics as agents really send them: anything may be anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.evaluators import retrieval
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.text import Json

JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "capability",
                    "status",
                    "queries",
                    "queryString",
                    "retrievalHits",
                    "rank",
                    "webUrl",
                    "extracts",
                    "text",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def read(listed: Json) -> tuple[retrieval.Execution, ...] | Failure:
    return retrieval.executions({"retrieval_executions": listed})


@given(JSON)
def test_no_diagnostics_crash_the_reader(listed: Json) -> None:
    assert isinstance(read(listed), tuple | Failure)


@pytest.mark.parametrize("diagnostics", [None, {}, {"retrieval_executions": None}, {"other": []}])
def test_absent_and_null_are_not_the_same_as_empty(diagnostics: dict[str, Json] | None) -> None:
    assert isinstance(retrieval.executions(diagnostics), Failure)
    assert read([]) == ()


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ("none", "`retrieval_executions` is a string and not a list"),
        ({}, "`retrieval_executions` is an object and not a list"),
        ([7], "`retrieval_executions[0]` is a number and not an object"),
        ([{}, None], "`retrieval_executions[1]` is null and not an object"),
        ([{"capability": 1}], "`retrieval_executions[0].capability` is a number and not a string"),
        ([{"status": True}], "[0].status` is true or false and not a string"),
        ([{"queries": {}}], "[0].queries` is an object and not a list"),
        ([{"queries": ["q"]}], "[0].queries[0]` is a string and not an object"),
        ([{"queries": [{"queryString": []}]}], "[0].queries[0].queryString` is a list"),
        ([{"retrievalHits": "h"}], "[0].retrievalHits` is a string and not a list"),
        ([{"retrievalHits": [None]}], "[0].retrievalHits[0]` is null and not an object"),
        ([{"retrievalHits": [{"rank": "1"}]}], "[0].rank` is a string and not a whole number"),
        ([{"retrievalHits": [{"rank": 1.5}]}], "[0].rank` is a number and not a whole number"),
        ([{"retrievalHits": [{"rank": True}]}], "[0].rank` is true or false"),
        ([{"retrievalHits": [{"webUrl": 1}]}], "[0].webUrl` is a number and not a string"),
        ([{"retrievalHits": [{"extracts": "e"}]}], "[0].extracts` is a string and not a list"),
        ([{"retrievalHits": [{"extracts": ["e"]}]}], "[0].extracts[0]` is a string"),
        ([{"retrievalHits": [{"extracts": [{"text": 1}]}]}], "[0].extracts[0].text` is a number"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(listed: Json, message: str) -> None:
    failed = read(listed)

    assert isinstance(failed, Failure)
    assert failed.error_class is ErrorClass.BAD_RESPONSE
    assert message in failed.message


def test_many_faults_are_said_in_few_words() -> None:
    failed = read([1] * 10_000)

    assert isinstance(failed, Failure)
    assert "and 9997 more" in failed.message
    assert len(failed.message) < 400


def test_nulls_and_missing_keys_are_unknown_and_a_whole_float_is_a_rank() -> None:
    listed: Json = [
        {"capability": None, "status": None, "queries": None, "retrievalHits": None},
        {"retrievalHits": [{"rank": 2.0, "extracts": None}, {"rank": None}], "more": 1},
    ]

    assert read(listed) == (
        retrieval.Execution(capability=None, status=None, queries=(), hits=()),
        retrieval.Execution(
            capability=None,
            status=None,
            queries=(),
            hits=(
                retrieval.Hit(rank=2, url=None, extracts=()),
                retrieval.Hit(rank=2, url=None, extracts=()),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("status", "failed"),
    [(None, False), ("success", False), ("Success", False), ("throttled", True), ("", True)],
)
def test_only_a_stated_status_other_than_success_is_a_failure(
    status: str | None,
    failed: bool,  # noqa: FBT001 - a column of the table
) -> None:
    execution = retrieval.Execution(capability="Pages", status=status, queries=(), hits=())

    assert execution.failed is failed
