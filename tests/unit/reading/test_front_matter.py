"""Front matter: where a block begins and ends, what it holds, and at which line of the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.problems import Level
from mergebar.model.text import Json
from mergebar.reading import front_matter
from mergebar.reading.front_matter import FrontMatter

NOT_SEEN = "artifact/front-matter-not-seen"


def read(data: bytes | str, *, path: str = "SKILL.md") -> FrontMatter:
    return front_matter.read(data.encode() if isinstance(data, str) else data, path=path)


def accept(data: bytes | str, *, path: str = "SKILL.md") -> FrontMatter:
    found = read(data, path=path)
    assert found.problems == ()
    return found


def told(data: bytes | str, *, path: str = "SKILL.md") -> list[tuple[str, str, int | None]]:
    found = read(data, path=path)
    assert all(problem.path == path for problem in found.problems)
    return [(problem.level.value, problem.rule, problem.line) for problem in found.problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("---\nname: x\n---\nBody\n", {"name": "x"}),
        ("---\nname: x\n...\nBody\n", {"name": "x"}),
        ("---\r\nname: x\r\n---\r\nBody\r\n", {"name": "x"}),
        ("\ufeff---\nname: x\n---\nBody\n", {"name": "x"}),
        ("---\n---\nBody\n", {}),
        ("---\n# a remark\n---\nBody\n", {}),
        ('+++\nname = "x"\n[metadata]\nevals = ["a"]\n+++\nBody\n', {"name": "x", "metadata": {"evals": ["a"]}}),
        ("+++\nday = 2026-01-02\n+++\nBody\n", {"day": "2026-01-02"}),
        ("+++\n+++\nBody\n", {}),
        (';;;\n{"name": "x"}\n;;;\nBody\n', {"name": "x"}),
        (";;;\n;;;\nBody\n", {}),
        ("Body\n", {}),
        ("", {}),
        ("# A heading\n\n---\n\nmore\n", {}),
        ("---\n\nA rule, and no front matter.\n", {}),
    ],
)  # fmt: skip
def test_a_block_is_read_in_every_form(text: str, value: dict[str, Json]) -> None:
    found = accept(text)

    assert found.value == value


def test_the_body_has_the_line_ends_of_unix() -> None:
    assert accept("---\r\nname: x\r\n---\r\nOne\r\nTwo\r\n").body == "One\nTwo\n"


def test_nothing_but_a_line_feed_ends_a_line_of_a_fence_or_a_value() -> None:
    for char in "\x85\u2028\u2029":
        assert accept(f"---\na: one{char}- two\n---\n").value == {"a": f"one{char}- two"}
        assert accept(f"---{char}name: x\n---\n").value == {}
    assert accept('---\na: "one\\Ltwo"\n---\n').value == {"a": "one\u2028two"}


@pytest.mark.parametrize(
    ("text", "pointer", "place"),
    [
        ("---\nname: x\nmetadata:\n  evals: y\n---\n", ("metadata", "evals"), (4, 10)),
        ("---\r\nname: x\r\nmetadata:\r\n  evals: y\r\n---\r\n", ("metadata", "evals"), (4, 10)),
        ("\ufeff---\nname: x\n---\n", ("name",), (2, 7)),
        ('+++\nname = "x"\n[metadata]\nevals = "y"\n+++\n', ("metadata", "evals"), (4, 1)),
        ('+++\n[[metadata.evals]]\nid = "a"\n[[metadata.evals]]\nid = "b"\n+++\n', ("metadata", "evals", 1, "id"), (5, 1)),
        (';;;\n{\n  "name": "x"\n}\n;;;\n', ("name",), (3, 11)),
        ("no block\n", ("name",), (1, 1)),
    ],
)  # fmt: skip
def test_places_are_those_of_the_file(
    text: str, pointer: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    assert accept(text).positions.locate(pointer) == place


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\nname: x\nname: y\n---\n", ("error", "artifact/duplicate-key", 3)),
        ("---\nname: !tag x\n---\n", ("error", "artifact/tag", 2)),
        ("---\n1: x\n---\n", ("error", "artifact/non-string-key", 2)),
        ("---\na: 1\nb:\n\tc: 2\n---\n", ("error", "artifact/yaml-syntax", 4)),
        ("---\na: .inf\n---\n", ("error", "artifact/non-finite-number", 2)),
        ("---\na: &x\n  b: *x\n---\n", ("error", "artifact/alias", 3)),
        ("---\na: &x 1\nb: [" + "*x," * 101 + "]\n---\n", ("error", "artifact/too-many-aliases", 3)),
        ("---\na: &x {b: 1}\nc: {<<: *x}\n---\n", ("notice", "artifact/merge-key", 3)),
        ("---\njust a text\n---\n", ("error", "artifact/front-matter-no-object", 2)),
        ("---\n- a\n---\n", ("error", "artifact/front-matter-no-object", 2)),
        (";;;\n[1]\n;;;\n", ("error", "artifact/front-matter-no-object", 2)),
        (';;;\n{"a": 1,\n "a": 2}\n;;;\n', ("error", "artifact/duplicate-key", 3)),
        (';;;\n{"a": NaN}\n;;;\n', ("error", "artifact/non-finite-number", 2)),
        (';;;\n{"a": 1,}\n;;;\n', ("error", "artifact/json-syntax", 2)),
        ("+++\na = 1\na = 2\n+++\n", ("error", "artifact/toml-syntax", 3)),
        ("+++\na = 1\nb = [\n  1,\n+++\n", ("error", "artifact/toml-syntax", 3)),
        ("+++\na = 1\n[t]\nb = 1\nc = {d = [\n  1\n+++\n", ("error", "artifact/toml-syntax", 5)),
        ('+++\na = """x\n[b]\nc = 1\n+++\n', ("error", "artifact/toml-syntax", 2)),
        ("+++\n[\n+++\n", ("error", "artifact/toml-syntax", 2)),
        ("+++\na = nan\n+++\n", ("error", "artifact/non-finite-number", 2)),
        ("+++\na = " + "[" * 300 + "]" * 300 + "\n+++\n", ("error", "artifact/too-deep", 1)),
        ("+++\n" + "a." * 300 + "a = 1\n+++\n", ("error", "artifact/too-deep", 1)),
        ("---\nname: x\nmore\n", ("warning", "artifact/front-matter-not-closed", 1)),
        ("---\nmetadata:\n  evals: x\n", ("error", "artifact/front-matter-not-closed", 1)),
        ("+++\nevals = 1\n", ("error", "artifact/front-matter-not-closed", 1)),
        ("\n---\nname: x\n---\n", ("warning", "artifact/front-matter-not-seen", 2)),
        ("  ---\nname: x\n---\n", ("warning", "artifact/front-matter-not-seen", 1)),
        ("--- \nname: x\n---\n", ("warning", "artifact/front-matter-not-seen", 1)),
        ("-----\nname: x\n-----\n", ("warning", "artifact/front-matter-not-seen", 1)),
        ("---json\n{}\n---\n", ("warning", "artifact/front-matter-not-seen", 1)),
        *(
            (f"{before}metadata:\n  evals: [x]\n---\n", ("warning", NOT_SEEN, line))
            for before, line in (
                ("--- # rules\n", 1),
                ("\ufeff\ufeff---\n", 1),
                ("\u200b---\n", 1),
                ("\u00a0\n---\n", 2),
                ("<!-- rules -->\n---\n", 2),
                ("# Rules\n\nBe kind.\n\n---\n", 5),
                ("<!--\nrules\n-->\n--- \n", 4),
                ("", 1),
            )
        ),
        ('# Rules\n+++\n[metadata]\nevals = ["x"]\n+++\n', ("warning", NOT_SEEN, 2)),
        ('# Rules\n;;;\n{"metadata": {"evals": ["x"]}}\n;;;\n', ("warning", NOT_SEEN, 2)),
        ('[metadata]\nevals = ["x"]\n', ("warning", NOT_SEEN, 1)),
        ('{"metadata": {"evals": ["x"]}}\n', ("warning", NOT_SEEN, 1)),
        ("---\rname: x\r---\rBody", ("warning", "artifact/front-matter-line-ends", 1)),
        ("---\nname: x\n---\nmetadata:\n  evals: y\n---\n", ("warning", "artifact/front-matter-twice", 4)),
        ("---\nname: x\n---\n\n---\nmetadata:\n  evals: y\n---\n", ("warning", "artifact/front-matter-twice", 5)),
        ("---\nmetadata: {}\n---\nmetadata:\n  evals: y\n---\n", ("error", "artifact/front-matter-twice", 4)),
        ("---\na: " + "x" * 65_536 + "\n---\n", ("error", "artifact/front-matter-too-large", 1)),
        ("x" * (1024 * 1024 + 1), ("error", "artifact/too-large", None)),
        ("---\nname: x\n---\nBody \0\n", ("error", "artifact/binary", 4)),
        (b"---\nname: \xff\n---\n", ("error", "artifact/encoding", 2)),
        ("---\nname: x\n---\n".encode("utf-16"), ("error", "artifact/encoding", 1)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_its_line(
    text: str | bytes, problem: tuple[str, str, int | None]
) -> None:
    assert told(text) == [problem]


@pytest.mark.parametrize(
    "text",
    [
        "# How\n\n```yaml\n---\nmetadata:\n  evals: [x]\n---\n```\n",
        "# How\n---\nmetadata says who wrote it\n---\n",
        "# How\n\n---\nname: x\n---\n",
        "metadata: who wrote it\n",
        "Our evals: none.\n",
    ],
)
def test_prose_about_front_matter_is_none(text: str) -> None:
    assert told(text) == []


def test_a_second_line_is_named_by_the_line_of_the_file() -> None:
    for text in ("---\na: 1\nb: 2\na: 3\n---\n", ';;;\n{"a": 1,\n"b": 2,\n"a": 3}\n;;;\n'):
        [problem] = read(text).problems
        assert "on line 2 and again on line 4" in problem.message


def test_a_small_block_before_a_large_body_is_read() -> None:
    assert accept("---\nname: x\n---\n" + "word " * 100_000).value == {"name": "x"}


def test_a_rule_is_read_as_leniently_as_its_host_does() -> None:
    text = "---\ndescription: about `types`: all\nglobs: **/*.ts\nalwaysApply: false\n---\nBody\n"

    found = accept(text, path=".cursor/rules/types.mdc")

    assert found.value == {"description": "about `types`: all", "globs": "**/*.ts", "alwaysApply": False}  # fmt: skip
    assert told(text)[0][1] == "artifact/yaml-syntax"


def test_a_rule_that_declares_evals_has_to_be_right() -> None:
    text = "---\nglobs: **/*.ts\nmetadata:\n  evals: x\n---\n"

    assert told(text, path="a.mdc") == [("error", "artifact/yaml-syntax", 2)]


def test_what_cannot_be_read_still_says_whether_it_may_declare_evals() -> None:
    assert read("---\nmetadata: {evals: x\n---\n").may_declare
    assert not read("---\nname: {\n---\n").may_declare
    assert read(b"---\nmetadata:\n  evals: \xff\n---\n").may_declare


def test_only_an_unquoted_scalar_is_told_as_written() -> None:
    positions = accept("---\na: 007 # agent\nb: '1'\nc: yes\n---\n").positions

    plain = positions.plain(("a",))
    assert plain is not None
    assert (plain.text, plain.rest) == ("007", " # agent")
    assert positions.plain(("b",)) is None
    assert positions.plain(("nothing",)) is None
    assert positions.plain(()) is None


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    for start in (b"", b"---\n", b"+++\n", b";;;\n"):
        found = read(start + data + b"\n" + start)
        assert all(problem.line is None or problem.line >= 1 for problem in found.problems)
        if found.value is None:
            assert any(problem.level is Level.ERROR for problem in found.problems)


_KEYS = st.text("abcdefgh", min_size=1, max_size=6)
_BLOCKS = st.lists(
    st.tuples(_KEYS, st.text("abc :#'\"-*&!%@`{}[],\u2028\x85é", max_size=12)), max_size=5
)


@given(_BLOCKS, st.sampled_from(["\n", "\r\n"]))
def test_line_ends_change_nothing_but_themselves(block: list[tuple[str, str]], end: str) -> None:
    text = "---\n" + "".join(f"{key}: {value}\n" for key, value in block) + "---\nBody\n"

    unix, other = read(text), read(text.replace("\n", end))

    assert other.value == unix.value
    assert [(each.rule, each.line) for each in other.problems] == [
        (each.rule, each.line) for each in unix.problems
    ]
