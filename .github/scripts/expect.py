#!/usr/bin/env python3
"""What a step of the action came to in; exit code 1 and each difference from what was expected out.

In: `name=value` as arguments, the step's outcome in $OUTCOME, and its outputs in $OUTPUTS as JSON.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence


def differences(expected: Sequence[str], found: Mapping[str, str]) -> list[str]:
    """A line for each `name=value` that isn't so; an output that is absent is none at all."""
    pairs = [text.partition("=") for text in expected]
    return [
        f"{name} is {found.get(name)!r}, and should be {value!r}"
        for name, _, value in pairs
        if found.get(name) != value
    ]


def main(expected: Sequence[str], environ: Mapping[str, str]) -> int:
    """Return 0 if all is as expected; expecting nothing is a mistake."""
    if not expected:
        print("expected is nothing: name outputs and their values", file=sys.stderr)
        return 2
    outputs: dict[str, str] = json.loads(environ["OUTPUTS"])
    wrong = differences(expected, {**outputs, "outcome": environ["OUTCOME"]})
    for line in wrong:
        print(f"::error::{line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
