"""Which model writes summaries, if one does, and how much it is told and may answer."""

from typing import Annotated

from msgspec import Meta, Struct


class SummariserPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    url: Annotated[
        str,
        Meta(
            description="Where an OpenAI-compatible API is served; nothing is sent anywhere while this is empty",
            pattern=r"^(https?://[^\s/?#@]+(/[^\s?#]*)?)?\Z",
            extra={"expects": "an address such as http://127.0.0.1:11434/v1, or nothing"},
        ),
    ] = ""
    model: Annotated[
        str, Meta(description="The model's name there", max_length=200, extra={"expects": "a name, or nothing"})
    ] = ""
    api_key_env: Annotated[
        str,
        Meta(
            description="The environment variable that holds the key",
            pattern=r"^[A-Za-z_0-9]*\Z",
            extra={"expects": "the name of a variable, or nothing"},
        ),
    ] = ""
    api_key_file: Annotated[
        str, Meta(description="The file that holds the key", extra={"expects": "a path, or nothing"})
    ] = ""
    timeout: Annotated[
        float,
        Meta(description="An answer must be complete this soon", ge=0.1, le=600.0, extra={"unit": "seconds"}),
    ] = 30.0
    max_input: Annotated[
        int,
        Meta(description="Most that is sent at once", ge=200, le=1_000_000, extra={"unit": "characters"}),
    ] = 20_000
    max_answer: Annotated[
        int, Meta(description="Largest answer that is read", ge=1_000, le=10_000_000, extra={"unit": "bytes"})
    ] = 262_144
    pause: Annotated[
        float,
        Meta(description="After a failure it is left alone this long", ge=0.0, le=86_400.0, extra={"unit": "seconds"}),
    ] = 300.0
