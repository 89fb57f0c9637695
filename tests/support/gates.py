"""Repositories with a gate: a config, documents, and an agent that does what its prompts say."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from support import repositories
from support.repositories import Repository

AGENT = r"""
import json, os, sys, time

asked = json.loads(sys.stdin.readline())
verb, _, rest = asked["prompt"].partition(" ")
with open(".calls", "a") as calls:
    calls.write(asked["prompt"] + "\n")


def answer(text, **more):
    print(json.dumps({"response": text, **more}))


def complain():
    sys.exit("the agent says: it broke")


def hang():
    with open(".hanging", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)


def once():
    # Only the first of several runs gets the right answer.
    try:
        open(".once", "x").close()
        answer(rest)
    except FileExistsError:
        answer("something else")


def flood():
    try:
        for _ in range(800):
            sys.stdout.write("x" * 65536)
    except BrokenPipeError:
        os._exit(1)


def conversation():
    answer(rest + " after " + str(len(asked["history"])), conversation_id="c1")


{
    "say": lambda: answer(rest),
    "cite": lambda: answer(rest + " [1]", citations=[{"index": 1, "text": "x", "source": "s"}]),
    "exit": complain,
    "hang": hang,
    "garbage": lambda: print("Thinking...\n{'response': 1}"),
    "nothing": lambda: None,
    "flood": flood,
    "once": once,
    "count": conversation,
    "declare": lambda: print(json.dumps({"error": {"class": "throttled", "message": rest}})),
}[verb]()
"""

CONFIG = f"""\
version: 1
agents:
  desk:
    type: command
    command: [{json.dumps(sys.executable)}, -I, agent.py]
    sources: [agent.py, prompts/**]
    timeout: 20s
documents:
  - paths: [evals/*.json]
    agent: desk
"""


def document(*items: Mapping[str, object], **root: object) -> str:
    """A document with these items, one key of an item per line."""
    return json.dumps({"schemaVersion": "1.7.0", **root, "items": items}, indent=1)


def item(
    prompt: str,
    expected: str | None = None,
    /,
    *,
    evaluators: Mapping[str, object] | None = None,
    own: Mapping[str, object] | None = None,
    **keys: object,
) -> dict[str, object]:
    """An item with these evaluators alone, `ExactMatch` by default; `own` are mergebar's keys."""
    made: dict[str, object] = {"prompt": prompt, **keys}
    if expected is not None:
        made["expected_response"] = expected
    made["evaluators"] = {"ExactMatch": {}} if evaluators is None else evaluators
    made["evaluators_mode"] = "replace"
    if own is not None:
        made["extensions"] = {"io.github.mergebar": own}
    return made


def passing(text: str = "yes", **keys: object) -> dict[str, object]:
    """An item that is answered as expected."""
    return item(f"say {text}", text, own=keys or None)


def failing(text: str = "no", **keys: object) -> dict[str, object]:
    """An item that is answered otherwise."""
    return item(f"say {text}", "something else", own=keys or None)


def judged(text: str, *evaluators: str, **keys: object) -> dict[str, object]:
    """An item whose answer is `text`, and which the judge scores."""
    names = evaluators or ("Relevance",)
    return item(f"say {text}", evaluators={name: {} for name in names}, own=keys or None)


def repository(
    path: Path, *items: Mapping[str, object], config: str = CONFIG, **files: str
) -> Repository:
    """A committed gate over `evals/desk.json` with these items; `files` are further ones."""
    contents = {
        ".gitignore": ".calls\n.hanging\n.once\n.mergebar/\n",
        "agent.py": AGENT,
        "mergebar.yml": config,
        "prompts/desk.md": "Say what you are told to say.\n",
        **({"evals/desk.json": document(*items)} if items else {}),
        **files,
    }
    return repositories.start(path, contents)


def judge(base_url: str, *, attempts: int = 1, **keys: object) -> str:
    """The lines that make a loopback server the judge."""
    value = {
        "type": "openai",
        "base_url": base_url,
        "api_key": "${JUDGE_KEY}",
        "model": "scripted",
        "attempts": attempts,
        **keys,
    }
    return f"judge: {json.dumps(value)}\n"


def calls(root: Path) -> list[str]:
    """What the agent was asked so far, sorted."""
    log = root / ".calls"
    return sorted(log.read_text().splitlines()) if log.exists() else []
