"""How many requests of each kind were answered, and how long each took: one addition a request, read by `status`.

The numbers only grow. Whoever wants a rate asks twice and subtracts, so nothing here needs a clock of its own.
"""

from reverie.protocol.requests import REQUESTS, Request, op_of
from reverie.protocol.results import Traffic

# Four steps to each doubling: a percentile read off them is right to within a quarter.
_STEPS = 4
_OCTAVES = 32
_PLACES = _STEPS * _OCTAVES


class Meter:
    def __init__(self) -> None:
        self._answered = {request: [0] * _PLACES for request in REQUESTS}
        self._refused = dict.fromkeys(REQUESTS, 0)

    def answered(self, request: type[Request], nanoseconds: int) -> None:
        micros = nanoseconds // 1_000
        octave = micros.bit_length()
        # The leading bit says which doubling it is, the two bits behind it which quarter of that.
        place = micros if octave < 3 else _STEPS * (octave - 2) + (micros >> (octave - 3) & 3)
        self._answered[request][place if place < _PLACES else -1] += 1

    def refused(self, request: type[Request]) -> None:
        self._refused[request] += 1

    @property
    def traffic(self) -> dict[str, Traffic]:
        """What was asked at all, by operation."""
        seen = {request: (places, self._refused[request]) for request, places in self._answered.items()}
        return {
            op_of(request): Traffic(
                answered=sum(places),
                refused=refused,
                times=[(limit_of(place), count) for place, count in enumerate(places) if count],
            )
            for request, (places, refused) in seen.items()
            if refused or any(places)
        }


def limit_of(place: int) -> int:
    """The microseconds that everything counted at this place stayed below."""
    if place < _STEPS:
        return place + 1
    octave, quarter = divmod(place, _STEPS)
    return (_STEPS + quarter + 1) << (octave - 1)
