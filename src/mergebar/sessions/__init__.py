"""Sessions and artifacts: what a session has to do with an artifact, and which part of it counts.

Pure functions of both: nothing here reads a file or judges what happened.
"""

from mergebar.sessions.linking import Link as Link
from mergebar.sessions.linking import link as link
from mergebar.sessions.paths import relative as relative
from mergebar.sessions.windows import excerpt as excerpt
