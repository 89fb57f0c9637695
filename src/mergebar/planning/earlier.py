"""What the base was, as far as anybody can tell: the other half of a change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mergebar.model.configuration import Config
from mergebar.model.documents import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """The base of a change.

    `documents` has, by its path here, each document that changed as it was: `None` where the base
    has none. One whose base version can't be read isn't in it. `config` is `None` where the base's
    isn't known.
    """

    documents: Mapping[str, Document | None] = field(default_factory=dict)
    config: Config | None = None


UNKNOWN = Earlier()
"""Nothing is known of the base, so whatever changed counts whole."""
