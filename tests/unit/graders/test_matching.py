"""Patterns and schemas of a stranger, in a process that can be ended."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from mergebar.graders import matching, matching_worker
from mergebar.graders.matching import Bounds, ProcessMatcher
from mergebar.model.conversations import ErrorClass, Failure

T = TypeVar("T")


def with_matcher(use: Callable[[ProcessMatcher], Awaitable[T]], *, once_s: float = 20.0) -> T:
    async def run() -> T:
        matcher = ProcessMatcher(os.environ, bounds=Bounds(once_s=once_s))
        try:
            return await use(matcher)
        finally:
            await matcher.aclose()

    return asyncio.run(run())


def test_each_text_is_searched() -> None:
    async def use(matcher: ProcessMatcher) -> object:
        return await matcher.search("b+", "i", ["abc", "xyz", "", "\ud800B"])

    assert with_matcher(use) == (True, False, False, True)


def test_no_text_needs_no_process() -> None:
    async def use(matcher: ProcessMatcher) -> object:
        return await matcher.search("a", "", [])

    assert with_matcher(use) == ()


def test_a_pattern_that_is_none_is_a_failure_of_the_configuration() -> None:
    async def use(matcher: ProcessMatcher) -> object:
        return await matcher.search("[", "", ["a"])

    found = with_matcher(use)

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.CONFIG


def test_after_a_pattern_that_never_ends_the_next_one_is_searched() -> None:
    async def use(matcher: ProcessMatcher) -> tuple[object, object]:
        first = await matcher.search("(a*)*b", "", ["a" * 50])
        return first, await matcher.search("a", "", ["a"])

    first, second = with_matcher(use, once_s=1.0)

    assert isinstance(first, Failure)
    assert second == (True,)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "no JSON",
        '{"do": "violations", "schema": {"$ref": "file:///etc/passwd"}, "value": 2}',
        "[" * 100_000,
    ],
)
def test_a_question_that_is_none_is_a_fault_in_one_line(line: str) -> None:
    fault = matching_worker.answer(line)["fault"]

    assert isinstance(fault, str)
    assert "\n" not in fault


def test_violations_are_few_and_short() -> None:
    question = {"do": "violations", "schema": {"items": {"type": "string"}}, "value": [{}] * 100}

    answer = matching_worker.answer(json.dumps(question))

    listed = answer["violations"]
    assert isinstance(listed, list)
    assert len(listed) == 21
    assert all(len(str(one)) <= 300 for one in listed)


def test_the_environment_of_the_process_holds_no_token() -> None:
    worker = matching.ProcessMatcher({"GITHUB_TOKEN": "t", "OPENAI_API_KEY": "k", "PATH": "/bin"})

    assert worker._worker._environ == {"PATH": "/bin"}
