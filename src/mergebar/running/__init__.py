"""A plan and its adapters in; one result for each planned check, in plan order, out."""

from mergebar.running.budget import exceeded as exceeded
from mergebar.running.budget import refusal as refusal
from mergebar.running.options import Progress as Progress
from mergebar.running.options import RunOptions as RunOptions
from mergebar.running.options import SuiteProgress as SuiteProgress
from mergebar.running.runner import refused as refused
from mergebar.running.runner import run as run
from mergebar.running.session_protocols import OpenedSession as OpenedSession
from mergebar.running.session_protocols import Sessions as Sessions
