"""Values in and out of a store, under the digest of all that they depend on."""

from collections.abc import Callable, Mapping

from mergebar import identity
from mergebar.caching import entries
from mergebar.caching.store import Store
from mergebar.model.conversations import Noting, Throttled
from mergebar.model.text import Json, JsonObject

_FORMAT = 1


class Keeper:
    """`about` is what all keys share. What `redact` would change holds a secret, and isn't kept."""

    def __init__(
        self, store: Store, about: Mapping[str, Json], redact: Callable[[str], str]
    ) -> None:
        self._store = store
        self._about = identity.digest({"format": _FORMAT, **about})
        self._redact = redact

    def key(self, kind: str, asked: Mapping[str, Json]) -> str | None:
        """The digest; `None` for a question that can't be written down."""
        try:
            return identity.digest({"about": self._about, "kind": kind, **asked})
        except ValueError:
            return None

    def find(self, key: str | None) -> JsonObject | None:
        """What was kept."""
        data = None if key is None else self._store.get(key)
        return None if key is None or data is None else entries.load(key, data)

    def keep(self, key: str | None, value: JsonObject) -> None:
        """Keep it."""
        data = None if key is None else entries.dump(key, value)
        if key is None or data is None:
            return
        text = data.decode()
        if self._redact(text) == text:
            self._store.put(key, data)

    def close(self) -> None:
        """Nothing more comes."""
        self._store.close()


def notes(adapter: object) -> tuple[str, ...]:
    """What an adapter has to say, where there is one and it does."""
    return adapter.notes if isinstance(adapter, Noting) else ()


def throttled(adapter: object) -> int:
    """How often an adapter was told to slow down, where there is one and it knows."""
    return adapter.throttled if isinstance(adapter, Throttled) else 0
