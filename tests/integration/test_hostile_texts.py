"""Texts that a change, an agent or a file's name could plant, through the whole action into each sink."""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mergebar import settings
from support import commands, gates, github_markdown, hostile, jobs
from support.gates import item
from support.github.faults import refusal
from support.jobs import Job, Result
from support.repositories import Repository

_SURROGATE = re.compile("[\ud800-\udfff]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
TEXTS = [text for text in hostile.TEXTS if text.strip() and not _SURROGATE.search(text)]
NAMES = [text.replace("/", "\N{DIVISION SLASH}") for text in TEXTS if "\0" not in text]
DECLARED = [output.name for output in settings.OUTPUTS]
GENUINE = re.compile(r"::(error|warning|notice)( (file|title)=[^:]*)?::.")

CONFIG = (
    gates.CONFIG.replace("agents:\n", "agents:\n  stored: {type: replay}\n")
    + """\
  - paths: [stored/**/*.json]
    agent: stored
report: {responses: everywhere}
"""
)
"""What an agent says goes wherever it may at all."""


def _answered(text: str) -> dict[str, object]:
    own = {"id": f"id {text}"}
    return item(text, f"not {text}", response=f"{text} {text}", own=own)


def _documents() -> dict[str, str]:
    """As prompts, answers, expectations and identities; as names of files, of evaluators, of keys."""
    wrong = item("Hi", "Hello", response="x", evaluators={text: {} for text in TEXTS})
    odd = {"prompt": "Hi", **dict.fromkeys(TEXTS, 1)}
    named = {
        f"stored/{number}{name[:60]}.json": gates.document(_answered(f"in a file {number}"))
        for number, name in enumerate(NAMES)
    }
    return {
        "stored/texts.json": gates.document(*map(_answered, TEXTS)),
        "evals/said.json": gates.document(item("exit loudly", "x"), item("garbage", "x")),
        **named,
        "stored/wrong/evaluators.json": gates.document(wrong),
        "stored/wrong/keys.json": gates.document(odd),
    }


AGENT = f"""
import json, sys
said = json.loads({json.dumps(json.dumps(chr(10).join(TEXTS)))}).encode()
sys.stdin.readline()
sys.stderr.buffer.write(said)
sys.stdout.buffer.write(said)
sys.exit(7)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    job: Job
    result: Result


def _ran(folder: Path, *, valid: bool, **inputs: Any) -> Iterator[Ran]:
    with jobs.job(folder, config=CONFIG) as job:
        files = _documents()
        kept = {name: text for name, text in files.items() if not valid or "/wrong/" not in name}
        job.change({**kept, "agent.py": AGENT})
        if inputs.get("check_run") == "false":
            said = "\n".join(TEXTS)
            job.github.faults.append(refusal("POST", "/comments", status=422, message=said))
        result = job.pull_request(**inputs).inside()
        yield Ran(job=job, result=result)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """With a check run."""
    yield from _ran(tmp_path_factory.mktemp("posted"), valid=True)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """Without one, with invalid files, and with a GitHub that quotes them all in its refusal."""
    yield from _ran(tmp_path_factory.mktemp("printed"), valid=False, check_run="false")


def _does_nothing(markdown: str, *, markers: int) -> None:
    reader = github_markdown.Reader(markdown)
    assert not {"img", "script", "h1", "input", "iframe"} & set(reader.tags)
    assert reader.tags.count("details") == reader.closed.count("details")
    assert reader.linked_later == []
    assert all(address and address.startswith("https://github") for address in reader.addresses)
    assert markdown.count("<!--") == markers
    assert not _HIDDEN.search(markdown)


def test_there_are_sixty_and_each_of_them_was_measured(ran: Ran) -> None:
    assert len(TEXTS) >= 60
    assert ran.result.report is not None
    measured = [one for one in ran.result.report["checks"] if one["outcome"] == "fail"]
    blank = [text for text in TEXTS if {*map(unicodedata.category, text)} == {"Cc"}]  # no answer
    assert len(measured) == len(TEXTS) + len(NAMES) - len(blank)


def test_the_comment(ran: Ran) -> None:
    (body,) = ran.job.comments
    _does_nothing(body, markers=1)
    assert body.startswith("<!-- mergebar:v1 key=mergebar run=4711 ")


def test_the_check_run(ran: Ran) -> None:
    (made,) = ran.job.check_runs
    _does_nothing(made["output"]["summary"], markers=0)
    assert made["output"]["title"].isprintable()


def test_the_annotations_of_the_check_run(ran: Ran) -> None:
    remarks = ran.job.annotations
    assert len(remarks) >= len(TEXTS)
    for one in remarks:
        shown = f"{one['path']}{one.get('title', '')}{one['message']}{one.get('raw_details', '')}"
        assert not _HIDDEN.search(shown), shown
        assert (ran.job.workspace / one["path"]).is_file()


@pytest.mark.parametrize("which", ["ran", "printed"])
def test_the_job_summary(which: str, request: pytest.FixtureRequest) -> None:
    run: Ran = request.getfixturevalue(which)
    _does_nothing(run.result.summary, markers=0)


@pytest.mark.parametrize("which", ["ran", "printed"])
def test_the_log_has_no_command_but_ours(which: str, request: pytest.FixtureRequest) -> None:
    run: Ran = request.getfixturevalue(which)
    for stream in (run.result.stdout, run.result.ended.stderr):
        lines = re.split(r"\r\n|[\r\n]", stream)
        issued = [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
        assert [line for line in issued if not GENUINE.match(line)] == []
        assert not _HIDDEN.search(stream.replace("\r\n", "\n"))


def test_the_commands_that_stand_in_for_a_check_run(printed: Ran) -> None:
    assert printed.result.code == 2
    assert len(printed.result.commands("error")) == 10
    for line in printed.result.commands("error") + printed.result.commands("warning"):
        properties = line.removeprefix("::").split("::")[0].partition(" ")[2].split(",")
        names = [one.partition("=")[0] for one in properties]
        assert names in (["file", "line", "col", "title"], ["file", "line", "title"])
        assert (printed.job.workspace / _unescaped(properties[0].partition("=")[2])).is_file()
    assert any(
        "Validation" in text or "can't post the comment" in text for text in printed.result.warnings
    )


def _unescaped(text: str) -> str:
    for written, meant in (("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(written, meant)
    return text


@pytest.mark.parametrize("which", ["ran", "printed"])
def test_the_outputs(which: str, request: pytest.FixtureRequest) -> None:
    outputs = request.getfixturevalue(which).result.outputs
    assert list(outputs) == DECLARED
    assert all(value.isprintable() for value in outputs.values())
    assert outputs["decision"] == (
        "could-not-evaluate" if which == "neither" else outputs["decision"]
    )


def test_the_report_keeps_every_text_as_it_was(ran: Ran) -> None:
    report = json.loads((ran.job.workspace / "mergebar-report/report.json").read_bytes())
    suites = {one["path"] for one in report["suites"]}
    assert {f"stored/{n}{name[:60]}.json" for n, name in enumerate(NAMES)} <= suites


def test_the_documents_with_results_keep_every_text_as_it_was(ran: Ran) -> None:
    documents = commands.documents(ran.job.workspace / "mergebar-report")
    filled = documents["stored/texts.json"]["items"]
    assert [one["prompt"] for one in filled] == TEXTS
    assert [one["response"] for one in filled] == [f"{text} {text}" for text in TEXTS]


def test_a_terminal(ran: Ran) -> None:
    here = Repository(ran.job.workspace)
    ended = commands.inside("run", "--all", "-v", cwd=here.path)
    for stream in (ended.stdout, ended.stderr):
        assert not _HIDDEN.search(stream)
        assert "##[" not in stream
        assert not [line for line in stream.splitlines() if line.lstrip().startswith("::")]
