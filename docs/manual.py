"""Writes the manual pages into a directory: `make man`. They follow from the parsers of both programs alone."""

import sys
from pathlib import Path

from reverie.cli.shells.described import every_command
from reverie.cli.shells.manual import reverie_page, reveried_page
from reveried.main import arguments

# A page is read on other machines than it was made on.
ANYWHERE = {
    "data": "~/.local/share/reverie",
    "socket": "$XDG_RUNTIME_DIR/reverie/reverie.sock",
    "config": "~/.config/reverie/config.yaml",
}


def pages() -> dict[str, str]:
    daemon = arguments()
    daemon.set_defaults(**ANYWHERE)
    return {"reverie.1": reverie_page(every_command()), "reveried.1": reveried_page(daemon)}


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(exist_ok=True)
    for name, text in pages().items():
        (directory / name).write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
