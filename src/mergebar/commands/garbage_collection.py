"""Work that makes very many lasting values in; the same work, looking for no cycles meanwhile, out.

The collector goes through all that there is each time that so much has come along, and a report
has no cycles: reading a large one and comparing it took a quarter longer.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Afterwards it is as before, and leaves alone what was made meanwhile."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was:
            gc.enable()
