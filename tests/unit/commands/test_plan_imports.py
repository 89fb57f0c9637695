"""Whoever only plans loads nothing that calls, and nothing that draws comments and pages."""

import subprocess
import sys


def test_a_plan_loads_no_client_and_no_templates() -> None:
    heavy = {"httpx", "github", "openai", "jinja2"}
    code = (
        "import sys; from mergebar.commands import plan;"
        f"print(sorted({heavy!r} & set(sys.modules)), plan.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] mergebar.commands.plan\n"
