"""What is said on the wire, and by whom: ids, tokens, errors, and both ways to spell a field."""

import base64
import json
import re
from collections.abc import Mapping
from http import HTTPStatus

from mergebar.model.text import Json
from support.servers import Reply

RUN, JOB = "ce7f54c7-61c7-4aae-887f-30da475f5f1a", "ca395085-040a-526b-2ce8-bdc85f692774"
RUN_ID, REPOSITORY, SIGNATURE = 42, "octo/evals", "s3cr3t/Signature+of=the URL"
GITHUB, ACT = "github", "act"


def token(scopes: str | None = None, **claims: Json) -> str:
    """A token as the runner has it, unsigned. `scopes` in place of the usual ones."""
    usual = f"Actions.GenericRead:00000000 Actions.Results:{RUN}:{JOB} Actions.UploadArtifacts:x"
    payload = {"nbf": 1, "exp": 4102444800, "scp": usual if scopes is None else scopes, **claims}
    parts = ({"alg": "none", "typ": "JWT"}, payload)
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts]
    return (b".".join(encoded) + b".").decode()


def error(status: HTTPStatus, code: str, message: str) -> Reply:
    return Reply(status=status, body=json.dumps({"code": code, "msg": message}).encode())


def snake(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Protobuf's JSON may be spelled either way."""
    return {
        re.sub("[A-Z]", lambda mark: "_" + mark.group().lower(), key): value
        for key, value in fields.items()
    }


def camel(value: Json) -> Json:
    if isinstance(value, list):
        return [camel(item) for item in value]
    if isinstance(value, dict):
        return {_camel_key(key): camel(item) for key, item in value.items()}
    return value


def _camel_key(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)
