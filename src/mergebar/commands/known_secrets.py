"""The environment in, the values in it that are secret by what they are called, out."""

import re
from collections.abc import Mapping

# With `-` too: an action's inputs are called as they are written.
_SECRET = re.compile(r"(?:.*[_-])?(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|KEY|PAT)", re.IGNORECASE)


def of(environ: Mapping[str, str]) -> frozenset[str]:
    """The action's own token, the runner's, and those of whoever wrote the workflow.

    Nobody interpolated them; they must not be in an output either. Which of the values are too
    short or too plain to be secrets is the redactor's to say.
    """
    return frozenset(
        value for name, value in environ.items() if value and _SECRET.fullmatch(name) is not None
    )
