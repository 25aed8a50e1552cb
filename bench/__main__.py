"""`make bench`: every measurement, one table. Names on the command line choose some of them."""

import sys
from importlib import import_module

from bench.table import Result, render

ALL = ("roundtrip", "stores", "replay", "starting", "recall", "mcp")


def main() -> None:
    results: list[Result] = []
    for name in sys.argv[1:] or ALL:
        print(f"measuring {name} …", file=sys.stderr)
        results += import_module(f"bench.{name}").measure()
    print(render(results))


main()
