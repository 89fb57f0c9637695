"""YAML files: what is read by the 1.2 core schema, and what is said, at which place, of the rest."""

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading import yaml_text
from mergebar.reading.lines import Lines
from mergebar.reading.yaml_building import MAX_ALIASED, Builder
from mergebar.reading.yaml_text import YamlText


def read(data: bytes | str) -> YamlText:
    encoded = data.encode() if isinstance(data, str) else data
    parsed = yaml_text.parse(encoded, path="a.yml", prefix="config")
    assert isinstance(parsed, YamlText), parsed
    return parsed


def problems(data: bytes | str, *, first_line: int = 1) -> tuple[Problem, ...]:
    encoded = data.encode() if isinstance(data, str) else data
    parsed = yaml_text.parse(encoded, path="a.yml", prefix="config", first_line=first_line)
    assert isinstance(parsed, tuple), parsed
    assert all(problem.path == "a.yml" for problem in parsed)
    return parsed


def test_scalars_mean_what_the_core_schema_of_yaml_1_2_says() -> None:
    written = {
        "no": "no", "on": "on", "Yes": "Yes", "12:30": "12:30", "1_000": "1_000", "0b11": "0b11",
        "2001-01-01": "2001-01-01", "1e": "1e", "tRUE": "tRUE", "-.": "-.", "..": "..", "0x": "0x",
        "0777": 777, "0o17": 15, "0x1F": 31, "+1": 1, "-0": 0, "1e3": 1000.0, ".5": 0.5,
        "5.": 5.0, "-1.5E-2": -0.015, "true": True, "FALSE": False, "~": None, "Null": None,
        "": None, "'5'": "5", '"true"': "true", "!!str 5": "5", "! 5": "5", '!!int "0x1F"': 31,
        "!!float 3": 3.0, "!!bool true": True, '!!null ""': None,
    }  # fmt: skip
    text = "\n".join(f"k{index}: {scalar}" for index, scalar in enumerate(written))
    value = read(text).value
    assert isinstance(value, dict)
    for index, (scalar, meant) in enumerate(written.items()):
        found = value[f"k{index}"]
        assert (type(found), found) == (type(meant), meant), scalar


def test_a_float_tag_gives_a_float() -> None:
    assert isinstance(read("!!float 3").value, float)


# text, line, column, rule, a part of the sentence
REFUSED = [
    ("a: b: c", 1, 5, "yaml-syntax", "quote a text that holds `: `"),
    ("a:\n\tb: 1", 2, 1, "yaml-syntax", "a tab can't indent: use spaces"),
    ("a:\n  b:\n\t- c", 3, 1, "yaml-syntax", "a tab can't indent"),
    ("a: [1, 2", 1, 9, "yaml-syntax", "the list that begins on line 1 needs `,` or `]`"),
    ("x: 1\na: {b: 1\n", 3, 1, "yaml-syntax", "the object that begins on line 2 needs `,` or `}`"),
    ('a: "x\n\nb: 1', 1, 4, "yaml-syntax", "the quoted text that begins here is never closed"),
    ("a: @x", 1, 4, "yaml-syntax", "a text can't begin with `@`: put it in quotes"),
    ("a: `x`", 1, 4, "yaml-syntax", "can't begin with a backtick"),
    ("a: %x", 1, 4, "yaml-syntax", "can't begin with `%`"),
    ("paths: [**/*.json]", 1, 9, "yaml-syntax", "`*` begins an alias: quote"),
    ("paths: [!**/x]", 1, 9, "yaml-syntax", "`!` begins a tag: quote"),
    ("a: & b", 1, 4, "yaml-syntax", "`&` begins an anchor: quote"),
    ("!e!x a", 1, 1, "yaml-syntax", "`!` begins a tag"),
    ("%YAML 1.3\n---\na", 1, 1, "yaml-syntax", "remove the `%YAML` line"),
    ("- a\nb: 1", 2, 1, "yaml-syntax", "an entry (`- `) is expected"),
    ("key: |\n   a\n  b\n", 3, 3, "yaml-syntax", "a key is expected here"),
    ("a: 1\nb\n", 2, 1, "yaml-syntax", "a key without `:`"),
    ('- "It says "hi"."', 1, 13, "yaml-syntax", "the quoted text ends before this: write"),
    ("- 'It's fine.'", 1, 7, "yaml-syntax", "the quoted text ends before this: write `''`"),
    ('a: "x" and b\nb: 1', 1, 8, "yaml-syntax", "the quoted text ends before this"),
    ("a: - b", 1, 4, "yaml-syntax", "`- ` can't stand here"),
    ("a: ]", 1, 4, "yaml-syntax", "a value is expected here"),
    ('a: "\\q"', 1, 5, "yaml-syntax", "not an escape of YAML"),
    ("a: é\x07", 1, 5, "yaml-syntax", "the control character U+0007"),
    ("a: 1\n---\nb: 2", 2, 1, "several-documents", "a second document begins here"),
    ("a: !foo 1", 1, 4, "tag", "`!foo` is a tag"),
    ("a: !!binary aGk=", 1, 4, "tag", "core schema"),
    ("!!set {a}", 1, 1, "tag", "core schema"),
    ("a: !!int x", 1, 4, "tag", "`x` isn't what its tag says"),
    ("a: *x", 1, 4, "alias", "no anchor `&x` stands before it"),
    ("a: &x [1, *x]", 1, 11, "alias", "stands within what it refers to"),
    ("a: 1\nb: 2\na: 3", 3, 1, "duplicate-key", "`a` is given twice in one object, on line 1"),
    ("{a: 1, 'a': 2}", 1, 8, "duplicate-key", "on line 1 and again on line 1"),
    ("1: a", 1, 1, "non-string-key", "the key `1` is not a text: put it in quotes"),
    ("true: a", 1, 1, "non-string-key", "the key `true`"),
    ("~: a", 1, 1, "non-string-key", "the key `~`"),
    ("? [a]\n: 1", 1, 3, "non-string-key", "a list or object can't be a key"),
    ("<<: [1]", 1, 5, "merge-key", "`<<` takes an object"),
    ("a: .inf", 1, 4, "non-finite-number", "`.inf` is no finite number"),
    ("a: [-.INF, .nan]", 1, 5, "non-finite-number", "`-.INF`"),
    ("a: 1e999", 1, 4, "non-finite-number", "`1e999` is too large"),
    ("a: " + "9" * 10_000, 1, 4, "non-finite-number", "is too large"),
    ("a: 0x" + "f" * 10_000, 1, 4, "non-finite-number", "is too large"),
    ('a: "\\ud800"', 1, 7, "lone-surrogate", "half of a character"),
    ("%\na: 1", None, None, "yaml-syntax", "`%` begins a directive"),
    ("%x: 1", None, None, "yaml-syntax", "`%` begins a directive"),
    ("%YAML\n---\na: 1", None, None, "yaml-syntax", "remove the `%YAML` line"),
    ("{a: b:[}", 1, 6, "yaml-syntax", "`:` can't stand here"),
    ("[" * 100_000, None, None, "too-deep", "too deep"),
    ("- " * 100_000, 1, 401, "too-deep", "200 deep"),
    ("\n".join(" " * depth + "a:" for depth in range(400)), 201, 201, "too-deep", "200 deep"),
    ("[" * 201 + "]" * 201, 1, 201, "too-deep", "200 deep"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "rule", "part"), REFUSED)
def test_what_is_refused_is_said_in_a_sentence_at_its_place(
    text: str, line: int | None, column: int | None, rule: str, part: str
) -> None:
    problem = next(problem for problem in problems(text) if problem.level is Level.ERROR)
    assert problem.rule == f"config/{rule}"
    assert part in problem.message
    assert len(problem.message) < 200
    if line is not None:
        assert (problem.line, problem.column) == (line, column)


def test_every_fault_is_told_at_once_and_so_is_what_ends_the_reading() -> None:
    text = "a: !x 1\n1: .nan\na: 2\nb: [*no]\nc: : d"
    assert [(p.rule, p.line) for p in problems(text)] == [
        ("config/tag", 1),
        ("config/non-string-key", 2),
        ("config/non-finite-number", 2),
        ("config/duplicate-key", 3),
        ("config/alias", 4),
        ("config/yaml-syntax", 5),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\na: 2\nb: 3", {"a": 1, "b": 3}),
        ("a: {b: 1, b: [2]}\n1: 2", {"a": {"b": 1}, "1": 2}),
        ("a: .inf\nb: !x y\nc: !!int z", {"a": ".inf", "b": "y", "c": "z"}),
    ],
)
def test_a_text_whose_meaning_is_clear_is_read_past_its_faults(text: str, value: Json) -> None:
    parsed = yaml_text.parse(text.encode(), path="m.yml", prefix="config", read_past=True)

    assert isinstance(parsed, YamlText)
    assert parsed.value == value
    assert parsed.problems == yaml_text.parse(text.encode(), path="m.yml", prefix="config")


@pytest.mark.parametrize(
    "text", ["a: 1\na: *b", "a: 1\na: [", 'a: 1\na: "\\ud800"', "a: 1\na: 2\n---\n"]
)
def test_a_text_of_unclear_meaning_has_only_faults(text: str) -> None:
    parsed = yaml_text.parse(text.encode(), path="m.yml", prefix="config", read_past=True)

    assert isinstance(parsed, tuple)


def test_lines_are_those_of_the_file_when_the_text_begins_further_down() -> None:
    [problem] = problems("a: 1\na: 2", first_line=11)
    assert (problem.line, problem.column) == (12, 1)
    assert "on line 11 and again on line 12" in problem.message
    [problem] = problems(b"a: 1\nb: \xff", first_line=11)
    assert (problem.line, problem.column) == (12, 4)
    parsed = yaml_text.parse(b"a:\n  b: 1", path="a", prefix="artifact", first_line=11)
    assert isinstance(parsed, YamlText)
    assert parsed.positions.locate(["a", "b"]) == (12, 6)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n"])
def test_an_empty_file_has_no_value_and_no_problem(text: str) -> None:
    parsed = read(text)
    assert (parsed.value, parsed.problems) == (None, ())
    assert parsed.positions.locate(["a"])[1] == 1


def test_wide_encodings_are_named_and_a_byte_order_mark_is_a_notice() -> None:
    [problem] = problems("a: 1".encode("utf-16"))
    assert problem.rule == "config/encoding"
    assert "UTF-16" in problem.message
    parsed = read(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert [p.rule for p in parsed.problems] == ["config/byte-order-mark"]
    assert parsed.value == {"a": 1, "b": 2}
    assert parsed.positions.locate(["b"]) == (2, 4)


def test_line_ends_that_only_yaml_1_1_knew_move_no_line() -> None:
    parsed = read('a: "x\u2028y\x85z"\nb: 1')
    assert parsed.positions.locate(["b"], key=True) == (2, 1)


TEXT = """\
# comment
agents:
  "a b": &first
    type: command   # é😀
    command: [python3, 'x y']
  other: *first
rules:
- match: {path: x}
-   weight: 2
"""


@pytest.mark.parametrize(
    ("pointer", "key", "place"),
    [
        ((), False, (2, 1)),
        (("agents",), True, (2, 1)),
        (("agents", "a b"), True, (3, 3)),
        (("agents", "a b"), False, (3, 10)),
        (("agents", "a b", "command", 1), False, (5, 24)),
        (("agents", "a b", "command", 1), True, (5, 24)),
        (("agents", "other"), True, (6, 3)),
        (("agents", "other"), False, (6, 10)),
        (("agents", "other", "type"), True, (4, 5)),
        (("rules", 1, "weight"), True, (9, 5)),
        (("rules", 1, "weight"), False, (9, 13)),
        (("rules", 0, "match", "path"), False, (8, 17)),
        (("rules", 0, "absent", "x"), True, (8, 3)),
        (("rules", 5), False, (8, 1)),
    ],
)
def test_a_node_is_found_at_its_line_and_column(
    pointer: tuple[str | int, ...], *, key: bool, place: tuple[int, int]
) -> None:
    assert read(TEXT).positions.locate(pointer, key=key) == place


def test_merge_keys_are_taken_with_a_notice_and_own_keys_win() -> None:
    parsed = read("base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\na:\n  <<: [*b, *o]\n  x: 9\n")
    assert isinstance(parsed.value, dict)
    assert parsed.value["a"] == {"x": 9, "y": 2, "z": 4}
    assert [(p.level, p.rule, p.line) for p in parsed.problems] == [
        (Level.NOTICE, "config/merge-key", 4)
    ]
    assert parsed.positions.locate(["a", "y"]) == (1, 20)
    assert read("'<<': 1").value == {"<<": 1}


def test_aliases_are_followed_and_their_number_is_limited() -> None:
    assert read("a: &x {b: 1}\nc: [*x, *x]\nd: *x").value == {
        "a": {"b": 1},
        "c": [{"b": 1}, {"b": 1}],
        "d": {"b": 1},
    }
    laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
    )
    before = time.process_time()
    [problem] = problems(laughs)
    assert time.process_time() - before < 0.5
    assert problem.rule == "config/too-many-aliases"
    assert f"{MAX_ALIASED:,}" in problem.message
    assert problem.line == 5


def test_aliases_do_not_nest_deeper_than_lists_may() -> None:
    deep = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 300))
    assert problems(deep)[0].rule == "config/too-deep"


def test_the_loader_in_pure_python_reads_the_same() -> None:
    for text in [TEXT, "a: [1, {b: c}]\n", "- |\n  x\n- 'y'\n- !!str 1\n"]:
        builder = Builder(Lines(text))
        builder.take(yaml.parse(text, Loader=yaml.SafeLoader))
        assert builder.root is not None
        assert builder.root.node.value == read(text).value
        assert builder.faults == []


def test_what_the_pure_loader_refuses_has_a_sentence_too() -> None:
    for text, _, _, rule, _ in REFUSED:
        if rule == "yaml-syntax" and "%YAML" not in text:
            _, fatal = yaml_text._build(text, Lines(text), yaml.SafeLoader)
            assert fatal is not None, text
            assert fatal.rule == "yaml-syntax"
            assert "invalid YAML: " in fatal.sentence


TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff")
).filter(lambda text: text[:1] not in set("+-.0123456789"))
"""Without what only YAML 1.2 takes for a number: the writer leaves that unquoted."""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc <-:#", max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(VALUES, st.booleans())
def test_whatever_is_written_is_read(value: Json, flow: bool) -> None:  # noqa: FBT001 -- drawn
    text = yaml.safe_dump(value, allow_unicode=True, default_flow_style=flow)
    parsed = yaml_text.parse(text.encode(), path="a", prefix="config")
    assert isinstance(parsed, YamlText), parsed
    assert parsed.value == value


@settings(deadline=None)
@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    parsed = yaml_text.parse(data, path="a", prefix="config")
    if not isinstance(parsed, YamlText):
        assert any(problem.level is Level.ERROR for problem in parsed)


PIECES = [
    *"{}[],:\"'-?&*!|>%@`#~0 \t\n\\",
    *(
        "a",
        "b: ",
        "- ",
        "\n  ",
        "\n",
        "&x ",
        "*x",
        "<<: ",
        "!!str ",
        "---\n",
        "1e999",
        "? ",
        "\ufeff",
    ),
    *("\\ud800", "\x85", "\u2028", "\r\n", "\r", "é", "😀"),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_almost_yaml_never_crashes_and_problems_stand_within_the_file(text: str) -> None:
    parsed = yaml_text.parse(text.encode(), path="a", prefix="config")
    found = parsed.problems if isinstance(parsed, YamlText) else parsed
    lines = text.removeprefix("\ufeff").split("\n")
    for problem in found:
        assert problem.line is not None
        assert problem.column is not None
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
