"""How costs grow with the memory: measured at several sizes, with the power of the size that fits each best.

`python -m bench.growth --texts locomo10.json --plot bench/growth.svg` prints a table and draws the recalls of it.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from statistics import linear_regression

from bench.corpus import Corpus, corpus
from bench.floors import quantiles
from bench.growth_plot import Curve, drawn
from bench.recall import HYBRID, WORDS, at
from bench.remembered import remember
from bench.roundtrip import echo
from running import QUIET, RunningDaemon

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
ASKED = ("recall by words, ms", "recall by words and meaning, ms", "the index's ORDER BY rank, ms")
SHORT = ("words", "words and meaning", "ORDER BY rank")
KEPT = ("making the state anew, s", "start, s", "idle memory, MB", "a page of the list, ms")
Costs = Mapping[str, float]


def measure(texts: Path | None = None, sizes: Sequence[int] = SIZES) -> dict[int, Costs]:
    said, socket_ms, found = corpus(texts), echo() / 1000, {}
    for size in sizes:
        print(f"  {size:,} memories of {said.name} …", file=sys.stderr)
        found[size] = {**_asked(said, size, socket_ms), **_kept(said, size)}
    return found


def _asked(said: Corpus, size: int, socket_ms: float) -> Costs:
    measured = at(said, size, socket_ms, with_vectors=True)
    words, both = measured[WORDS, size], measured[HYBRID, size]
    return dict(zip(ASKED, (words.median, both.median, words.ranked), strict=True))


def _kept(said: Corpus, size: int) -> Costs:
    """The first start finds a log alone, the second one everything."""
    with tempfile.TemporaryDirectory() as home:
        data = Path(home, "data")
        data.mkdir(mode=0o700)
        remember(data, said, size)
        daemon = RunningDaemon(Path(home), config=QUIET["embedding"])
        try:
            anew = _seconds(daemon)
            daemon.stop()
            again = _seconds(daemon)
            with daemon.client() as client:
                client.ping()
                idle = daemon.resident_bytes / 1024**2
                page = quantiles(lambda: client.list(limit=20) for _ in range(50))[0]
            return dict(zip(KEPT, (anew, again, idle, page), strict=True))
        finally:
            daemon.end()


def _seconds(daemon: RunningDaemon) -> float:
    began = time.perf_counter()
    daemon.start()
    return time.perf_counter() - began


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Of the power of the size that runs nearest to the points: 0 does not grow, 1 grows as the memory does."""
    return linear_regression([log(x) for x, _ in points], [log(y) for _, y in points]).slope


def table(found: Mapping[int, Costs]) -> str:
    lines = [
        f"| | {' | '.join(f'{size:,}' for size in found)} | grows with the power |",
        f"|---|{'---|' * len(found)}---|",
    ]
    for cost, points in _by_cost(found).items():
        lines.append(f"| {cost} | {' | '.join(f'{y:.3g}' for _, y in points)} | {exponent(points):.2f} |")
    return "\n".join(lines)


def _by_cost(found: Mapping[int, Costs]) -> dict[str, list[tuple[float, float]]]:
    return {cost: [(size, costs[cost]) for size, costs in found.items()] for cost in (*ASKED, *KEPT)}


def picture(found: Mapping[int, Costs]) -> str:
    points = _by_cost(found)
    curves = [
        Curve(f"{short}, n^{exponent(points[name]):.2f}", points[name])
        for name, short in zip(ASKED, SHORT, strict=True)
    ]
    return drawn("How long a question takes", "memories", "ms", curves)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--texts", type=Path, help="conversations in the form of LoCoMo; made-up talk without")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="memories (default: %(default)s)")
    parser.add_argument("--plot", type=Path, help="write the curves there, as SVG")
    given = parser.parse_args()
    found = measure(given.texts, [int(size) for size in given.sizes.split(",")])
    print(table(found))
    if given.plot:
        given.plot.write_text(picture(found))


if __name__ == "__main__":
    main()
