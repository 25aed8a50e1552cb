"""Which model gives memories their vectors, and how long its process is kept."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class EmbeddingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    runtime: Annotated[
        Literal["auto", "onnx", "sentence-transformers", "hashing", "none"],
        Meta(description="What runs the model; auto takes what is installed"),
    ] = "auto"
    model: Annotated[
        str,
        Meta(
            description="A model's name or directory; empty takes the one that is installed",
            extra={"expects": "a name, a directory, or nothing"},
        ),
    ] = ""
    idle: Annotated[
        float,
        Meta(
            description="The model's process ends after this long without work",
            ge=1.0,
            le=86_400.0,
            extra={"unit": "seconds"},
        ),
    ] = 300.0
