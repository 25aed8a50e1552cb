"""chromadb in its own process with a persistent directory, given the vectors ready-made."""

import os
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings
from driving import drive, resident_mb


class Chroma:
    batch = 1_000

    def __init__(self, home: str) -> None:
        self._client = chromadb.PersistentClient(home, settings=Settings(anonymized_telemetry=False))
        self._vectors: dict[str, Any] = {}

    def _collection(self, space: dict[str, Any]) -> Any:
        if space["name"] not in self._vectors:
            self._vectors[space["name"]] = np.load(space["vectors"], mmap_mode="r")
        return self._client.get_or_create_collection(
            space["name"], embedding_function=None, metadata={"hnsw:space": "cosine"}
        )

    def store(self, space: dict[str, Any], first: int, texts: list[str]) -> None:
        collection, numbers = self._collection(space), range(first, first + len(texts))
        vectors = self._vectors[space["name"]][numbers.start : numbers.stop]
        collection.add(ids=[str(number) for number in numbers], embeddings=np.array(vectors), documents=texts)

    def ask(self, space: dict[str, Any], question: int, limit: int) -> list[int]:
        collection = self._collection(space)
        vector = np.array(self._vectors[space["name"]][len(space["texts"]) + question])
        found = collection.query(query_embeddings=[vector], n_results=limit, include=["documents", "distances"])
        return [int(id_) for id_ in found["ids"][0]]

    def resident_mb(self) -> float:
        return resident_mb(os.getpid())


drive(Chroma)
