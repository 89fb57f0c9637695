"""A document of the current shape and a version's language in, whether that accepts it out."""

from functools import cache

import jsonschema_rs

from mergebar.model.text import JsonObject
from mergebar.reading import schemas


def is_valid(root: JsonObject, *, language: int) -> bool:
    """By the fast validator, which says yes or no; a value that it can't read is not valid."""
    try:
        return _validator(language).is_valid(root)
    except ValueError:
        return False


@cache
def _validator(language: int) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(dict(schemas.eval_document(language)))
