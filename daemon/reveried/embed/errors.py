"""What can be wrong with the embedder. None of it reaches a client as an error: recall goes on with keywords."""

from reveried.errors import ReverieError


class EmbedderUnavailable(ReverieError):
    """No vector within the time that was given; the message says why, for people."""

    code = "embedder_unavailable"


class TextsRefused(EmbedderUnavailable):
    """These texts ended the model's process twice. Trying them a third time would take it from everybody else."""


class ModelRefused(ReverieError):
    """The model cannot be used as it is: a file is missing, or is not the file it should be."""

    code = "model_refused"


class PullFailed(ReverieError):
    """A model could not be fetched; nothing of it was kept."""

    code = "pull_failed"
