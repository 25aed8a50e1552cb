"""Fetching a model: the only place in reverie that ever goes to the network, and only when a person asks it to."""

import shutil
import tempfile
from pathlib import Path

import msgspec

from reveried.embed.caches import USUAL, directory_name, model_cache
from reveried.embed.errors import PullFailed
from reveried.embed.manifest import NAME, Manifest, hash_of, manifest_of

# What the runtimes read. Pickled weights can run code when they are loaded, so they stay where they are.
WANTED = ("*.json", "*.txt", "*.model", "model*.safetensors", "onnx/model.onnx*")


def pull(name: str) -> tuple[Path, Manifest]:
    """A model from the hub into reverie's own cache, whole or not at all, with the hashes of what came."""
    full = name if "/" in name else f"{USUAL}/{name}"
    cache = model_cache()
    cache.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".pull-", dir=cache))
    try:
        licence = _download(full, scratch)
        shutil.rmtree(scratch / ".cache", ignore_errors=True)  # the library's own notes
        manifest = described(scratch, full.rpartition("/")[2], licence)
        (scratch / NAME).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2))
        place = cache / directory_name(full)
        _put(scratch, place)
        return place, manifest
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def described(directory: Path, name: str, licence: str) -> Manifest:
    """The manifest with the hash of every file that matters."""
    found = manifest_of(directory, name)
    files = {str(path.relative_to(directory)): hash_of(path) for path in sorted(directory.rglob("*")) if path.is_file()}
    return msgspec.structs.replace(found, files=files, licence=found.licence or licence)


def _download(name: str, into: Path) -> str:
    """Fetches the files; returns the licence, as far as it is known."""
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise PullFailed("huggingface_hub is not installed", hint="pip install huggingface_hub") from error
    try:
        snapshot_download(name, local_dir=into, allow_patterns=list(WANTED))
        card = HfApi().model_info(name).card_data
    except (OSError, ValueError, HfHubHTTPError) as error:
        reason = str(error).partition("\n")[0]
        raise PullFailed(
            f"{name} was not fetched: {reason}",
            hint="is this machine online? A model's directory from elsewhere can be given by its path",
        ) from error
    return str(card.get("license") or "") if card else ""


def _put(fetched: Path, place: Path) -> None:
    """Into its place in one step; an older copy is set aside until then."""
    aside = fetched.with_name(f"{fetched.name}-old")
    if place.exists():
        place.rename(aside)
    fetched.rename(place)
    shutil.rmtree(aside, ignore_errors=True)
