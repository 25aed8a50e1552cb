"""`python -m reverie.cli` is `reverie`."""

import sys

from reverie.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
