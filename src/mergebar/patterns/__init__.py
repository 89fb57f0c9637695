"""Globs: patterns as people write them in, what they match and why they are malformed out."""

from mergebar.patterns.globs import GlobSet as GlobSet
from mergebar.patterns.globs import TextGlob as TextGlob
from mergebar.patterns.globs import fault as fault
from mergebar.patterns.globs import trimmed as trimmed
