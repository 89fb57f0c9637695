"""An artifact's bytes in, its text for a judge out: without the evals that it declares."""

import yaml

from mergebar.reading import front_matter
from mergebar.suites.artifacts.declarations import OWN_KEYS


def without_evals(data: bytes, *, path: str) -> str:
    """The front matter, as YAML, less the declarations; then the body.

    They tell a judge what else is claimed, and which answers are hoped for. A block that can't be
    read is left out whole.
    """
    front = front_matter.read(data, path=path)
    kept = dict(front.value or {})
    metadata = kept.get("metadata")
    if isinstance(metadata, dict):
        rest = {name: value for name, value in metadata.items() if name not in OWN_KEYS}
        if rest:
            kept["metadata"] = rest
        else:
            del kept["metadata"]
    if not kept:
        return front.body
    written = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{written}---\n{front.body}"
