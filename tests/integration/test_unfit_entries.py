"""An entry that no call could be made with is invalid before the first call, in every command."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from support import commands, gates

DOCUMENTS = "documents:\n  - {paths: [evals/*.json], agent: web}\n"
WRONG = {
    "url: example.com": "mergebar.yml:6:10",
    'body: {q: "{promt}"}': "mergebar.yml:6:15",
    "select: {response: a..b}": "mergebar.yml:6:24",
    'headers: {x: "a\\r\\nb"}': "mergebar.yml:6:18",
}
COMMANDS = (("check",), ("plan",), ("run", "--all"))


def config(*keys: str, url: str = "url: http://127.0.0.1:9/ask", judge: str = "") -> str:
    """One agent; the given keys begin at line 6."""
    lines = [*keys, *([] if any(key.startswith("url") for key in keys) else [url])]
    body = "".join(f"    {line}\n" for line in lines)
    return f"version: 1\nagents:\n  web:\n    type: http\n    sources: []\n{body}{judge}{DOCUMENTS}"


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize(("key", "place"), WRONG.items(), ids=list(WRONG))
def test_a_fault_in_the_file_is_told_by_every_command(
    key: str, place: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    root = gates.repository(tmp_path, gates.passing(), config=config(key)).path

    ended = commands.inside(*words, cwd=root)

    assert ended.code == 2
    assert place in ended.said


ENTRIES = {
    "url": ({"URL": "example.com/ask"}, "`agents.web.url` must be a URL"),
    "header": ({"TOKEN": "abc\ndef"}, "`agents.web.headers.authorization`"),
    "base_url": ({"BASE": "localhost:1"}, "`judge.base_url` must be a URL"),
    "api_key": ({"KEY": "sk-\u201cx\u201d"}, "`judge.api_key` holds characters"),
}
GIVEN = {"URL": "http://127.0.0.1:9/ask", "TOKEN": "t", "BASE": "http://127.0.0.1:9", "KEY": "k"}
OPEN = config(
    'headers: {authorization: "Bearer ${TOKEN}"}',
    url="url: ${URL}",
    judge="judge: {type: openai, model: m, base_url: '${BASE}', api_key: '${KEY}'}\n",
)


@pytest.mark.parametrize("words", COMMANDS[1:], ids=lambda words: words[0])
@pytest.mark.parametrize(("given", "said"), ENTRIES.values(), ids=list(ENTRIES))
def test_a_fault_in_the_environment_is_told_before_the_first_call(
    given: Mapping[str, str], said: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    root = gates.repository(tmp_path, gates.judged("yes"), config=OPEN).path

    ended = commands.inside(*words, cwd=root, environ={**GIVEN, **given})

    assert ended.code == 2
    assert said in ended.said
    assert "mergebar.yml:" in ended.said
    if words[0] == "run":
        report = ended.report()
        assert report["decision"]["outcome"] == "invalid"
        assert report["usage"]["agent_calls"] == report["usage"]["judge_calls"] == 0
        assert given.keys().isdisjoint(json.dumps(report))


def test_a_run_that_does_not_need_the_entry_does_not_mind(tmp_path: Path) -> None:
    repository = gates.repository(tmp_path, gates.judged("yes"), config=OPEN)

    ended = commands.inside(
        "run", "--base", "HEAD", cwd=repository.path, environ={**GIVEN, "URL": "nowhere"}
    )

    assert ended.code == 0, ended.said
