"""What was found in, the text of each file that `init` would write out."""

import importlib.resources
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from jinja2 import Environment, PackageLoader, StrictUndefined

from mergebar.commands.starting import scalars
from mergebar.commands.starting.covers import Covers
from mergebar.commands.starting.looking import WORKFLOWS, Found
from mergebar.commands.workspace import Place
from mergebar.config.locating import PLACES
from mergebar.reading import schemas

WORKFLOW = f"{WORKFLOWS}/mergebar.yml"
CONFIG = PLACES[0]
IGNORED = (".mergebar/*", "!.mergebar/recordings/", "mergebar-report/")

REPOSITORY = "https://github.com/mergebar/mergebar"

_DOCS = f"{REPOSITORY}/blob/main/docs"
_MOST_BROKEN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ours:
    """A text that isn't quoted: nothing in it comes from a repository."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """A group of documents, and the agent that answers them."""

    paths: tuple[str, ...]
    agent: _Ours


def config(found: Found, covers: Covers) -> str:
    """`mergebar.yml`, with a group for what is found of each kind."""
    schema = str(schemas.load("config.v1.json")["$id"])
    return _fill(
        "start_config.yml.j2",
        scalars.yaml,
        {
            "schema": _Ours(text=schema),
            "docs": _Ours(text=_DOCS),
            "asked": bool(found.asked),
            "stored": bool(found.stored),
            "judged": found.judged,
            "documents": tuple(_groups(covers)),
            "artifacts": covers.artifacts.globs,
            "traces": covers.traces.globs,
            "broken": found.broken[:_MOST_BROKEN],
            "more": _Ours(text=str(len(found.broken) - _MOST_BROKEN))
            if len(found.broken) > _MOST_BROKEN
            else None,
        },
    )


def workflow(found: Found, place: Place) -> str:
    """`.github/workflows/mergebar.yml`, for the folder that the configuration is in."""
    return _fill(
        "start_workflow.yml.j2",
        lambda text: scalars.unevaluated(scalars.yaml(text)),
        {
            "branch": _Ours(text=found.branch),
            "folder": place.prefix,
            "judged": found.judged,
            "repository": _Ours(text=REPOSITORY),
        },
    )


def document() -> str:
    """An eval document to begin with; it needs no judge."""
    template = importlib.resources.files("mergebar") / "templates" / "start_document.json"
    return template.read_text(encoding="utf-8")


def _groups(covers: Covers) -> Iterator[_Group]:
    for cover, agent in ((covers.asked, "my-agent"), (covers.stored, "stored")):
        if cover.patterns:
            yield _Group(paths=cover.globs, agent=_Ours(text=agent))


def _fill(name: str, quote: Callable[[str], str], values: Mapping[str, object]) -> str:
    """Whatever isn't ours is quoted on its way out."""

    def finalize(value: object) -> str:
        return value.text if isinstance(value, _Ours) else quote(cast("str", value))

    environment = Environment(  # noqa: S701 - YAML: `finalize` quotes, entities alone would not do
        loader=PackageLoader("mergebar"),
        undefined=StrictUndefined,
        finalize=finalize,
        variable_start_string="<<",
        variable_end_string=">>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name).render(values)
