"""`python -I -m mergebar`: the same as the console script."""

import sys

from mergebar import cli

if __name__ == "__main__":
    sys.exit(cli.main())
