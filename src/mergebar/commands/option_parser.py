"""The options of a command in; a parser that names what was probably meant, out."""

import argparse
from typing import NoReturn

from mergebar.errors import ExitCode
from mergebar.reading.nearest import nearest
from mergebar.untrusted import terminal

_UNKNOWN = "unrecognized arguments: "


class OptionParser(argparse.ArgumentParser):
    """Takes no abbreviations, and shows what stands below its options as it is written."""

    def __init__(self, *, prog: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """A name that isn't known needs no list of all that are: the nearest one says more."""
        if message.startswith(_UNKNOWN):
            said = f"{self._unknown(message.removeprefix(_UNKNOWN))} see `{self.prog} --help`"
            self.exit(ExitCode.INVALID, f"{self.prog}: {terminal.line(said)}\n")
        super().error(message)

    def _unknown(self, words: str) -> str:
        options = [word.partition("=")[0] for word in words.split(" ") if word.startswith("-")]
        if not options:
            return f"one argument too many: `{words}`;"
        near = nearest(options[0], self._option_string_actions)
        hint = f" did you mean `{near}`?" if near else ""
        return f"unknown option `{options[0]}`;{hint}"
