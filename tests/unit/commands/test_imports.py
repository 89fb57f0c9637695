"""A command loads what it uses, and nothing that calls, draws or measures when it doesn't."""

import subprocess
import sys

import pytest

CALLS = {"httpx", "httpx2", "openai", "github", "asyncio", "pydantic"}
LOADS_NONE_OF = {
    "check": CALLS | {"jinja2", "jsonschema"},
    "compare": CALLS | {"jsonschema"},
    "init": CALLS | {"jsonschema"},
    "migrate": CALLS | {"jinja2", "jsonschema"},
    "plan": {"httpx", "httpx2", "openai", "github", "jinja2", "jsonschema"},
    "report": CALLS | {"jsonschema"},
    "run": {"httpx", "httpx2", "openai", "github", "jsonschema"},
    "trace": CALLS | {"jinja2", "jsonschema"},
}


@pytest.mark.parametrize("command", sorted(LOADS_NONE_OF))
def test_a_command_loads_no_library_that_it_may_not_need(command: str) -> None:
    code = (
        f"import sys; from mergebar.commands import {command};"
        f"print(sorted({LOADS_NONE_OF[command]!r} & set(sys.modules)), {command}.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"[] mergebar.commands.{command}\n"
