"""docs/architecture.md says what import-linter holds."""

import re
import tomllib
from typing import cast

import pytest

from support.pages import DOCS, ROOT

PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = cast("list[dict[str, list[str]]]", SETTINGS["tool"]["importlinter"]["contracts"])
BY_NAME = {str(contract["name"]).partition(":")[0]: contract for contract in CONTRACTS}
LAYERS = BY_NAME["imports point inwards; a new module has to be placed"]["layers"]
ROOMS = {path.parent.name for path in (ROOT / "src/mergebar/commands").glob("*/__init__.py")}


def names(text: str) -> list[str]:
    return re.findall(r"`([a-z_]+)`", text)


def listed() -> set[str]:
    table = PAGE.partition("| layer |")[2].partition("\n\n")[0]
    return {
        name for line in table.splitlines()[2:] for name in names(" ".join(line.split("|")[:3]))
    }


def test_the_table_has_every_module_of_the_layers() -> None:
    modules = {name for layer in LAYERS for name in layer.split(" | ")}

    assert modules - listed() == set()
    assert {
        name for name in listed() if not exists(name) and not exists(f"commands/{name}")
    } == set()


def test_the_table_has_every_room_of_the_commands() -> None:
    assert ROOMS - listed() == set()


def exists(name: str) -> bool:
    found = ROOT / "src/mergebar" / name
    return found.is_dir() or found.with_suffix(".py").is_file()


def test_what_is_called_pure_is_what_the_contract_holds() -> None:
    said = PAGE.partition("## Effects\n")[2].partition("are pure")[0]
    modules = BY_NAME["the core is pure"]["source_modules"]

    assert sorted(f"mergebar.{name}" for name in names(said)) == sorted(modules)


@pytest.mark.parametrize("name", re.findall(r"`([a-z_]+/[a-z_]+)`", PAGE))
def test_every_module_that_the_page_names_exists(name: str) -> None:
    assert exists(name)
