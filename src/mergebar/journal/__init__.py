"""What a run has measured so far, kept where no interruption can reach it, and taken up again."""

from mergebar.journal.entries import Kept as Kept
from mergebar.journal.files import Journal as Journal
from mergebar.journal.files import start as start
