"""JSON as a type, for what crosses a boundary as data and isn't ours to name."""

from collections.abc import Mapping
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
JsonObject: TypeAlias = Mapping[str, Json]
