"""Models that were fetched before: reverie's own cache, then the one that the Hugging Face libraries share."""

import os
from collections.abc import Iterator
from pathlib import Path

# Bare names of this family are published below this organisation.
USUAL = "sentence-transformers"


def model_cache() -> Path:
    """Where `reverie model pull` puts models."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reverie" / "models"


def hub_cache() -> Path:
    """By the same variables that huggingface_hub reads, without loading it."""
    if given := os.environ.get("HF_HUB_CACHE"):
        return Path(given).expanduser()
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(home).expanduser() / "hub"


def directory_name(name: str) -> str:
    """`org/model` as one directory; a name cannot lead out of the cache."""
    return name.strip("/").replace("/", "--").lstrip(".")


def in_caches(name: str) -> list[Path]:
    """Directories that hold a model of this name; the organisation may be left out."""
    full = name if "/" in name else f"{USUAL}/{name}"
    own = [model_cache() / directory_name(one) for one in dict.fromkeys((name, full))]
    shared = [hub_cache() / f"models--{directory_name(one)}" for one in dict.fromkeys((full, name))]
    return [place for place in own if place.is_dir()] + [s for place in shared if (s := snapshot(place)) is not None]


def snapshot(repository: Path) -> Path | None:
    """The version that `main` names; without that the only one there is."""
    snapshots = repository / "snapshots"
    try:
        commit = (repository / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        commit = ""
    if commit and "/" not in commit and (snapshots / commit).is_dir():
        return snapshots / commit
    known = [place for place in snapshots.iterdir() if place.is_dir()] if snapshots.is_dir() else []
    return known[0] if len(known) == 1 else None


def cached() -> Iterator[tuple[str, Path]]:
    """Every model in either cache, by the name it is asked for."""
    for place in sorted(model_cache().glob("*")):
        if place.is_dir() and not place.name.startswith("."):
            yield place.name.replace("--", "/"), place
    for repository in sorted(hub_cache().glob("models--*")):
        if (place_of := snapshot(repository)) is not None:
            yield repository.name.removeprefix("models--").replace("--", "/"), place_of
