"""A JSON Schema in, a quick yes or no to values out; `explaining` says why not."""

from collections.abc import Callable

import jsonschema_rs

from mergebar.model.text import Json, JsonObject


def accepts(schema: JsonObject) -> Callable[[Json], bool]:
    """Compile a schema of draft 2020-12. `format` is an annotation there, and isn't checked.

    Compiling costs half a millisecond: keep what is returned.
    """
    return jsonschema_rs.Draft202012Validator(dict(schema)).is_valid
