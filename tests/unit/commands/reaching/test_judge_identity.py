"""Who judges is known before the judge is made, and then it is that one."""

from dataclasses import replace
from pathlib import Path

import pytest

from mergebar import plugins
from mergebar.commands.reaching import judge_identity
from mergebar.model.contexts import JudgeContext
from mergebar.model.text import JsonObject
from support.builders import judge_config
from support.clocks import Clock

ENTRIES: list[tuple[str, str | None, JsonObject]] = [
    ("openai", "gpt-5-mini", {"base_url": "http://127.0.0.1:1/v1", "api_key": "k"}),
    ("openai", "m", {}),
    ("openai", None, {}),
    ("azure", None, {"endpoint": "https://x.test", "deployment": " d ", "auth": "key"}),
    ("azure", "gpt-5", {"endpoint": "https://x.test", "deployment": "d", "auth": "key"}),
    ("azure", None, {}),
]


@pytest.mark.parametrize(("kind", "model", "options"), ENTRIES)
def test_a_judge_states_the_identity_that_its_entry_tells(
    kind: str, model: str | None, options: JsonObject
) -> None:
    entry = replace(judge_config(kind, options=options), model=model)
    create = plugins.judge(kind)
    assert not isinstance(create, plugins.Unknown)

    judge = create(entry, JudgeContext(root=Path(), environ={}, timing=Clock().timing))

    assert judge_identity.identity(entry) == judge.identity


def test_only_a_judge_that_is_built_in_is_known_by_its_entry() -> None:
    assert judge_identity.identity(judge_config("mine")) is None
    live = set(plugins.JUDGES) - {"replay"}
    assert all(judge_identity.identity(judge_config(kind)) is not None for kind in live)
