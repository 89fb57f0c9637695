"""Answers that were given before, kept in files: whoever asks the very same isn't asked again."""

from mergebar.caching.agents import CachingAgent as CachingAgent
from mergebar.caching.judges import CachingJudge as CachingJudge
from mergebar.caching.keeping import Keeper as Keeper
from mergebar.caching.store import Store as Store
