"""Text from elsewhere takes time in proportion to its length, whatever is in it.

No clock of a busy machine decides: a process's own CPU time does, of a text against one that is
eight times as long. Anything quadratic would take sixty-four times as long.
"""

import time
from collections.abc import Callable

import pytest

from mergebar.evaluators import citation_marks, partial_match
from mergebar.graders import preference, secrets
from mergebar.patterns import GlobSet
from mergebar.prompting import parse_opinion, parse_verdict
from mergebar.reading import overlooked, toml_text
from mergebar.reviews import queue
from mergebar.reviews.queue import Waiting
from mergebar.suites.artifacts import surprises
from mergebar.traces import prompts
from mergebar.untrusted import characters, csv, html, markdown, terminal, workflow, xml
from mergebar.untrusted.redaction import Redactor

_SHORT, _TIMES = 25_000, 8
_ALLOWED = 24
_NOISE_S = 0.25
_MOST_S = 8.0

_SEEDS = (
    "sk-", "pk_", "sk-a…", "…", "eyJ", "eyJaaaaaaaa.", "ghp_", "github_pat_", "xoxb-", "AKIA",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----END ", "bearer ", "bearer", "token ",
    "basic\t", "password", "secret_", "--api_key=", 'token="', "token='", '"token":"', '\\"token',
    "a://b:", "a.a.", "://", "@", "::add-mask::", " ", "\n", "\t", "\r", "\n:", " :", ":", "##[",
    "`", "``", "` ", "|", "<", "<!--", "a/", "/", ".", "www.", "gh-1", "0a1b2c3", "1", "1.", "-",
    "- ", "=", "_", "[", "]", "[[", "[1]", "[1](http://", '[1](http://a "', "[^1", "【1†", "\ue200cite\ue202a",
    "{", "}", '{"score":', '{"match":1}', "[:", "[:a", "***", "\\", '"', "<system-reminder ", "<command-name>", "\u0301",
    "é", "\u202e", "\ud800", "a-", "a_", "1_", "1:", "a=", "a = ", "#", "---\n", "a:\n", "metadata",
)  # fmt: skip


def _waiting(text: str) -> str:
    return queue.entry(Waiting(suite=text, eval="e", session="s", digest="d"))


def _read_toml(text: str) -> object:
    return list(toml_text._keys(text))


_READERS: dict[str, Callable[[str], object]] = {
    "redaction": Redactor(["s3cr3t/value+with=signs", "a" * 40]).redact,
    "redaction of what was derived": Redactor(["s3cr3t-value 1b", "a" * 40]).redact_derived,
    "secrets of sessions": secrets.redact,
    "terminal": terminal.lines,
    "a line of a terminal": terminal.line,
    "guard": terminal.guard,
    "csv": csv.field,
    "html": html.text,
    "xml": xml.attribute,
    "markdown": markdown.inline,
    "code": markdown.code,
    "block": markdown.block,
    "workflow": lambda text: workflow.command("error", text),  # type: ignore[arg-type]
    "characters": characters.line,
    "waiting": _waiting,
    "toml": _read_toml,
    "overlooked": lambda text: overlooked.before_body(text, path="a", prefix="b"),
    "unclosed": lambda text: overlooked.before_body(f"---\n{text}", path="a", prefix="b"),
    "second block": lambda text: overlooked.second_block(
        text, first={"metadata": None}, body_line=1, path="a", prefix="b"
    ),
    "surprises": lambda text: surprises._elsewhere(f"1{text}x", text),
    "judge and author": lambda text: list(preference.notices("j", session=[text], authors=[])),
    "prompts": lambda text: (prompts.typed(text), prompts.command(text)),
    "glob": lambda text: GlobSet([text[:4000]]).matches("a" * 200),
    "citations": lambda text: citation_marks.find(text, citation_marks.MIXED),
    "words": lambda text: partial_match.tokens(text, case_sensitive=False),
    "verdict": parse_verdict,
    "opinion": parse_opinion,
}


def _cpu_s(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


@pytest.mark.parametrize("name", _READERS)
def test_time_grows_as_the_text_does(name: str) -> None:
    read = _READERS[name]
    slow = []
    for seed in _SEEDS:
        text = (seed * _SHORT)[:_SHORT]
        once = _cpu_s(read, text)
        assert once < _MOST_S, f"{seed!r} takes {once:.1f} s"
        if once > _NOISE_S / _TIMES:
            many = _cpu_s(read, text * _TIMES)
            if many > _ALLOWED * once + _NOISE_S:
                slow.append(f"{seed!r}: {once:.3f} s, then {many:.3f} s")
    assert not slow
