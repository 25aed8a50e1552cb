"""`python -m reveried.config.check FILE`: says whether a configuration would be accepted, and if not, why."""

import sys
from pathlib import Path

from reveried.config.loader import load_file
from reveried.errors import ConfigInvalid


def main() -> int:
    path = Path(sys.argv[1])
    if not path.exists():
        print(f"{path} does not exist; the defaults hold", file=sys.stderr)
        return 0
    try:
        load_file(path)
    except ConfigInvalid as error:
        print(error.message, file=sys.stderr)
        if error.hint:
            print(error.hint, file=sys.stderr)
        return 1
    print(f"{path} is fine", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
