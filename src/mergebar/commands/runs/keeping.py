"""What was asked for and the configuration in; where answers and progress are kept, out.

Nothing that comes with the checkout may stand in for a measurement: what git tracks is refused,
and the action keeps everything in the runner's own folder.
"""

from dataclasses import dataclass
from pathlib import Path

from mergebar.caching import Store
from mergebar.commands.reaching.adapters import REPLAY
from mergebar.commands.runs.invocations import Invocation, Surroundings
from mergebar.edge import output_files
from mergebar.edge.git import Git
from mergebar.errors import StopError
from mergebar.model.configuration import Config

JOURNAL = "journal.jsonl"
CACHE = "cache"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """`store` is `None` where nothing is cached, `journal` where no progress is kept.

    `anew`: an interrupted run isn't taken up.
    """

    store: Store | None = None
    journal: Path | None = None
    anew: bool = False


def settle(invocation: Invocation, around: Surroundings, config: Config) -> Keeping:
    """Where this run keeps what. A run that records asks everything, so that nothing is missing."""
    if not invocation.keeps:
        return Keeping()
    own = invocation.own_folder
    return Keeping(
        store=_store(invocation, around, config),
        journal=(
            around.place.cwd / invocation.output / JOURNAL
            if own is None
            else own / f"{invocation.artifact}.{JOURNAL}"
        ),
        anew=invocation.record or not invocation.cache,
    )


def _store(invocation: Invocation, around: Surroundings, config: Config) -> Store | None:
    if invocation.record or not invocation.cache or not _is_used(config):
        return None
    folder = _folder(invocation, around, config)
    if folder is None:
        return None
    git = Git(around.place.cwd, around.environ)
    remedy = "choose another one with `cache.path`"
    refused = output_files.refuse(folder, git, what="cache folder", remedy=remedy)
    if refused is not None:
        raise StopError(refused.message)
    return Store(folder, max_size=config.cache.max_size)


def _folder(invocation: Invocation, around: Surroundings, config: Config) -> Path | None:
    folder = around.place.cwd / config.cache.path
    if invocation.own_folder is None or not folder.resolve().is_relative_to(around.place.top):
        return folder
    return invocation.own_folder / CACHE


def _is_used(config: Config) -> bool:
    judged = config.judge is not None and config.judge.type != REPLAY
    return judged or any(agent.cache and agent.type != REPLAY for agent in config.agents)
