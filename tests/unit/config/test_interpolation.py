"""`${NAME}` in the texts of a configuration."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.config import interpolation
from mergebar.config.interpolation import Missing, Reference, Resolved
from mergebar.model.text import Json


def test_references_are_replaced_wherever_a_text_stands() -> None:
    value: Json = {
        "url": "${HOST}/ask",
        "headers": {"Authorization": "Bearer ${KEY}", "Accept": "text/plain"},
        "argv": ["run", "${KEY}${KEY}"],
        "turns": 3,
    }

    resolved = interpolation.resolve(value, {"HOST": "http://here", "KEY": "k-1", "OTHER": "x"})

    assert resolved == Resolved(
        value={
            "url": "http://here/ask",
            "headers": {"Authorization": "Bearer k-1", "Accept": "text/plain"},
            "argv": ["run", "k-1k-1"],
            "turns": 3,
        },
        secrets=frozenset({"http://here", "k-1"}),
    )


def test_what_is_missing_is_named_with_the_keys_that_need_it() -> None:
    value: Json = {"url": "${URL}", "list": ["${KEY}", "${SET}"], "again": "${URL}"}

    missing = interpolation.resolve(value, {"SET": "yes", "KEY": ""}, pointer=("agents", "support"))

    assert missing == Missing(
        references=(
            Reference(name="KEY", key="agents.support.list[0]"),
            Reference(name="URL", key="agents.support.again"),
            Reference(name="URL", key="agents.support.url"),
        )
    )
    assert isinstance(missing, Missing)
    assert missing.names == ("KEY", "URL")


def test_a_value_from_the_environment_is_not_read_again() -> None:
    resolved = interpolation.resolve("${A}", {"A": "${B} $${C}", "B": "secret"})

    assert resolved == Resolved(value="${B} $${C}", secrets=frozenset({"${B} $${C}"}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$${NAME}", "${NAME}"),
        ("a $${X} b ${Y}", "a ${X} b y"),
        ("$NAME and $5", "$NAME and $5"),
        ("$$${Y}", "$${Y}"),
        ("{prompt}", "{prompt}"),
    ],
)
def test_a_dollar_can_be_meant_as_it_stands(text: str, expected: str) -> None:
    resolved = interpolation.resolve(text, {"Y": "y"})

    assert isinstance(resolved, Resolved)
    assert resolved.value == expected


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "INPUT_CONFIG", "ACTIONS_RUNTIME_TOKEN"])
def test_what_is_the_runners_is_never_read(name: str) -> None:
    assert isinstance(interpolation.resolve(f"${{{name}}}", {name: "taken"}), Missing)
    assert f"`${{{name}}}` is refused" in "".join(interpolation.faults(f"x ${{{name}}}"))


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("${}", "needs a name"),
        ("${1A}", "needs a name"),
        ("${A B}", "needs a name"),
        ("${A", "`${A` has no `}`"),
        ("${A:-b}", "has no defaults"),
        ("ok ${A} then ${b-c}", "needs a name"),
    ],
)
def test_a_malformed_reference_is_a_sentence(text: str, fragment: str) -> None:
    [message] = interpolation.faults(text)

    assert fragment in message
    assert "write `$${`" in message


@pytest.mark.parametrize("text", ["", "plain", "$${", "${A}", "${_a1}", "$A", "$$${B}"])
def test_a_sound_text_has_no_fault(text: str) -> None:
    assert not [*interpolation.faults(text)]


def test_each_reference_of_a_text_has_its_own_fault() -> None:
    text = "${A:-b} $${c-d} ${e-f} ${OK} ${GITHUB_TOKEN} ${g"

    named = [message.split(" ")[0] for message in interpolation.faults(text)]

    assert named == ["`${A:-b}`", "`${e-f}`", "`${GITHUB_TOKEN}`", "`${g`"]


@given(st.text(st.sampled_from("${}AB_:"), max_size=12))
def test_a_sound_text_resolves_when_all_its_names_are_set(text: str) -> None:
    environ = dict.fromkeys(interpolation.names(text), "v")

    resolved = interpolation.resolve(text, environ)

    assert isinstance(resolved, Resolved)
    assert resolved.secrets == frozenset(environ.values())


@given(st.text(max_size=20).filter(lambda text: "${" not in text))
def test_a_text_without_references_stays_as_it_is(text: str) -> None:
    assert interpolation.resolve(text, {}) == Resolved(value=text, secrets=frozenset())
