"""`make bench`: every measurement, one table.

Names on the command line choose some of them; `forgetting=20000` or `forgetting=1000,20000` gives a measurement other
sizes than its own.
"""

import sys
from importlib import import_module

from bench.table import Result, render

ALL = ("roundtrip", "stores", "replay", "starting", "recall", "enriching", "forgetting", "mcp")


def main() -> None:
    results: list[Result] = []
    for chosen in sys.argv[1:] or ALL:
        name, _, sizes = chosen.partition("=")
        print(f"measuring {chosen} …", file=sys.stderr)
        results += import_module(f"bench.{name}").measure(*(int(size) for size in sizes.split(",") if size))
    print(render(results))


main()
