"""HTML, XML and CSV, read back by real parsers."""

import csv as csv_module
import io
from html.parser import HTMLParser
from xml.dom import minidom

from hypothesis import given

from mergebar.untrusted import characters, csv, html, xml
from support import hostile

FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class _Html(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, tuple(attrs)))

    def handle_comment(self, data: str) -> None:  # noqa: ARG002 - the parser's signature
        self.seen.append(("comment", ()))

    def handle_decl(self, decl: str) -> None:  # noqa: ARG002 - the parser's signature
        self.seen.append(("declaration", ()))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(text=hostile.texts)
def test_no_text_opens_a_tag_or_leaves_an_attribute_in_html(text: str) -> None:
    shown = html.text(text)
    page = _Html(f'<p title="{shown}">{shown}</p>')
    revealed = characters.reveal(text)
    assert page.seen == [("p", (("title", revealed),))]
    assert page.text == revealed


@given(text=hostile.texts)
def test_no_text_breaks_xml(text: str) -> None:
    document = f'<a b="{xml.attribute(text)}">{xml.text(text)}</a>'
    with minidom.parseString(document.encode("utf-8")) as parsed:  # noqa: S318 - our own text
        root = parsed.documentElement
        assert root is not None
        assert root.tagName == "a"
        assert all(child.nodeType == child.TEXT_NODE for child in root.childNodes)
        content = "".join(str(child.nodeValue) for child in root.childNodes)
        assert root.getAttribute("b") == content


def test_what_xml_cannot_hold_is_spelled_out() -> None:
    assert xml.text("a\x00\x0b\ufffe<") == "a\\x00\n\\ufffe&lt;"


@given(text=hostile.texts)
def test_no_field_begins_a_formula(text: str) -> None:
    sheet = io.StringIO()
    csv_module.writer(sheet).writerow([csv.field(text), "next"])
    rows = list(csv_module.reader(io.StringIO(sheet.getvalue(), newline="")))
    assert len(rows) == 1
    assert rows[0][1] == "next"
    lines = [line.lstrip() for line in rows[0][0].split("\n")]
    assert [line for line in lines if line.startswith(FORMULA_STARTS)] == []


def test_plain_fields_stay_as_they_are() -> None:
    assert csv.field("a, b = c") == "a, b = c"
    assert csv.field("=1") == "'=1"
