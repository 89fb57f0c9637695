"""A JSON Schema in, a quick yes or no to values out; `explaining` says why not."""

from collections.abc import Callable

import jsonschema_rs

from mergebar.model.text import Json, JsonObject


def accepts(schema: JsonObject) -> Callable[[Json], bool]:
    """Compile a schema of draft 2020-12. `format` is an annotation there, and isn't checked.

    Compiling costs half a millisecond: keep what is returned.
    """
    return jsonschema_rs.Draft202012Validator(dict(schema)).is_valid


def fault(schema: Json) -> str | None:
    """Why this is no usable JSON Schema, as half a sentence. Nothing is fetched for it."""
    if not isinstance(schema, dict):
        return "is no object"
    try:
        jsonschema_rs.validator_for(schema, retriever=_refuse)
    except ValueError as error:
        said = str(error).partition("\n")[0].replace("ValueError: ", "")
        return f"is no JSON Schema: {said}"
    return None


def _refuse(address: str) -> Json:
    message = f"{address} is not fetched"
    raise ValueError(message)
