"""The parsers that are built in, by the name of their format."""

from collections.abc import Mapping
from types import MappingProxyType

from mergebar.traces import chat, claude_session, claude_stream
from mergebar.traces.parsing import Parser

PARSERS: Mapping[str, Parser] = MappingProxyType({
    claude_session.NAME: claude_session.create(),
    claude_stream.NAME: claude_stream.create(),
    chat.NAME: chat.create(),
})  # fmt: skip
