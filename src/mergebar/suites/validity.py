"""A document of the current shape and a version's language in, whether that accepts it out."""

from collections.abc import Callable
from functools import cache

from mergebar.model.text import Json
from mergebar.reading import accepting, schemas


def is_valid(root: Json, *, language: int) -> bool:
    """By the fast validator, which says yes or no; a value that it can't read is not valid."""
    try:
        return _validator(language)(root)
    except ValueError:
        return False


@cache
def _validator(language: int) -> Callable[[Json], bool]:
    return accepting.accepts(schemas.eval_document(language))
