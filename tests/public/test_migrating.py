"""Public documents that people wrote, brought to the current schema: valid, and asking the same."""

import json
from pathlib import Path

from mergebar import plugins
from mergebar.suites import documents, migrating
from mergebar.suites.migrating import Migration


def _prompts(data: bytes, path: str) -> list[tuple[str, ...]]:
    document = documents.read(data, path=path, explain=plugins.explain)
    return [tuple(turn.prompt for turn in case.turns) for case in document.cases]


def test_every_public_document_that_is_migrated_is_valid_and_asks_the_same(shared: Path) -> None:
    migrated = 0
    for path in sorted((shared / "corpus/m365").rglob("*.json")):
        data = path.read_bytes()
        made = migrating.migrate(data, path=path.name, explain=plugins.explain)
        if not isinstance(made, Migration) or not made.changes:
            continue
        migrated += 1
        after = made.after.encode()
        checked = documents.check(after, path=path.name, explain=plugins.explain)
        assert not [one for one in checked.problems if one.level == "error"], path
        assert _prompts(after, path.name) == _prompts(data, path.name), path
        minor = int(json.loads(after)["schemaVersion"].split(".")[1])
        assert minor >= 7, path
    assert migrated > 60
