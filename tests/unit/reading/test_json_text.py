"""JSON files: what is read, and what is said, at which line and column, of what isn't."""

import json
import re
import subprocess
import sys
import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.model.problems import Level
from mergebar.model.text import Json
from mergebar.reading import json_text
from mergebar.reading.json_text import JsonText
from mergebar.reading.limits import MAX_BYTES, MAX_DEPTH, MAX_TOLD


def read(data: bytes | str) -> JsonText:
    parsed = json_text.parse(data.encode() if isinstance(data, str) else data, path="a.json")
    assert isinstance(parsed, JsonText), parsed
    return parsed


def faults(data: bytes | str) -> list[tuple[str, int | None, int | None, str]]:
    parsed = json_text.parse(data.encode() if isinstance(data, str) else data, path="a.json")
    assert isinstance(parsed, tuple)
    assert all(problem.path == "a.json" for problem in parsed)
    return [(p.rule, p.line, p.column, p.message) for p in parsed if p.level is Level.ERROR]


# Syntax: text, line, column, a part of the sentence.
BROKEN = [
    ('{"a": 1,}', 1, 8, "a comma before `}`: remove it"),
    ('{"a": [1, 2,\n]}', 1, 12, "a comma before `]`: remove it"),
    ("[1,,2]", 1, 4, "a comma with nothing before it"),
    ("[,1]", 1, 2, "a comma with nothing before it"),
    ('{\n  // note\n  "a": 1}', 2, 3, "JSON has no comments"),
    ('{"a": 1 /* x */}', 1, 9, "JSON has no comments"),
    ('{"a": 1}\n# end', 2, 1, "JSON has no comments"),
    ("{'a': 1}", 1, 2, "is no quotation mark of JSON"),
    ("{\u201ca\u201d: 1}", 1, 2, "U+201C"),
    ("{a: 1}", 1, 2, "the key `a` must stand in double quotes"),
    ('{"a": True}', 1, 7, "`True` is no value of JSON: write `true`"),
    ('{"a": None}', 1, 7, "write `null`"),
    ('{"a": yes}', 1, 7, "write `true`"),
    ('{"a": hello}', 1, 7, "a string must stand in double quotes"),
    ('{"a": nan}', 1, 7, "`nan` is no value of JSON"),
    ('{"a": 1\n "b": 2}', 2, 2, 'a comma is missing before `"b": 2}`'),
    ('{"a" 1}', 1, 6, "`:` is missing"),
    ('{"a": }', 1, 7, "a value is expected, not `}`"),
    ("{1: 2}", 1, 2, "a key in double quotes is expected"),
    ('{"a": 1} {"b": 2}', 1, 10, "JSON Lines"),
    ('{"a": 1}}', 1, 9, "`}` closes nothing"),
    ('{"a": 1} x', 1, 10, "something follows the end"),
    ('{\n"a": [1, 2\n}', 3, 1, "can't close the list that begins on line 2: `]` is missing"),
    ('{\n  "a": [1,', 2, 10, "the list that begins on line 2 is closed: `]` is missing"),
    ('{\n  "a": {"b": 1}\n', 2, 15, "the object that begins on line 1 is closed: `}` is missing"),
    ('{"a": "b', 1, 7, "never closed"),
    ('{"a": "b\n"}', 1, 9, "breaks off at the end of the line"),
    ('{"a": "b\tc"}', 1, 9, "write `\\t`"),
    ('{"a": "b\x01c"}', 1, 9, "write `\\u0001`"),
    ('{"a": "C:\\path"}', 1, 10, "`\\p` is not an escape of JSON"),
    ('{"a": "\\u12G4"}', 1, 8, "`\\u12G4` is not an escape"),
    ('{"a": 01}', 1, 7, "must not begin with 0"),
    ('{"a": +1}', 1, 7, "must not begin with `+`"),
    ('{"a": .5}', 1, 7, "a digit before the point"),
    ('{"a": 1.}', 1, 8, "a digit after the point"),
    ('{"a": 0x1F}', 1, 7, "decimal"),
    ('{"a": 1e}', 1, 7, "`1e` is no number of JSON"),
    ('{"a": 1_000}', 1, 7, "`1_000` is no number of JSON"),
    ('{"a": 10x}', 1, 7, "`10x` is no number of JSON"),
    ('{"a": 1.2.3}', 1, 7, "`1.2.3` is no number of JSON"),
    ('{"a": -inf}', 1, 7, "`-inf` is no number of JSON"),
    ('{"a": - 1}', 1, 7, "`-` is no number of JSON"),
    ('{"a": 2024-01-31}', 1, 7, "`2024-01-31` is no number of JSON"),
    ('{"a": nulll}', 1, 7, "`nulll` is no value of JSON: did you mean `null`?"),
    ('{"a": truely}', 1, 7, "`truely` is no value of JSON: did you mean `true`?"),
    ('{"a": fals}', 1, 7, "did you mean `false`?"),
    ("[true.x]", 1, 2, "`true.x` is no value of JSON"),
    ("1 2", 1, 3, "something follows"),
    ('{"a":\u00a01}', 1, 6, "U+00A0"),
    ('{"a": 1,\n\ufeff"b": 2}', 2, 1, "byte order mark (U+FEFF)"),
    ("\0\0\0\0\0", 1, 1, "U+0000"),
    ('{\n<<<<<<< HEAD\n"a": 1}', 2, 1, "merge conflict"),
    ("<html></html>", 1, 1, "HTML or XML"),
    ("{", 1, 1, "`}` is missing"),
    ('{"a":', 1, 5, "`}` is missing"),
    ('"\u00e9\U0001f600" x', 1, 6, "something follows"),
    ('{"a": 1,\r\n"b" 2}', 2, 5, "`:` is missing"),
]


@pytest.mark.parametrize(("text", "line", "column", "part"), BROKEN)
def test_broken_syntax_is_one_sentence_at_its_place(
    text: str, line: int, column: int, part: str
) -> None:
    [(rule, at_line, at_column, message)] = faults(text)
    assert (rule, at_line, at_column) == ("document/json-syntax", line, column)
    assert part in message
    assert message.startswith("invalid JSON: ")


@pytest.mark.parametrize(
    ("text", "line", "column", "rule", "part"),
    [
        ('{"a":\n NaN}', 2, 2, "non-finite-number", "`NaN` is not a JSON number"),
        ('{"a": [1, Infinity]}', 1, 11, "non-finite-number", "`Infinity`"),
        ('{"a": -Infinity}', 1, 7, "non-finite-number", "`-Infinity`"),
        ('{"a": 1e999}', 1, 7, "non-finite-number", "`1e999` is too large"),
        ('{"a": -1e999}', 1, 7, "non-finite-number", "`-1e999` is too large"),
        ('{"a": ' + "9" * 10_000 + "}", 1, 7, "non-finite-number", "is too large"),
        ('{"a": ' + "9" * 400 + "}", 1, 7, "non-finite-number", "is too large"),
        ('{"a": "x\\ud800y"}', 1, 9, "lone-surrogate", "`\\ud800` is half of a character"),
        ('{"a": "\\udc00\\ud800"}', 1, 8, "lone-surrogate", "`\\udc00`"),
        ('{"\\uDBFF": 1}', 1, 3, "lone-surrogate", "`\\uDBFF`"),
        ("", 1, 1, "empty", "empty"),
        (" \r\n\t", 1, 1, "empty", "empty"),
        ("[" * 100_000, 1, 201, "too-deep", "200 deep"),
        ('{"a":' * 100_000, 1, 1001, "too-deep", "200 deep"),
        ("[\n" * 201 + "]" * 201, 201, 1, "too-deep", "200 deep"),
        ("[" * 500 + "]" * 500, 1, 201, "too-deep", "200 deep"),
    ],
)
def test_what_json_or_python_tolerates_and_we_do_not_is_refused_at_its_place(
    text: str, line: int, column: int, rule: str, part: str
) -> None:
    assert faults(text)
    at_rule, at_line, at_column, message = faults(text)[0]
    assert (at_rule, at_line, at_column) == (f"document/{rule}", line, column)
    assert part in message
    assert len(message) < 200


def test_every_fault_of_a_file_is_told_at_once() -> None:
    text = '{"a": 1,\n "a": NaN,\n "b": {"c": 1, "c": 2,\n "c": 3}, "d": "\\ud800"}'
    assert [(rule, line, column) for rule, line, column, _ in faults(text)] == [
        ("document/duplicate-key", 2, 2),
        ("document/non-finite-number", 2, 7),
        ("document/duplicate-key", 3, 16),
        ("document/duplicate-key", 4, 2),
        ("document/lone-surrogate", 4, 17),
    ]


SURPLUS = """{ // one
"a": 1, # two
"b": [1,/* three
*/ 2,],
"c": {"d": 3,},
}"""


def test_every_comment_and_every_comma_too_many_is_told_at_once() -> None:
    assert [(line, column) for _, line, column, _ in faults(SURPLUS)] == [
        (1, 3),
        (2, 9),
        (3, 9),
        (4, 5),
        (5, 13),
        (5, 15),
    ]


@pytest.mark.parametrize("text", ["{} //", "{} #\r\n", "[1] /**/", "[1,]", '{"a": 1\n,\n}', "#\n1"])
def test_a_surplus_at_any_end_is_one_fault(text: str) -> None:
    assert len(faults(text)) == 1


@pytest.mark.parametrize(
    "text", ["[1, /* 2]", "[1,,]", "[,]", "{,}", "[1] / 2", "//", "[1 2 # x\n,]"]
)
def test_a_surplus_that_leaves_no_value_ends_with_what_is_wrong(text: str) -> None:
    assert faults(text)
    assert all(rule == "document/json-syntax" for rule, *_ in faults(text))


def test_rereading_for_more_faults_is_bounded() -> None:
    text = "[" + "1, //\n" * 100_000 + "1]"

    began = time.process_time()

    assert 1 < len(faults(text)) <= MAX_TOLD
    assert time.process_time() - began < 10


HALVES = [
    "\\ud83d",
    "\\ude00",
    "\\uD83D",
    "\\uDE00",
    "\\u00e9",
    "\\\\",
    "\\n",
    "ud83d",
    "x",
    "\\udbff",
]


@given(st.lists(st.sampled_from(HALVES), max_size=6))
def test_a_text_is_taken_exactly_where_none_of_its_characters_is_half(parts: list[str]) -> None:
    text = f'"{"".join(parts)}"'

    whole = not re.search("[\ud800-\udfff]", json.loads(text))

    assert isinstance(json_text.parse(text.encode(), path="a.json"), JsonText) is whole


READ_PAST = [
    ('{"a": 1, "a": 2, "b": 3}', {"a": 1, "b": 3}),
    ('{"a": NaN, "b": [1e999, -Infinity]}', {"a": None, "b": [None, None]}),
    (f'{{"a": {"9" * 5000}}}', {"a": None}),
    ('{"a": "x\\ud800y", "\\udfff": 1}', {"a": "x\ufffdy", "\ufffd": 1}),
    ('{"a": "\\\\ud800", "a": 1}', {"a": "\\ud800"}),
    (SURPLUS, {"a": 1, "b": [1, 2], "c": {"d": 3}}),
]


@pytest.mark.parametrize(("text", "value"), READ_PAST)
def test_a_text_whose_meaning_is_clear_is_read_past_its_faults(text: str, value: Json) -> None:
    parsed = json_text.parse(text.encode(), path="a.json", read_past=True)

    assert isinstance(parsed, JsonText)
    assert parsed.value == value
    assert parsed.problems == json_text.parse(text.encode(), path="a.json")


def test_what_is_read_past_a_fault_stands_where_it_is_written() -> None:
    text = '{"a": {"x": 1}, /* ü\n */ "b": NaN,\n "a": {"y": 2},\n "c": [1,],\n "d": "\\ud800",\n "e": 1}'
    parsed = json_text.parse(text.encode(), path="a.json", read_past=True)

    assert isinstance(parsed, JsonText)
    assert parsed.positions.locate(("a", "x"), key=True) == (1, 8)
    assert parsed.positions.locate(("b",), key=True) == (2, 5)
    assert parsed.positions.locate(("c", 0)) == (4, 8)
    assert parsed.positions.locate(("e",)) == (6, 7)
    assert parsed.positions.locate(("a",), key=True) == (1, 2)


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": ' + "[" * 300 + "]" * 300 + "}", "[1, 2", "", "\ufeff"]
)
def test_a_text_of_unclear_meaning_has_only_faults(text: str) -> None:
    assert isinstance(json_text.parse(text.encode(), path="a.json", read_past=True), tuple)


def test_a_duplicate_key_names_both_lines_however_it_is_written() -> None:
    [(_, line, column, message)] = faults(
        '{\n "prompt": 1,\n "x": {"prompt": 0},\n "pr\\u006fmpt": 2}'
    )
    assert (line, column) == (4, 2)
    assert "`prompt` is given twice in one object, on line 2 and again on line 4" in message


def test_equal_keys_and_strings_elsewhere_are_no_duplicates() -> None:
    text = '[{"a": "a", "b": ["b", "b"]}, {"a": {"a": "{\\"a\\":1,\\"a\\":2}"}}]'
    assert read(text).value == json.loads(text)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ('{"a": 1}'.encode("utf-16"), "UTF-16 (little endian)"),
        ('{"a": 1}'.encode("utf-16-le"), "UTF-16 (little endian)"),
        ('{"a": 1}'.encode("utf-16-be"), "UTF-16 (big endian)"),
        (b"\xfe\xff" + '{"a": 1}'.encode("utf-16-be"), "UTF-16 (big endian)"),
        ('{"a": 1}'.encode("utf-32"), "UTF-32 (little endian)"),
        ('{"a": 1}'.encode("utf-32-le"), "UTF-32 (little endian)"),
        ('{"a": 1}'.encode("utf-32-be"), "UTF-32 (big endian)"),
        (b"\x00\x00\xfe\xff" + '{"a": 1}'.encode("utf-32-be"), "UTF-32 (big endian)"),
        ("1".encode("utf-16-le"), "UTF-16 (little endian)"),
    ],
)
def test_a_wide_encoding_is_named(data: bytes, name: str) -> None:
    [(rule, line, column, message)] = faults(data)
    assert (rule, line, column) == ("document/encoding", 1, 1)
    assert message == f"the file is {name}: save it as UTF-8"


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b'{"a": "caf\xe9"}', 1, 11),
        (b'{\n"\xc3\xa9": "\xff"}', 2, 7),
        (b'\xef\xbb\xbf{"\xff": 1}', 1, 3),
        (b'{"a": "\xed\xa0\x80"}', 1, 8),
        (b'{"a": "\xc3', 1, 8),
    ],
)
def test_bytes_that_are_not_utf8_are_refused_where_they_stand(
    data: bytes, line: int, column: int
) -> None:
    [(rule, at_line, at_column, message)] = faults(data)
    assert (rule, at_line, at_column) == ("document/encoding", line, column)
    assert "is not UTF-8" in message


def test_a_byte_order_mark_is_a_notice_and_counts_for_no_column() -> None:
    parsed = read(b'\xef\xbb\xbf{"a": 1}')
    assert [(p.level, p.rule) for p in parsed.problems] == [
        (Level.NOTICE, "document/byte-order-mark")
    ]
    assert parsed.value == {"a": 1}
    assert parsed.positions.locate(["a"]) == (1, 7)


def test_a_file_over_the_limit_is_refused_with_both_sizes() -> None:
    [(rule, _, _, message)] = faults(b" " * (MAX_BYTES + 1))
    assert rule == "document/too-large"
    assert "33,554,433 bytes" in message
    assert "33,554,432 bytes (32 MiB)" in message


def test_rules_carry_the_prefix_of_the_caller() -> None:
    parsed = json_text.parse(b"{", path="a.json", prefix="artifact")
    assert isinstance(parsed, tuple)
    assert parsed[0].rule == "artifact/json-syntax"


def test_nesting_of_exactly_the_limit_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert read(text).positions.locate([0] * (MAX_DEPTH - 1)) == (1, MAX_DEPTH)


@pytest.mark.parametrize("text", ["1e308", "-0", "9007199254740993", '"\\ud83d\\ude00"', "null"])
def test_what_is_extreme_and_valid_is_read(text: str) -> None:
    assert read(text).value == json.loads(text)


def test_crlf_is_fine_and_counts_as_one_line_end() -> None:
    parsed = read('{\r\n  "a": [\r\n    1,\r\n    2\r\n  ]\r\n}\r\n')
    assert parsed.problems == ()
    assert parsed.positions.locate(["a", 1]) == (4, 5)


TEXT = """{
  "items": [
    {"prompt": "é😀", "tags": [ ]},
    { "turns" :
      [{"prompt": "x"}] , "name": "}\\"]" }
  ],
  "n": 12
}"""


@pytest.mark.parametrize(
    ("pointer", "key", "place"),
    [
        ((), False, (1, 1)),
        (("items",), False, (2, 12)),
        (("items",), True, (2, 3)),
        (("items", 0), False, (3, 5)),
        (("items", 0), True, (3, 5)),
        (("items", 0, "tags"), False, (3, 30)),
        (("items", 0, "tags"), True, (3, 22)),
        (("items", 1, "turns", 0, "prompt"), False, (5, 19)),
        (("items", 1, "turns", 0, "prompt"), True, (5, 9)),
        (("items", 1, "name"), True, (5, 27)),
        (("n",), False, (7, 8)),
        (("absent",), False, (1, 1)),
        (("items", 7), False, (2, 12)),
        (("items", 0, "tags", 0), False, (3, 30)),
        (("items", 0, "prompt", "deeper"), False, (3, 16)),
        (("items", "0"), False, (2, 12)),
        (("n", 0), True, (7, 8)),
    ],
)
def test_a_node_is_found_at_its_line_and_column(
    pointer: tuple[str | int, ...], *, key: bool, place: tuple[int, int]
) -> None:
    positions = read(TEXT).positions
    assert positions.locate(pointer, key=key) == place
    assert positions.locate(pointer, key=key) == place


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


def pointers(value: Json) -> list[tuple[tuple[str | int, ...], Json]]:
    found: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    children: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    for step, child in children:
        found += [((step, *rest), inner) for rest, inner in pointers(child)]
    return found


@settings(deadline=None)
@given(
    value=JSON, indent=st.sampled_from([None, 0, 2]), random=st.randoms(), ascii_only=st.booleans()
)
def test_whatever_is_written_is_read_and_every_node_stands_where_it_is_said(
    *, value: Json, indent: int | None, random: Random, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = read(text)
    assert parsed.value == value
    nodes = pointers(value)
    random.shuffle(nodes)
    lines = text.split("\n")
    for pointer, node in nodes:
        line, column = parsed.positions.locate(pointer)
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        assert json.JSONDecoder().raw_decode(rest)[0] == node
        if pointer and isinstance(pointer[-1], str):
            line, column = parsed.positions.locate(pointer, key=True)
            assert json.JSONDecoder().raw_decode(lines[line - 1][column - 1 :])[0] == pointer[-1]


@settings(deadline=None)
@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    parsed = json_text.parse(data, path="a.json")
    if not isinstance(parsed, JsonText):
        assert any(problem.level is Level.ERROR for problem in parsed)


PIECES = [
    *"{}[],:\"0. \n\t\\'\x00\ufeff\u2028é",
    *('"a"', '"a"', "1", "-", "1e999", "NaN", "true", "tru", "\\ud800", "\\u00", "//", "<<<<<<<"),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_almost_json_never_crashes_and_is_accepted_exactly_where_the_standard_library_does(
    text: str,
) -> None:
    parsed = json_text.parse(text.encode(), path="a.json")
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        assert isinstance(parsed, tuple)
    else:
        if isinstance(parsed, JsonText):
            assert parsed.value == value
        else:
            assert all(problem.rule != "document/json-syntax" for problem in parsed)
    if isinstance(parsed, tuple):
        lines = text.removeprefix("\ufeff").split("\n")
        for problem in parsed:
            assert problem.line is not None
            assert problem.column is not None
            assert 1 <= problem.line <= len(lines)
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1


def test_items_of_a_large_document_are_found_in_one_pass() -> None:
    item = {"prompt": "x" * 200, "evaluators": {"ExactMatch": {}, "PartialMatch": {"threshold": 1}}}
    text = json.dumps({"items": [item] * 20_000}, indent=1)
    positions = read(text).positions
    before = time.process_time()
    last = positions.locate(["items", 19_999, "evaluators", "PartialMatch"])
    first_look = time.process_time() - before
    before = time.process_time()
    for index in range(20_000):
        positions.locate(["items", index])
    assert last[0] > 100_000
    assert first_look < 2
    assert time.process_time() - before < 1


def test_reading_json_imports_nothing_heavy() -> None:
    heavy = {"jsonschema", "jsonschema_rs", "yaml", "pydantic", "asyncio", "httpx", "jinja2"}
    code = "import sys, mergebar.reading.json_text; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.split())
