"""A process that prints a key on stderr, wherever our cut falls: no piece of it is in a message."""

import asyncio
from pathlib import Path

import pytest

from mergebar.agents import command
from mergebar.calling.timing import REAL
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import Failure
from mergebar.untrusted.redaction import Redactor
from support import agents

KEY = "k3y/of=an-endpoint+0123456789"
SHOWN = 2048
KEPT = 64 * 1024


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("cut", [SHOWN, KEPT])
def test_no_piece_of_a_key_on_stderr_is_told(tmp_path: Path, cut: int, persistent: bool) -> None:  # noqa: FBT001 - pytest's
    """Behind the key stand so many characters that the cut falls before, in and behind it."""
    redactor = Redactor([KEY])
    pieces = {KEY[at : at + 4] for at in range(len(KEY) - 3)}

    async def told(after: int) -> str:
        code = f"import sys; sys.stderr.write('~' * 99 + {KEY!r} + '~' * {after}); sys.exit(3)"
        config = agents.config(options={"command": agents.python(code), "persistent": persistent})
        context = AgentContext(root=tmp_path, environ={}, timing=REAL, redact=redactor.redact)
        agent = command.create(config, context)
        failure = await agent.ask(agents.question("hello"))
        await agent.aclose()
        assert isinstance(failure, Failure)
        return redactor.redact(failure.message)

    for short in range(0, len(KEY) + 1, 3):
        message = asyncio.run(told(cut - short))
        assert message.endswith("~~~~")
        assert not [piece for piece in pieces if piece in message], (short, message[:200])
