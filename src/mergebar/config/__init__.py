"""mergebar.yml: where it is, what it says, and what is wrong with it."""

from mergebar.config.locating import default as default
from mergebar.config.locating import locate as locate
from mergebar.config.locating import overlooked as overlooked
from mergebar.config.parsing import EntryFaults as EntryFaults
from mergebar.config.parsing import Parsed as Parsed
from mergebar.config.parsing import parse as parse
