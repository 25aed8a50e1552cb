"""What a score is made of: as a small table, or as bars."""

from collections.abc import Iterator, Mapping


def signal_lines(
    signals: Mapping[str, float], contributions: Mapping[str, float], weights: Mapping[str, float]
) -> Iterator[str]:
    """Those that count first, in the order of the formula; then the others, which the profile does not look at."""
    if not signals:
        return
    yield f"{'signal':<14}{'value':>8}{'weight' if weights else '':>8}{'gives':>9}"
    for name in [*contributions, *(name for name in signals if name not in contributions)]:
        weight = f"{weights[name]:.2f}" if name in weights else ""
        given = f"{contributions[name]:+.3f}" if name in contributions else ""
        value = f"{signals[name]:.3f}" if name in signals else ""
        yield f"{name:<14}{value:>8}{weight:>8}{given:>9}".rstrip()


BAR = 24


def bar_lines(signals: Mapping[str, float], contributions: Mapping[str, float]) -> Iterator[str]:
    """What each signal gave, drawn beside the most that one gave; then those that the profile does not look at."""
    most = max(map(abs, contributions.values()), default=0.0) or 1.0
    for name, given in contributions.items():
        drawn = ("█" if given > 0 else "░") * round(BAR * abs(given) / most)
        value = f"{signals[name]:.3f}" if name in signals else ""
        yield f"{name:<14}{value:>8}{given:>+9.3f}  {drawn}".rstrip()
    others = " · ".join(f"{name} {value:.2f}" for name, value in signals.items() if name not in contributions and value)
    if others:
        yield f"not counted   {others}"
