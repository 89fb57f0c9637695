"""The guides on agents and judges: every block is run, or held to the schema where it can't be."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mergebar import config, plugins
from mergebar.model.conversations import Answer
from mergebar.model.problems import Level
from mergebar.recordings import Recorder
from support import agents, commands, entra, gates, judge_server, pages
from support.agent_server import WAYS
from support.judge_server import JudgeServer
from support.pages import DOCS, Block
from support.repositories import Repository
from support.servers import Reply, Server

FOLDER = "guides/connect-an-agent"
JUDGES = "guides/choose-a-judge.md"
PROMPT, RIGHT = "How do I reset it?", "Hold the button for ten seconds."
SECRETS = {"SUPPORT_AGENT_KEY": "support-key-1234", "MODEL_KEY": "model-key-12345"}
ALL = [*sorted(f"{FOLDER}/{page.name}" for page in (DOCS / FOLDER).glob("*.md")), JUDGES]

EXACT: dict[str, object] = {"evaluators_mode": "replace", "evaluators": {"ExactMatch": {}}}
DOCUMENT = gates.document(
    {
        "prompt": PROMPT,
        "expected_response": RIGHT,
        "response": RIGHT,
        "extensions": {"io.github.mergebar": {"id": "reset"}},
        **EXACT,
    },
)
THREAD = gates.document(
    {
        "name": "reset",
        "turns": [
            {"prompt": PROMPT, "expected_response": RIGHT, **EXACT},
            {"prompt": "How?", "expected_response": f"As I said: {RIGHT}", **EXACT},
        ],
    },
)


def repository(path: Path, entry: str, document: str = DOCUMENT) -> Repository:
    made = Repository(path)
    made.write("mergebar.yml", entry)
    made.write("evals/reset.json", document)
    return made


def passes(made: Repository, **environ: str) -> None:
    ended = commands.inside("run", "--all", cwd=made.path, environ={**SECRETS, **environ})

    assert ended.code == 0, ended.said
    assert {check["outcome"] for check in ended.report()["checks"]} == {"pass"}


@pytest.mark.parametrize(
    "block",
    [one for page in ALL for one in pages.blocks(page, "yaml") if "jobs:" not in one.text],
    ids=str,
)
def test_every_entry_is_valid(block: Block) -> None:
    parsed = config.parse(block.text.encode(), path="page.yml", explain=plugins.explain)

    assert not [one for one in parsed.problems if one.level is Level.ERROR], parsed.problems


def test_there_is_a_page_for_every_type_that_there_is() -> None:
    overview = pages.read(f"{FOLDER}/README.md")

    for name in plugins.AGENTS:
        assert f"[`{name}`]({name}.md)" in overview
        assert (DOCS / FOLDER / f"{name}.md").exists()
    for name in plugins.JUDGES:
        assert f"type: {name}" in pages.read(JUDGES)


_COMMAND = pages.blocks(f"{FOLDER}/command.md")
PROGRAMS = list(zip(_COMMAND[::2], _COMMAND[1::2], strict=True))


@pytest.mark.parametrize(("program", "entry"), PROGRAMS, ids=str)
def test_each_program_answers_a_thread(program: Block, entry: Block, tmp_path: Path) -> None:
    assert (program.name, entry.name) == ("agent.py", "mergebar.yml")
    made = repository(tmp_path, entry.text, THREAD)
    made.write("agent.py", program.text)

    passes(made)


def _exchanges() -> list[list[Block]]:
    """An entry, what is sent for it unless the question is in the address, and the reply."""
    found: list[list[Block]] = []
    for block in pages.blocks(f"{FOLDER}/http.md"):
        if block.language == "yaml":
            found.append([])
        found[-1].append(block)
    return found


EXCHANGES = _exchanges()


@pytest.mark.parametrize("blocks", EXCHANGES, ids=lambda blocks: str(blocks[0]))
def test_each_exchange_is_as_the_page_shows_it(blocks: list[Block], tmp_path: Path) -> None:
    entry, *sent, reply = blocks
    kind = "application/json"
    if reply.language == "text":
        is_events = reply.text.startswith("data:")
        kind = "text/event-stream" if is_events else "application/x-ndjson"
    made = repository(tmp_path, entry.text)

    with Server([Reply(body=reply.text.encode(), content_type=kind)]) as server:
        passes(made, SUPPORT_AGENT_URL=server.url)

    (request,) = server.requests
    assert [json.loads(block.text) for block in sent] == ([request.json] if request.body else [])
    if not sent:
        assert request.path == "/answer?q=How%20do%20I%20reset%20it%3F"


def test_the_entry_that_the_overview_shows_works(tmp_path: Path) -> None:
    (entry,) = pages.blocks(f"{FOLDER}/README.md", "yaml")
    with Server([WAYS["http"].write(Answer(response=RIGHT))]) as server:
        passes(repository(tmp_path, entry.text), SUPPORT_AGENT_URL=server.url)


@pytest.mark.parametrize("heading", ["Chat Completions", "Responses"])
def test_each_api_of_a_model_works(heading: str, tmp_path: Path) -> None:
    (entry,) = [
        one for one in pages.blocks(f"{FOLDER}/openai.md", "yaml") if one.heading == heading
    ]
    made = repository(tmp_path, entry.text)
    made.write("prompts/support.md", "You help.")
    way = WAYS["openai, responses" if heading == "Responses" else "openai, chat"]

    with Server([way.write(Answer(response=RIGHT))]) as server:
        passes(made, MODEL_URL=f"{server.url}/v1")

    assert "You help." in server.requests[0].body.decode()


@pytest.mark.parametrize("block", pages.blocks(f"{FOLDER}/replay.md", "yaml"), ids=str)
def test_what_exists_already_is_played(block: Block, tmp_path: Path) -> None:
    made = repository(tmp_path, block.text)
    recorder = Recorder(tmp_path, "evals/recordings")
    question = replace(agents.question(PROMPT), suite="evals/reset.json")
    recorder.add_answer(question, Answer(response=RIGHT))
    assert recorder.flush() == ()

    passes(made)


JUDGED = gates.document(
    {
        "prompt": PROMPT,
        "response": RIGHT,
        "evaluators_mode": "replace",
        "evaluators": {"Relevance": {}},
    }
)
STORED = "agents: {stored: {type: replay}}\n"


JUDGE_ENTRIES = [one for one in pages.blocks(JUDGES, "yaml") if "jobs:" not in one.text]
CALLED = [
    one
    for one in JUDGE_ENTRIES
    if "JUDGE_URL" in one.text or ("type: azure" in one.text and "entra" not in one.text)
]
"""OpenAI's own address can't be called here, and Entra has tests of its own."""


@pytest.mark.parametrize("block", CALLED, ids=str)
def test_each_judge_that_can_be_called_here_judges(block: Block, tmp_path: Path) -> None:
    made = repository(tmp_path, f"{block.text}{STORED}", JUDGED)

    with JudgeServer([judge_server.verdict(4)]) as server:
        passes(
            made,
            JUDGE_URL=server.base_url,
            JUDGE_KEY="judge-key-12345",
            JUDGE_ENDPOINT=server.url,
            AZURE_AI_OPENAI_ENDPOINT=server.url,
            AZURE_AI_MODEL_NAME="gpt-4o-mini",
            AZURE_AI_API_KEY="judge-key-12345",
            AZURE_AI_API_VERSION="2024-10-21",
        )

    assert len(server.requests) == 1
    assert len(CALLED) == 3


def test_a_pull_request_of_strangers_has_its_checks_withheld_where_a_secret_is_needed(
    tmp_path: Path,
) -> None:
    """An agent over HTTP runs no code of the repository: only what it needs decides."""
    entry = EXCHANGES[0][0].text
    made = repository(tmp_path, entry)
    made.write(".event.json", "{}")
    event = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "repository_dispatch",
        "GITHUB_EVENT_PATH": str(tmp_path / ".event.json"),
    }
    made.git("init", "--quiet")

    with Server([WAYS["http"].write(Answer(response=RIGHT))]) as server:
        without = commands.inside("run", "--all", cwd=made.path, environ=event)
        assert without.code == 3, without.said
        (check,) = without.report()["checks"]
        made.write("mergebar.yml", entry.replace("${SUPPORT_AGENT_URL}", server.url))
        open_to_all = commands.inside("run", "--all", cwd=made.path, environ=event)

    assert (check["outcome"], check["skip"]) == ("skipped", "withheld")
    assert "secrets are not given" in check["reason"]
    assert open_to_all.code == 0, open_to_all.said
    assert len(server.requests) == 1


def test_the_log_says_how_the_judge_signed_in(tmp_path: Path) -> None:
    (entry,) = [one for one in JUDGE_ENTRIES if "auth: entra" in one.text]
    folder = tmp_path / "certificate"
    folder.mkdir()
    made = repository(tmp_path / "repository", f"{entry.text}{STORED}", JUDGED)

    with entra.running(folder) as services, JudgeServer([judge_server.verdict(4)]) as server:
        environ = {
            **services.github,
            **services.application,
            "REQUESTS_CA_BUNDLE": str(services.certificate),
            "JUDGE_ENDPOINT": server.url,
        }
        ended = commands.inside("run", "--all", cwd=made.path, environ=environ)

    assert ended.code == 0, ended.said
    assert "the judge signs in to Azure by GitHub's OIDC token\n" in ended.stderr
    assert server.requests[0].headers["authorization"] == "Bearer at-1"
    assert entra.REQUEST_TOKEN not in ended.said
