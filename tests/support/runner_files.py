"""The files that a step writes for the runner, read as the runner reads them."""

import itertools


def outputs(text: str) -> dict[str, str]:
    """An output file by the runner's grammar: `name=value`, or `name<<mark` up to that mark."""
    found: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[line[:equals]] = line[equals + 1 :]
            continue
        assert heredoc > 0, line
        mark = line[heredoc + 2 :]
        found[line[:heredoc]] = "\n".join(itertools.takewhile(mark.__ne__, lines))
    return found
