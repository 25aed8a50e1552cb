"""The client's tree of errors is the daemon's, and its picture is true."""

import pickle

import pytest

from reverie import errors
from reverie.errors import BY_CODE, ReverieError, error_from
from reverie.protocol.wire import ErrorBody
from reveried.errors import every_error

# A daemon that cannot start has no client to tell, without an embedder recall goes on with keywords, and a model is
# fetched by the command itself: whether these are loaded depends on what else was imported.
NEVER_SENT = {"cannot_listen", "cannot_open", "embedder_unavailable", "model_refused", "pull_failed"} | {
    "summariser_unavailable"  # the first sentences stand in for it
}


@pytest.mark.parametrize("code", sorted({error.code for error in every_error()} - NEVER_SENT))
def test_every_code_of_the_daemon_has_its_error(code: str) -> None:
    error = error_from(ErrorBody(code=code, message="no", field="f", hint="h", retryable=True))
    assert type(error) is BY_CODE[code]
    assert (error.code, error.message, error.field, error.hint, error.retryable) == (code, "no", "f", "h", True)


def test_a_code_from_the_future_is_still_an_error() -> None:
    error = error_from(ErrorBody(code="moon_phase", message="wait"))
    assert type(error) is ReverieError
    assert (error.code, str(error)) == ("moon_phase", "wait")


def test_the_tree_in_the_docstring_shows_every_error() -> None:
    drawn = (errors.__doc__ or "").split()
    assert [error.__name__ for error in BY_CODE.values() if error.__name__ not in drawn] == []
    assert [code for code in BY_CODE if code not in drawn] == []


def test_an_error_survives_a_process_boundary() -> None:
    error = pickle.loads(pickle.dumps(error_from(ErrorBody(code="busy", message="later", hint="wait"))))
    assert (type(error), error.message, error.hint) == (errors.Busy, "later", "wait")
