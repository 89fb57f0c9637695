"""What a schema has against a value, as values: `explaining` finds them, whoever asked tells them.

Apart from `explaining`, which is costly to load and needed for a rejected file only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mergebar.model.text import Json, JsonObject
from mergebar.reading.pointers import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFault:
    """One fault. `on_key`: its place is the key at the end of `pointer`, not the value.

    `rule` is `schema/…`; `message` is a sentence with the remedy.
    """

    pointer: Pointer
    rule: str
    message: str
    on_key: bool = False


Explain: TypeAlias = Callable[[JsonObject, Json], Sequence[SchemaFault]]
"""A schema and a value that it refuses in, every fault of the value out."""
