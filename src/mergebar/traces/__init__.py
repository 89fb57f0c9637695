"""Traces: the file of a recorded session in, a neutral session out; one parser per format.

Which format a file has is seen in its content, never in its name. Nothing here judges a session.
"""

from mergebar.traces.contents import FileContents as FileContents
from mergebar.traces.parsers import PARSERS as PARSERS
from mergebar.traces.reading import read as read
