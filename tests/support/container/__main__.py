"""`make image`: builds the image with what the machine has, and says what it lacks."""

import os
import sys

from support.container import building, engine
from support.container.engine import EngineError


def main() -> int:
    """Build, and say how to start it."""
    lacking = engine.missing()
    if lacking:
        print(f"no image is built: {lacking}", file=sys.stderr)
        return 2
    try:
        here = engine.start(os.environ)
        built = building.image(here, loud=True)
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    start = " ".join([*here.podman_run, building.NAME])
    print(f"built {built[:12]}; start it with:")
    print(f"  CONTAINERS_STORAGE_CONF={here.folder}/storage.conf {start} --version")
    return 0


if __name__ == "__main__":
    sys.exit(main())
