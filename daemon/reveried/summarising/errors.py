"""What can be wrong with the summariser. None of it reaches a client as an error: the first sentences do instead."""

from reveried.errors import ReverieError


class SummariserUnavailable(ReverieError):
    """No summary; the message says why, for people. It never holds a key, nor a word of what was sent or answered."""

    code = "summariser_unavailable"
