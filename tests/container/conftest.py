"""The image, built once from this checkout, and a repository whose agent needs no rights in it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import jobs
from support.container import building, engine
from support.container.engine import EngineError
from support.container.running import Image
from support.jobs import Job

AGENT = r"""
import json, os, sys

asked = json.loads(sys.stdin.readline())
verb, _, rest = asked["prompt"].partition(" ")
if verb == "hang":
    os.execvp("python3", ["python3", "-c", "import time; time.sleep(600)"])
if verb == "look":
    exec(open("look.py").read())
print(json.dumps({"response": rest}))
"""
CONFIG = f"""\
version: 1
agents:
  desk:
    type: command
    command: {json.dumps(["python3", "-I", "agent.py"])}
    sources: [agent.py]
    timeout: 60s
    concurrency: 1
documents:
  - paths: [evals/*.json]
    agent: desk
"""


@pytest.fixture(scope="session")
def image() -> Image:
    """Skips, and says what is missing, where no image can be built."""
    lacking = engine.missing()
    if lacking:
        pytest.skip(lacking)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GIT_CONFIG_GLOBAL", raising=False)
        here = engine.start(os.environ)
        try:
            return Image(id=building.image(here), engine=here)
        except EngineError as error:
            pytest.fail(f"the image can't be built: {error}")


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    with jobs.job(tmp_path, config=CONFIG, **{"agent.py": AGENT}) as made:
        yield made
