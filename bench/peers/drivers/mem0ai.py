"""mem0 in its own process, as it comes without a key: no model reads the texts, so each is kept as it is."""

import os
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"  # read when it is imported

from driving import drive, resident_mb
from mem0 import Memory

DIMENSION = 384


class Mem0:
    batch = 100

    def __init__(self, home: str) -> None:
        kept = {
            "collection_name": "texts",
            "path": f"{home}/vectors",
            "on_disk": True,
            "embedding_model_dims": DIMENSION,
        }
        model = {"model": os.environ["PEER_MODEL"], "embedding_dims": DIMENSION}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": kept},
                "embedder": {"provider": "huggingface", "config": model},
                "llm": {"provider": "openai", "config": {"api_key": "none"}},  # never asked
                "history_db_path": f"{home}/history.db",
            }
        )
        self._places: dict[str, dict[str, int]] = {}

    def store(self, space: dict[str, Any], first: int, texts: list[str]) -> None:
        said = [{"role": "user", "content": text} for text in texts]
        saved = self._memory.add(said, user_id=space["name"], infer=False)["results"]
        places = self._places.setdefault(space["name"], {})
        places.update({one["id"]: first + at for at, one in enumerate(saved)})

    def ask(self, space: dict[str, Any], question: int, limit: int) -> list[int]:
        asked = {"filters": {"user_id": space["name"]}, "top_k": limit, "threshold": 0.0}
        found = self._memory.search(space["questions"][question], **asked)["results"]
        return [self._places[space["name"]][one["id"]] for one in found]

    def resident_mb(self) -> float:
        return resident_mb(os.getpid())


drive(Mem0)
