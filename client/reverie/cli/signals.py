"""What a score is made of, as a small table."""

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
