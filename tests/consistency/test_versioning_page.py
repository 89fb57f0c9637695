"""What the page on versions and SECURITY.md promise, held to what there is."""

import importlib
import re

from conftest import ROOT
from mergebar.model import reports
from support import pages

PAGE = "reference/versioning.md"


def test_every_protocol_that_is_promised_exists() -> None:
    named = re.findall(r"`(mergebar(?:\.\w+)+)\.([A-Z]\w+)`", pages.read(PAGE))

    assert len(named) == 4
    for module, name in named:
        found = getattr(importlib.import_module(module), name)
        assert found._is_protocol, name


def test_what_is_promised_of_plug_ins_is_what_the_guide_offers() -> None:
    """A Protocol whose implementations nothing would load is no promise."""
    promised = set(
        re.findall(r"`mergebar\.(agents|judges|evaluators|graders|traces)`", pages.read(PAGE))
    )
    rows = pages.rows(pages.read("guides/write-a-plug-in.md"), "group of entry points")

    assert promised == {pages.names(row[0])[0].removeprefix("mergebar.") for row in rows}
    for row in rows:
        assert pages.names(row[3])[0] in pages.read(PAGE)


def test_every_schema_that_is_promised_exists() -> None:
    named = re.findall(r"`(schemas/[\w.]+)`", pages.read(PAGE))

    assert len(named) == 2
    assert all((ROOT / name).is_file() for name in named)
    assert f"`{reports.SCHEMA}`" in pages.read(PAGE)


def test_security_says_what_it_has_to() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)

    assert headings[:3] == ["Reporting", "Supported versions", "What is trusted"]
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / target).is_file(), target


def test_the_changelog_says_where_to_read_what_is_stable() -> None:
    head = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## ")[0]

    assert "(docs/reference/versioning.md)" in head


def test_the_page_on_releases_names_every_job_in_order() -> None:
    workflow = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    jobs = re.findall(r"^  (\w+):$", workflow.partition("\njobs:\n")[2], re.MULTILINE)

    rows = pages.rows(pages.read("releasing.md"), "job")
    assert [pages.names(row[0])[0] for row in rows] == jobs
