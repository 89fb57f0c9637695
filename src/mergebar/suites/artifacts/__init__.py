"""Instruction artifacts: where they are, what they declare, and what is wrong with it."""

from mergebar.suites.artifacts.inventory import Survey as Survey
from mergebar.suites.artifacts.inventory import everything as everything
from mergebar.suites.artifacts.inventory import survey as survey
from mergebar.suites.artifacts.presenting import without_evals as without_evals
from mergebar.suites.artifacts.reading import read as read
from mergebar.suites.artifacts.references import resolve as resolve
